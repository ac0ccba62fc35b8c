//! Executions of methods: what was there at entry, and what at exit.

use crate::sequence::Test;
use crate::value::{Moment, Value};
use cupping_case::Effects;
use std::rc::Rc;

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// It returned this; nothing if it is `void`.
    Returned(Value),
    /// It threw.
    Threw {
        /// Internal name of the class of the exception.
        class: Rc<str>,
        /// Whether the method declares it, or a superclass of it.
        declared: bool,
    },
}

/// Where an execution was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// In a test that the user has, or one that `generate` made.
    Suite,
    /// In the exploration, from a state to another, by number.
    Explored {
        /// The state before the call; `None` where there is no receiver.
        from: Option<u32>,
        /// The state after it.
        to: Option<u32>,
    },
}

/// An execution of a method.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Which of the methods of the class.
    pub method: usize,
    /// At entry.
    pub entry: Moment,
    /// At exit.
    pub exit: Moment,
    /// How it ended.
    pub ending: Ending,
    /// Where it was seen.
    pub origin: Origin,
    /// The calls that lead to it and it itself, where they are known.
    pub test: Option<Rc<Test>>,
    /// What had been done to the world outside the heap when it ended.
    pub effects: Effects,
}

impl Execution {
    /// What it returned.
    pub fn result(&self) -> Option<&Value> {
        match &self.ending {
            Ending::Returned(value) => Some(value),
            Ending::Threw { .. } => None,
        }
    }
}
