//! Likely specifications: the clauses of program points, and when methods throw.

use crate::formula::Formula;
use crate::program_point::ProgramPoint;

/// A likely specification of a program point.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Where.
    pub point: ProgramPoint,
    /// What.
    pub formula: Formula,
    /// The template that found it.
    pub template: String,
    /// How many executions it held of.
    pub samples: usize,
}

/// All that is likely of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Specification {
    /// Preconditions, postconditions and invariants.
    pub clauses: Vec<Clause>,
    /// When methods throw what.
    pub throws: Vec<ThrowsClause>,
}

/// What a method throws and when.
#[derive(Clone, Debug, PartialEq)]
pub struct ThrowsClause {
    /// The method.
    pub method: String,
    /// Internal name of the exception's class.
    pub class: String,
    /// Under this condition at entry it is always thrown.
    pub condition: Formula,
    /// Whether it is thrown under no other.
    pub exact: bool,
    /// Whether the method declares it.
    pub declared: bool,
    /// How many executions threw it.
    pub samples: usize,
}
