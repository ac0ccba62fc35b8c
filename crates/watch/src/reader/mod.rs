//! Evaluates read-only conditions without a fork.
//!
//! Most conditions compare numbers and read fields. [`Reader`] evaluates these directly. It gives up at the
//! first instruction that is not known to be read-only, at anything that would throw, at classes that are not
//! initialised, and after a limited number of steps. Nothing has been written by then, so the caller
//! evaluates the condition on a fork instead. A result obtained here is the one that the machine would
//! compute.
//!
//! [`compile`] translates methods into [`Reading`]s, [`run`] evaluates them, and [`plain`] holds the
//! arithmetic.

mod compile;
mod plain;
mod run;
#[cfg(test)]
mod tests;

use cupping_classfile::Comparison;
use cupping_machine::{ClassId, Kind, Machine, MethodId, Value};
use plain::Plain;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// An instruction. Jump targets are instruction indices.
#[derive(Clone, Debug)]
enum Op {
    /// A constant of one slot, or of two.
    Constant(u64),
    Wide(u64),
    Load(u32),
    LoadWide(u32),
    Store(u32),
    StoreWide(u32),
    Increment(u32, i32),
    /// An instruction that works on the stack alone.
    Plain(Plain),
    /// Reads an element of an array, or its length.
    Element,
    Length,
    /// A jump; the flag marks a backward jump.
    Jump(Test, usize, bool),
    Table(Box<(i32, Vec<usize>, usize)>),
    Lookup(Box<(Vec<(i32, usize)>, usize)>),
    Field(u32, bool),
    /// A static field of an initialised class.
    Static(ClassId, std::sync::Arc<str>, bool),
    InstanceOf(ClassId),
    Cast(ClassId),
    /// A call, with its number of argument slots and its dispatch.
    Call(MethodId, u32, Dispatch),
    Return(Kind),
    /// Any other instruction: evaluation gives up.
    Unknown,
}

/// Whether a jump is taken.
#[derive(Clone, Copy, Debug)]
enum Test {
    Always,
    /// An int compared with 0, or two ints.
    Int(Comparison),
    Ints(Comparison),
    /// A reference compared with `null`, or two references; whether they are to be equal.
    Null(bool),
    Same(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dispatch {
    Static,
    Direct,
    Virtual,
}

/// A method translated for evaluation.
#[derive(Debug)]
pub(crate) struct Reading {
    ops: Vec<Op>,
    /// Slots of the locals, and of locals and stack together.
    locals: usize,
    slots: usize,
    parameters: Vec<Kind>,
}

impl Reading {
    /// Number of arguments, including the receiver.
    pub(crate) fn parameters(&self) -> usize {
        self.parameters.len()
    }
}

/// Limit on the slots of all nested calls of one condition.
const SLOTS: usize = 4096;
/// Limit on nested calls.
const DEEPEST: usize = 24;
/// Limit on the calls and backward jumps of one condition.
const MOST_STEPS: u32 = 2_000;

/// Evaluates read-only conditions.
pub(crate) struct Reader {
    readings: FxHashMap<MethodId, Option<Rc<Reading>>>,
    slots: Box<[u64]>,
    steps: u32,
}

impl Default for Reader {
    fn default() -> Reader {
        Reader { readings: FxHashMap::default(), slots: vec![0; SLOTS].into(), steps: 0 }
    }
}

impl Reader {
    /// The translated method; `None` if it cannot be evaluated by reading.
    pub(crate) fn reading(&mut self, machine: &mut Machine, method: MethodId) -> Option<Rc<Reading>> {
        if let Some(known) = self.readings.get(&method) {
            return known.clone();
        }
        let reading = compile::reading(machine, method).map(Rc::new);
        // Otherwise the class may still be initialised later.
        if compile::is_ready(machine, method) {
            self.readings.insert(method, reading.clone());
        }
        reading
    }

    /// The result of a method for these arguments; `None` if it does more than read.
    pub(crate) fn value(
        &mut self,
        machine: &mut Machine,
        reading: &Reading,
        arguments: &[Value],
    ) -> Option<Value> {
        self.steps = MOST_STEPS;
        let mut at = 0;
        for (kind, value) in reading.parameters.iter().zip(arguments) {
            *self.slots.get_mut(at)? = value.bits;
            at += usize::from(kind.slots());
        }
        self.run(machine, reading).map(Value::concrete)
    }

    /// Calls and backward jumps of the last evaluation.
    pub(crate) fn steps(&self) -> u64 {
        u64::from(MOST_STEPS - self.steps)
    }
}
