//! Frames of methods under execution.

use crate::classes::ClassId;
use crate::code::Code;
use crate::memory::Addr;
use std::rc::Rc;

/// The reason for pushing a frame, which determines what its return does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// An invocation by the frame below, which receives the result.
    Call,
    /// An invocation from outside: returning ends the run.
    Entry,
    /// The static initialiser of a class: returning marks it initialised and runs the instruction below again.
    Initializer(ClassId),
    /// A class loader was asked for a class: returning records its answer and runs the instruction below again.
    Loading {
        /// Whether a class that is not found is a `NoClassDefFoundError`.
        linking: bool,
    },
    /// The method that a thread runs: returning ends the thread.
    Thread,
    /// A call whose result nobody wants.
    Discard,
    /// A call whose end is reported to the observer; otherwise like [`Purpose::Call`].
    Watched,
}

/// A method under execution.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its code.
    pub code: Rc<Code>,
    /// Index of the instruction under execution.
    pub pc: u32,
    /// First slot of its locals.
    pub base: u32,
    /// First free slot of its operand stack.
    pub sp: u32,
    /// Whether its slots may have shadows.
    pub symbolic: bool,
    /// Why it was pushed.
    pub purpose: Purpose,
    /// Whether an initialiser of a class is among it and its callers.
    pub is_initializing: bool,
    /// The object whose monitor a synchronized method holds; 0 for none.
    pub monitor: Addr,
    /// Distinguishes this invocation from every other on its path.
    pub serial: u32,
}
