//! Places at which a run pauses before the instruction: its caller can inspect the state there, fork it, and
//! let the run continue, unchanged or with another body of the method.
//!
//! The places are determined when a method is decoded; whether a run pauses at one can be changed at any time.
//! Neither is state.

use crate::classes::MethodId;
use crate::code::Code;
use crate::exit::Step;
use crate::machine::Machine;
use crate::recording::probes;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

impl Machine {
    /// From the next call on, a run that begins one of these instructions of a method, given by offset, pauses
    /// with [`Halt::Arrived`](crate::Halt::Arrived) and the number of the place, if that is armed
    /// ([`Machine::arm`]). Running again continues with the instruction. An instruction that is repeated
    /// because a static initialiser had to run first counts as one arrival.
    pub fn pause_at(&mut self, class: &Arc<str>, method: usize, places: BTreeMap<u32, u32>) {
        self.plans.set_places(class, method, places);
        let Some(loaded) = self.classes.names.get(class) else { return };
        let methods = self.class(loaded).methods.iter().copied();
        let known: Vec<MethodId> = methods.filter(|id| self.method(*id).index == method).collect();
        known.into_iter().for_each(|id| probes::decode_method_again(self, id));
    }

    /// Says whether runs pause at a place, by its number.
    pub fn arm(&mut self, place: u32, is_armed: bool) {
        self.plans.arm(place, is_armed);
    }

    /// Says whether runs pause at armed places at all.
    pub fn set_pausing(&mut self, is_pausing: bool) {
        self.plans.set_pausing(is_pausing);
    }

    /// The operands of the innermost frame, slot by slot, the top last. For a `long` or `double`, the first
    /// slot holds the value, and the second one is undefined.
    pub fn operands(&self) -> Vec<u64> {
        let Some(frame) = self.registers.frames.last() else { return Vec::new() };
        (frame.base + u32::from(frame.code.max_locals)..frame.sp).map(|slot| self.stack.get(slot)).collect()
    }

    /// The word in a local variable of the innermost frame.
    pub fn local_word(&self, local: u16) -> Option<u64> {
        let frame = self.registers.frames.last().filter(|frame| local < frame.code.max_locals)?;
        Some(self.stack.get(frame.base + u32::from(local)))
    }

    /// Whether a thread that waits is in this method.
    pub fn is_in_waiting_thread(&self, method: MethodId) -> bool {
        let waiting = self.registers.cold.stopped.iter();
        waiting.flat_map(|thread| &thread.frames).any(|frame| frame.code.method == method)
    }

    /// Lets the running invocations of a method on the current thread continue in its present body
    /// ([`Machine::replace_code`]), at other offsets: `addresses` maps the offsets of the old body, and its
    /// length. The innermost frame begins the instruction at its offset; a frame that waits for a call is at
    /// the end of the code that has replaced the call.
    ///
    /// # Errors
    ///
    /// The body cannot be decoded.
    pub fn move_frames(&mut self, method: MethodId, addresses: &BTreeMap<u32, u32>) -> Step<bool> {
        let Some(code) = self.code(method)? else { return Ok(false) };
        let innermost = self.registers.frames.len().saturating_sub(1);
        let mut moved = Vec::new();
        for (at, frame) in self.registers.frames.iter().enumerate() {
            if frame.code.method != method || frame.code.max_locals != code.max_locals {
                continue;
            }
            let Some(pc) = moved_to(&frame.code, frame.pc, &code, addresses, at == innermost) else {
                return Ok(false);
            };
            moved.push((at, pc));
        }
        for (at, pc) in moved {
            let frame = &mut self.registers.frames[at];
            frame.code = Rc::clone(&code);
            frame.pc = pc;
        }
        Ok(true)
    }
}

/// The index in one body that corresponds to an index in another.
fn moved_to(from: &Code, pc: u32, to: &Code, addresses: &BTreeMap<u32, u32>, begins: bool) -> Option<u32> {
    let offset = *from.offsets.get(pc as usize)?;
    let index = |address: u32| to.offsets.iter().position(|it| *it == address).map(|it| it as u32);
    if begins {
        return index(*addresses.get(&offset)?);
    }
    let next = addresses.range(offset + 1..).next()?.1;
    index(*next)?.checked_sub(1)
}
