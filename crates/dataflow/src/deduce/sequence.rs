//! Deduced sequences, and their outcomes when they are run.

use cupping_term::{Model, VarIndex};

/// The kind of a method that a sequence may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallableKind {
    /// It creates an object of the class.
    Constructor,
    /// It is called on an object.
    OnObject,
    /// It needs no object.
    Static,
}

/// A call of a deduced sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeducedCall {
    /// The summary of the called method.
    pub summary: usize,
    /// The relevant variables of its parameters, and of array lengths.
    pub parameters: Vec<(Option<VarIndex>, Option<VarIndex>)>,
}

/// A deduced sequence.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// The calls in order.
    pub calls: Vec<DeducedCall>,
    /// Parameter values for which it exercises the pair.
    pub model: Model,
}

/// The outcome of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceOutcome {
    /// It exercises the pair.
    Exercised,
    /// It does not.
    Missed,
    /// It does not, and the work of this turn is spent.
    MissedLast,
    /// It does not, as an earlier run has shown.
    Known,
}
