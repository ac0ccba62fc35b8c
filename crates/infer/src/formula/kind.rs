//! The questions that every kind of formula answers.
//!
//! No method has a default: a new kind does not compile until it defines its meaning, its form in each notation, and
//! its part in inference. `None` stands for "this notation cannot express it".

use super::{Comparison, Formula};
use crate::assignment::Assignment;
use crate::json::{Fields, Json};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;
use std::fmt;

/// How closely a formula ties its terms to each other: a search for a counterexample follows the closest ties first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tie {
    /// It leaves both sides some freedom.
    Loose,
    /// One truth value determines the other.
    Equivalence,
    /// One value determines the other.
    Equality,
}

/// A kind of formula.
pub trait FormulaKind: fmt::Debug {
    // Meaning.

    /// Whether it holds for an execution; `None` if a value that it needs is absent.
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool>;

    /// The terms in it, those of its parts included.
    fn terms(&self) -> Vec<&Term>;

    /// The formulas that it is made of.
    fn parts(&self) -> Vec<&Formula>;

    /// The constants in it that are not terms.
    fn constants(&self) -> &[Value];

    /// The same formula with its own terms and its parts replaced.
    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, part: &dyn Fn(&Formula) -> Formula) -> Formula;

    /// A formula that holds exactly where this one does not.
    fn negation(&self) -> Formula;

    /// Its value as a term of the solver, in a state with symbolic arguments. Agrees with [`FormulaKind::holds`].
    ///
    /// # Errors
    ///
    /// A definite answer without a term: the state lacks a value that the formula needs, or the solver's terms
    /// cannot express it.
    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus>;

    // Notations.

    /// In the notation of the text output.
    fn text(&self) -> String;

    /// As a Java expression whose operands are known to exist. JML, assertions and contracts are based on it:
    /// [`java::Style`] describes their differences.
    fn java(&self, writer: &java::Writer<'_>) -> Option<String>;

    /// The terms that must not be `null` for the Java expression to be evaluated.
    fn dereferenced(&self) -> Vec<&Term>;

    /// As a condition of a contract. In contracts the state before a call may be a copy, so object identity across
    /// the call cannot be expressed.
    fn contract(&self, writer: &java::Writer<'_>) -> Option<String>;

    /// As a constraint in TestEra's notation.
    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String>;

    // Inference.

    /// Whether [`FormulaKind::truth`] supports it: it refers to numbers and truth values only.
    fn is_arithmetic(&self) -> bool;

    /// Its truth when its terms have these numbers.
    fn truth(&self, assignment: &Assignment<'_>) -> Option<bool>;

    /// How closely it ties its terms.
    fn tie(&self) -> Tie;

    /// Whether known formulas imply it in a way that numbers cannot decide.
    fn is_restated(&self, known: &[&Formula]) -> bool;

    /// A sequence that, by this formula, contains all elements of `part`; if `in_order`, begins with them.
    fn container_of(&self, part: &Term, in_order: bool) -> Option<&Term>;

    /// The bound that a term was observed to respect, if this formula is one.
    fn bound(&self) -> Option<(&Term, &Value)>;

    /// Whether it holds whatever its terms are.
    fn is_trivial(&self) -> bool;

    /// Whether it says too little about a part of the samples to be the consequence of an implication.
    fn is_incidental(&self) -> bool;

    // Recorded specifications.

    /// The fields of its JSON object, without `kind`.
    fn write(&self) -> Vec<(&'static str, Json)>;
}

/// A kind of formula that can be recorded in specification files.
pub trait RecordedKind: FormulaKind + Sized {
    /// The value of `kind`.
    const NAME: &'static str;

    /// Reads the fields that [`FormulaKind::write`] writes.
    ///
    /// # Errors
    ///
    /// A field that is missing or wrong, with its path.
    fn read(fields: &Fields<'_>) -> Result<Self, String>;
}

/// The comparison of neighbours in sorted elements.
pub(super) fn order_of(is_strict: bool, is_falling: bool) -> Comparison {
    match (is_falling, is_strict) {
        (false, true) => Comparison::Less,
        (false, false) => Comparison::AtMost,
        (true, true) => Comparison::Greater,
        (true, false) => Comparison::AtLeast,
    }
}
