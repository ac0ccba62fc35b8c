//! Likely specifications: clauses of program points, and throws clauses of methods.

use crate::formula::Formula;
use crate::program_point::ProgramPoint;

/// A likely precondition, postcondition or invariant.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The program point.
    pub point: ProgramPoint,
    /// The claim.
    pub formula: Formula,
    /// The template that found it.
    pub template: String,
    /// The number of executions of which it held.
    pub samples: usize,
}

/// The likely specification of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Specification {
    /// Preconditions, postconditions and invariants.
    pub clauses: Vec<Clause>,
    /// When methods throw.
    pub throws: Vec<ThrowsClause>,
}

/// When a method throws an exception.
#[derive(Clone, Debug, PartialEq)]
pub struct ThrowsClause {
    /// The method.
    pub method: String,
    /// Internal name of the exception's class.
    pub class: String,
    /// The condition at entry under which it is always thrown.
    pub condition: Formula,
    /// Whether it is thrown under no other condition.
    pub exact: bool,
    /// Whether the method declares it.
    pub declared: bool,
    /// The number of executions that threw it.
    pub samples: usize,
}
