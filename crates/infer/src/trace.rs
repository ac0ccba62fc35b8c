//! Executions of methods: the states at entry and at exit.

use crate::sequence::CallSequence;
use crate::value::{Moment, Value};
use cupping_case::Effects;
use std::rc::Rc;

/// A side of a call: its entry or its exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// At entry.
    Before,
    /// At exit.
    After,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum CallOutcome {
    /// It returned this value, [`Value::Absent`] if the method is `void`.
    Returned(Value),
    /// It threw.
    Threw {
        /// Internal name of the class of the exception.
        class: Rc<str>,
        /// Whether the method declares it or a superclass.
        declared: bool,
    },
}

/// The source of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExecutionOrigin {
    /// A test of the user or of `generate`.
    Suite,
    /// A step of the exploration between numbered states.
    Explored {
        /// The state before the call; `None` without a receiver.
        from: Option<u32>,
        /// The state after it.
        to: Option<u32>,
    },
}

impl ExecutionOrigin {
    /// The state that it led to.
    pub fn to(self) -> Option<u32> {
        match self {
            ExecutionOrigin::Explored { to, .. } => to,
            ExecutionOrigin::Suite => None,
        }
    }
}

/// An execution of a method.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The index of the method in the class.
    pub method: usize,
    /// At entry.
    pub entry: Moment,
    /// At exit.
    pub exit: Moment,
    /// How it ended.
    pub ending: CallOutcome,
    /// Its source.
    pub origin: ExecutionOrigin,
    /// The sequence that led to it, if it is known.
    pub test: Option<Rc<CallSequence>>,
    /// Effects on the world outside the heap, up to its end.
    pub effects: Effects,
}

impl Execution {
    /// The state before or after the call.
    pub fn moment(&self, phase: Phase) -> &Moment {
        match phase {
            Phase::Before => &self.entry,
            Phase::After => &self.exit,
        }
    }

    /// What it returned.
    pub fn result(&self) -> Option<&Value> {
        match &self.ending {
            CallOutcome::Returned(value) => Some(value),
            CallOutcome::Threw { .. } => None,
        }
    }
}
