//! Paths of methods, with the facts that hold at their ends.

use cupping_machine::MethodId;
use cupping_term::{TermId, VarIndex};
use std::rc::Rc;

/// A definition or use along a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The accesses: one that takes place, or several, each of which may take place any number of times.
    pub accesses: Rc<[usize]>,
    /// Whether it is one that takes place.
    pub is_certain: bool,
    /// Conjuncts of the path's condition so far.
    pub conditions: usize,
}

/// How a path ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// The method returns.
    Returned(Option<TermId>),
    /// It throws.
    Threw,
    /// Its end is unknown: too many paths.
    Open,
}

/// One path through a method.
#[derive(Clone, Debug)]
pub struct Path {
    /// The conjuncts under which it is taken.
    pub condition: Vec<TermId>,
    /// Variables with a new value, and the value.
    pub after: Vec<(VarIndex, TermId)>,
    /// Definitions and uses, in order.
    pub events: Vec<Event>,
    /// How it ends.
    pub end: PathEnd,
    /// Whether nothing on it was left unknown.
    pub is_exact: bool,
}

/// The path summary of a method that a sequence may call.
#[derive(Clone, Debug)]
pub struct MethodSummary {
    /// The method.
    pub method: MethodId,
    /// The variable of each parameter, and of its length for arrays.
    pub parameters: Vec<(VarIndex, Option<VarIndex>)>,
    /// Its paths.
    pub paths: Vec<Path>,
    /// Readable notes on what was not followed to its end.
    pub open: Vec<String>,
    /// Whether it stands for all code that may run between calls, rather than for the method.
    pub is_deferred: bool,
}
