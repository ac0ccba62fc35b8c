//! Evaluates read-only conditions without a fork.
//!
//! Most conditions compare numbers and read fields. [`ConditionReader`] evaluates these directly. It gives up at the
//! first instruction that is not known to be read-only, at anything that would throw, at classes that are not
//! initialised, and after a limited number of steps. Nothing has been written by then, so the caller
//! evaluates the condition on a fork instead. A result obtained here is the one that the machine would
//! compute.
//!
//! [`compile`] translates methods into [`TranslatedMethod`]s, [`run`] evaluates them, and [`stack_instruction`] holds
//! the arithmetic.

mod compile;
mod run;
mod stack_instruction;
#[cfg(test)]
mod tests;
mod translated_method;

use cupping_machine::{Machine, MethodId, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub(crate) use translated_method::TranslatedMethod;

/// Limit on the slots of all nested calls of one condition.
const SLOTS: usize = 4096;
/// Limit on nested calls.
const DEEPEST: usize = 24;
/// Limit on the calls and backward jumps of one condition.
const MOST_STEPS: u32 = 2_000;

/// Evaluates read-only conditions.
pub(crate) struct ConditionReader {
    readings: FxHashMap<MethodId, Option<Rc<TranslatedMethod>>>,
    slots: Box<[u64]>,
    steps: u32,
}

impl Default for ConditionReader {
    fn default() -> ConditionReader {
        ConditionReader { readings: FxHashMap::default(), slots: vec![0; SLOTS].into(), steps: 0 }
    }
}

impl ConditionReader {
    /// The translated method; `None` if it cannot be evaluated by reading.
    pub(crate) fn reading(
        &mut self,
        machine: &mut Machine,
        method: MethodId,
    ) -> Option<Rc<TranslatedMethod>> {
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
        reading: &TranslatedMethod,
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
