//! Which instruction pushed each operand: one abstract run over a method, as HotSpot performs it.
//!
//! The abstract interpreter executes the instructions; an abstract value is the pc of the instruction that
//! pushed an operand. The order is HotSpot's: instructions are visited in code order until each reachable one
//! has been seen. Where paths meet, an operand with different sources has none.

use cupping_classfile::interpreter::{Domain, Frame, FrameMismatch, Site, join_frames, step};
use cupping_classfile::{ClassFile, Code, Instruction, StackType, instructions};
use std::collections::BTreeMap;

/// An operand whose source is not one instruction.
const UNKNOWN: u32 = u32::MAX;
/// Number of local variables whose writes are tracked; others count as written.
const TRACKED_LOCALS: u16 = 64;
/// Limit on the work, in copied operands; longer methods get no message.
const MAX_OPERANDS: usize = 1_000_000;

/// What is known before an instruction.
#[derive(Clone, Default)]
pub(super) struct OperandSources {
    /// The pc that pushed each operand; local variables are not tracked here.
    frame: Frame<u32>,
    /// The local variables that may have been written, a bit each.
    written: u64,
}

impl OperandSources {
    /// The pc that pushed the slot at this depth below the top.
    pub(super) fn operand(&self, depth: usize) -> Option<u32> {
        let at = self.frame.stack.len().checked_sub(depth + 1)?;
        self.frame.stack[at].filter(|pc| *pc != UNKNOWN)
    }

    /// Whether a local variable may hold a value other than on entry.
    pub(super) fn was_written(&self, slot: u16) -> bool {
        slot >= TRACKED_LOCALS || self.written >> slot & 1 != 0
    }

    fn merge(&mut self, other: &OperandSources) {
        self.written |= other.written;
        let mut domain = Origins { written: &mut 0 };
        // Stacks of different heights do not pass the verifier.
        let _ = join_frames(&mut domain, &mut self.frame, &other.frame);
    }
}

/// The domain of the pcs that pushed operands.
struct Origins<'s> {
    written: &'s mut u64,
}

impl Origins<'_> {
    fn write(&mut self, slot: u16, slots: u16) {
        for slot in slot..slot.saturating_add(slots).min(TRACKED_LOCALS) {
            *self.written |= 1 << slot;
        }
    }
}

impl Domain for Origins<'_> {
    type Value = u32;
    type Refusal = FrameMismatch;

    fn unknown(&mut self, site: &Site<'_>, _: StackType) -> Result<u32, FrameMismatch> {
        Ok(site.instruction.pc)
    }

    fn load(&mut self, site: &Site<'_>, _: u16, _: Option<&u32>) -> Result<u32, FrameMismatch> {
        Ok(site.instruction.pc)
    }

    fn store(&mut self, site: &Site<'_>, local: u16, _: u32) -> Result<Option<u32>, FrameMismatch> {
        self.write(local, site.instruction.stack_type().ok_or(FrameMismatch)?.slots());
        Ok(None)
    }

    fn increment(
        &mut self,
        _: &Site<'_>,
        local: u16,
        _: Option<&u32>,
        _: i32,
    ) -> Result<Option<u32>, FrameMismatch> {
        self.write(local, 1);
        Ok(None)
    }

    fn join(&mut self, _: Option<&u32>, _: Option<&u32>) -> Option<u32> {
        Some(UNKNOWN)
    }
}

/// What is known before each instruction of a method.
pub(super) struct Sources {
    instructions: Vec<Instruction>,
    states: BTreeMap<u32, OperandSources>,
}

impl Sources {
    /// Runs over the method until the instruction at `wanted` is known; `None` if its code is malformed.
    pub(super) fn new(file: &ClassFile, code: &Code, wanted: u32) -> Option<Sources> {
        let instructions: Vec<Instruction> = instructions(&code.bytecode).collect::<Result<_, _>>().ok()?;
        let mut states = BTreeMap::from([(0, OperandSources::default())]);
        for handler in &code.exception_table {
            let pc = u32::from(handler.handler);
            let frame = Frame { locals: Vec::new(), stack: vec![Some(pc)] };
            states.entry(pc).or_insert(OperandSources { frame, written: 0 });
        }
        let mut sources = Sources { instructions, states };
        let mut work = 0;
        loop {
            let known = sources.states.len();
            for index in 0..sources.instructions.len() {
                let pc = sources.instructions[index].pc;
                if pc == wanted && sources.states.contains_key(&pc) {
                    return Some(sources);
                }
                work += sources.pass(file, index)?;
                if work > MAX_OPERANDS {
                    return None;
                }
            }
            if sources.states.len() == known {
                return Some(sources);
            }
        }
    }

    /// What is known before the instruction at `pc`.
    pub(super) fn at(&self, pc: u32) -> Option<&OperandSources> {
        self.states.get(&pc)
    }

    /// The instruction at `pc`.
    pub(super) fn instruction(&self, pc: u32) -> Option<&Instruction> {
        let at = self.instructions.binary_search_by_key(&pc, |i| i.pc).ok()?;
        self.instructions.get(at)
    }

    /// The instruction that writes a local variable, if there is one alone.
    pub(super) fn only_store(&self, slot: u16) -> Option<u32> {
        let is_store = |it: &&Instruction| {
            it.stored_local().is_some_and(|(first, slots)| (first..first + slots).contains(&slot))
        };
        let mut stores = self.instructions.iter().filter(is_store);
        let only = stores.next()?.pc;
        stores.next().is_none().then_some(only)
    }

    /// Propagates the state after an instruction to its successors; returns the work.
    fn pass(&mut self, file: &ClassFile, index: usize) -> Option<usize> {
        let instruction = &self.instructions[index];
        let Some(mut state) = self.states.get(&instruction.pc).cloned() else { return Some(0) };
        let site = Site { class: file, instruction, index };
        step(&mut Origins { written: &mut state.written }, &mut state.frame, &site).ok()?;
        let behind = (!instruction.opcode.ends_path()).then(|| instruction.next_pc());
        for target in instruction.targets().into_iter().chain(behind) {
            match self.states.get_mut(&target) {
                Some(known) => known.merge(&state),
                None => {
                    self.states.insert(target, state.clone());
                }
            }
        }
        Some(state.frame.stack.len() + 1)
    }
}
