//! Fields and elements that have no value yet: a search over all values chooses one when the field is first
//! read.
//!
//! A hole is a slot that [`crate::choices::slots`] marks as such. Reading it ends the run; when the hole has
//! been filled and [`Machine::run`] is called again, the instruction runs again.
//!
//! Chosen values can be *marked* with a number: reads of the slot are recorded until [`Machine::take_reads`]
//! asks for them, so a search learns which choices a run depends on. [`Machine::control_key`] and
//! [`Machine::memory_change`] tell whether two runs are in the same state except for marked slots. Together
//! these suffice to know that a run will end as another did.

use crate::choices::slots::Choice;
use crate::choices::{ChoiceSet, MARKS};
use crate::code::Op;
use crate::exit::Trap;
use crate::machine::Machine;
use crate::memory::Addr;

/// A comparison of references with a hole on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The other side.
    pub other: Addr,
    /// The index of the instruction at which the run continues if they differ.
    target: u32,
    /// Tells this place in code from all others.
    pub site: (u32, u32),
}

impl Machine {
    /// The marks of slots that have been read since the last call.
    pub fn take_reads(&mut self) -> ChoiceSet {
        self.choices.take_reads()
    }

    /// Whether the slot at this byte address is a hole.
    pub fn is_hole(&self, byte: u64) -> bool {
        self.choices.get(byte) == Choice::Hole
    }

    /// The byte address of the hole at which the last run stopped, if it stopped at one.
    pub fn take_hole(&mut self) -> Option<u64> {
        self.choices.take_hole()
    }

    /// Stops the run at a hole.
    #[cold]
    pub(crate) fn meet_hole(&mut self, byte: u64) -> Trap {
        self.choices.stop_at(byte);
        Trap::unsupported(String::new())
    }

    /// Makes the slot of `size` bytes at this byte address a hole.
    pub fn dig(&mut self, byte: u64, size: u32) {
        self.shadows.flag(byte);
        self.choices.set(byte, size, Choice::Hole);
    }

    /// Marks the slot of `size` bytes at this byte address, below [`MARKS`].
    pub fn mark_chosen(&mut self, byte: u64, size: u32, mark: u32) {
        self.shadows.flag(byte);
        self.choices.set(byte, size, Choice::Marked(mark.min(MARKS - 1)));
    }

    /// The comparison that is the only reason why the stopped run reads a field, if there is one.
    pub fn hole_comparison(&self) -> Option<Comparison> {
        let frame = self.registers.frames.last()?;
        let at = frame.pc as usize;
        let op = |at: usize| frame.code.insns.get(at).map(|it| it.op.get());
        // The operands below the reference.
        let below = match op(at)? {
            Op::GetField1 => frame.base + frame.code.insns[at].top.checked_sub(2)?,
            Op::GetStatic1 => frame.base + frame.code.insns[at].top.checked_sub(1)?,
            _ => return None,
        };
        let slot = |at: u32| self.stack.get(at) as Addr;
        let (jump, other) = match op(at + 1)? {
            Op::IfNull | Op::IfNonNull => (at + 1, 0),
            Op::IfACmpEq | Op::IfACmpNe => (at + 1, slot(below)),
            Op::Load1 if matches!(op(at + 2)?, Op::IfACmpEq | Op::IfACmpNe) => {
                (at + 2, slot(frame.base + u32::from(frame.code.insns[at + 1].a.get())))
            }
            _ => return None,
        };
        let jumps = matches!(op(jump)?, Op::IfNonNull | Op::IfACmpNe);
        let target = if jumps { frame.code.insns[jump].b.get() as u32 } else { jump as u32 + 1 };
        Some(Comparison { other, target, site: (frame.code.method.0, frame.pc) })
    }

    /// Continues after a comparison as if its sides differ; false if the fuel is used up.
    pub fn pass_comparison(&mut self, comparison: &Comparison) -> bool {
        let Some(frame) = self.registers.frames.last_mut() else { return false };
        let is_backward = comparison.target <= frame.pc;
        frame.pc = comparison.target;
        frame.sp = frame.base + frame.code.insns[comparison.target as usize].top;
        if is_backward {
            self.registers.fuel = self.registers.fuel.saturating_sub(1).max(1);
        }
        !is_backward || self.fuel() > 1
    }

    /// Where the run is: a method and an index of its instructions.
    pub fn place_in_code(&self) -> (u32, u32) {
        self.registers.frames.last().map_or((0, 0), |it| (it.code.method.0, it.pc))
    }

    /// A hash that identifies the frames and their contents.
    pub fn control_key(&self) -> u128 {
        let registers = &self.registers;
        let mut key = mix(u64::from(registers.next_hash), registers.frames.len() as u64);
        let mut add = |at: u64, it: u64| key = key.rotate_left(1).wrapping_add(mix(at, it));
        for (at, frame) in registers.frames.iter().enumerate() {
            add(u64::from(frame.code.method.0), u64::from(frame.pc));
            let end = frame.sp.max(frame.base + frame.code.max_locals as u32);
            let end = registers.frames.get(at + 1).map_or(end, |next| end.min(next.base));
            for slot in frame.base..end {
                add(u64::from(slot), self.stack.get(slot));
            }
        }
        key
    }

    /// A sum that changes with each word written since the last snapshot, except for holes and marked slots.
    /// States with different sums differ.
    pub fn memory_change(&self) -> u128 {
        let mut sum = 0u128;
        self.memory.each_change(|at, old, new| {
            let kept = !self.choices.bits(u64::from(at) * 8);
            let at = u64::from(at);
            sum = sum.wrapping_sub(mix(at, old & kept)).wrapping_add(mix(at, new & kept));
        });
        sum
    }
}

/// A hash of a word's address and value; it is zero for the value zero, since memory is zero initially.
fn mix(at: u64, value: u64) -> u128 {
    if value == 0 {
        return 0;
    }
    let half = |seed: u64| {
        let mut z =
            (value ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(at.wrapping_mul(seed | 1));
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    u128::from(half(0x243F_6A88_85A3_08D3)) << 64 | u128::from(half(0xA409_3822_299F_31D0))
}
