//! Conditions that only read, evaluated without a fork.
//!
//! Most conditions compare numbers and look into fields. [`Reader`] evaluates those by itself: it knows the instructions that
//! change nothing, and gives up at the first that it does not know, at whatever would throw, at classes that are not
//! initialised, and when it takes long. As it has not written anything by then, the condition is then asked on a fork as if
//! nothing had been. What comes to its end here is what the machine would have found.
//!
//! [`compile`] makes [`Reading`]s of methods, [`run`] evaluates them, [`plain`] is arithmetic.

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

/// An instruction; places are indices of instructions.
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
    /// A jump; backward, if it counts.
    Jump(Test, usize, bool),
    Table(Box<(i32, Vec<usize>, usize)>),
    Lookup(Box<(Vec<(i32, usize)>, usize)>),
    Field(u32, bool),
    /// A static field of a class that must be initialised.
    Static(ClassId, std::sync::Arc<str>, bool),
    InstanceOf(ClassId),
    Cast(ClassId),
    /// A call of this method; whether the receiver's class decides.
    Call(MethodId, u32, Dispatch),
    Return(Kind),
    /// Anything else.
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

/// A method, made ready to be evaluated.
#[derive(Debug)]
pub(crate) struct Reading {
    ops: Vec<Op>,
    /// Slots of locals, and of locals and stack together.
    locals: usize,
    slots: usize,
    parameters: Vec<Kind>,
}

impl Reading {
    /// How many arguments it takes, the receiver included.
    pub(crate) fn parameters(&self) -> usize {
        self.parameters.len()
    }
}

/// Slots of all calls of one condition together.
const SLOTS: usize = 4096;
/// Calls within each other.
const DEEPEST: usize = 24;
/// Calls and backward jumps of one condition.
const MOST_STEPS: u32 = 2_000;

/// Evaluates conditions that only read.
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
    /// The method as it is evaluated; `None` if it cannot be.
    pub(crate) fn reading(&mut self, machine: &mut Machine, method: MethodId) -> Option<Rc<Reading>> {
        if let Some(known) = self.readings.get(&method) {
            return known.clone();
        }
        let reading = compile::reading(machine, method).map(Rc::new);
        // It may be initialised later.
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

    /// Calls and backward jumps that the last one made.
    pub(crate) fn steps(&self) -> u64 {
        u64::from(MOST_STEPS - self.steps)
    }
}
