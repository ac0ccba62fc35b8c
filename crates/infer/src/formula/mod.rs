//! Formulas: claims about executions, the components of likely specifications.
//!
//! Each kind of formula is one file, which implements [`FormulaKind`], and one row in the table below. Outside of
//! this folder, no match over the kinds has a catch-all arm; `tests/formula_table.rs` checks that.

mod any;
mod bits;
mod class;
mod compare;
mod comparison;
mod distinct;
mod element_comparison;
mod frame;
mod iff;
mod implies;
mod json;
mod kind;
mod member;
mod modulus;
mod not;
mod one_of;
mod pairwise;
#[cfg(test)]
#[path = "tests/permutation.rs"]
mod permutation;
mod prefix;
mod sortedness;
mod string_shape;
mod subset;

#[cfg(test)]
mod tests;

pub use any::Any;
pub use bits::Bits;
pub use class::Class;
pub use compare::Compare;
pub use comparison::Comparison;
pub use distinct::Distinct;
pub use element_comparison::ElementComparison;
pub use frame::Frame;
pub use iff::Iff;
pub use implies::Implies;
pub use kind::{FormulaKind, RecordedKind, Tie};
pub use member::Member;
pub use modulus::Modulus;
pub use not::Not;
pub use one_of::OneOf;
pub use pairwise::Pairwise;
#[cfg(test)]
pub use permutation::Permutation;
pub use prefix::Prefix;
pub use sortedness::Sortedness;
pub use string_shape::{Shape, StringShape};
pub use subset::Subset;

use crate::json::Fields;
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;
use std::fmt;

/// Reads a formula of one kind from the fields of its JSON object.
type FormulaReader = fn(&Fields<'_>) -> Result<Formula, String>;

/// Declares [`Formula`] from the table of kinds.
macro_rules! table {
    ($($(#[doc = $about:literal])* $(#[cfg($when:meta)])? $kind:ident,)*) => {
        /// A claim about an execution.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Formula {
            $($(#[doc = $about])* $(#[cfg($when)])? $kind($kind),)*
        }

        $($(#[cfg($when)])? impl From<$kind> for Formula {
            fn from(kind: $kind) -> Formula {
                Formula::$kind(kind)
            }
        })*

        impl Formula {
            /// The kinds by the names that recorded specifications have for them.
            pub(crate) const READERS: &[(&'static str, FormulaReader)] =
                &[$($(#[cfg($when)])? ($kind::NAME, |fields| Ok($kind::read(fields)?.into())),)*];

            /// The formula as its kind.
            pub fn kind(&self) -> &dyn FormulaKind {
                match self {
                    $($(#[cfg($when)])? Formula::$kind(kind) => kind,)*
                }
            }

            /// The name that recorded specifications have for its kind.
            pub fn name(&self) -> &'static str {
                match self {
                    $($(#[cfg($when)])? Formula::$kind(_) => $kind::NAME,)*
                }
            }
        }
    };
}

table! {
    /// Two values compare in one way.
    Compare,
    /// A value is one of a few.
    OneOf,
    /// A number has a remainder.
    Modulus,
    /// Some bits of a number are fixed.
    Bits,
    /// Elements are in order.
    Sortedness,
    /// No element occurs twice.
    Distinct,
    /// A value is an element.
    Member,
    /// All elements of one sequence are elements of another.
    Subset,
    /// Each element compares in one way with a value.
    ElementComparison,
    /// Elements at equal indices compare in one way.
    Pairwise,
    /// One sequence begins with another.
    Prefix,
    /// Two sequences are equal except perhaps at one index.
    Frame,
    /// A string has a shape.
    StringShape,
    /// An object is of one class.
    Class,
    /// One formula holds where another does.
    Implies,
    /// Two formulas hold of the same executions.
    Iff,
    /// A formula does not hold.
    Not,
    /// At least one formula holds.
    Any,
    /// One sequence has the elements of another: the row that the walk-through in `CONTRIBUTING.md` adds.
    #[cfg(test)]
    Permutation,
}

impl Formula {
    /// `left comparison right`.
    pub fn compare(left: Term, comparison: Comparison, right: Term) -> Formula {
        Compare { left, comparison, right }.into()
    }

    /// `left == right`.
    pub fn equal(left: Term, right: Term) -> Formula {
        Formula::compare(left, Comparison::Equal, right)
    }

    /// `condition ==> consequence`.
    pub fn implies(condition: Formula, consequence: Formula) -> Formula {
        Implies { condition: Box::new(condition), consequence: Box::new(consequence) }.into()
    }

    /// `(left) == (right)`.
    pub fn iff(left: Formula, right: Formula) -> Formula {
        Iff { left: Box::new(left), right: Box::new(right) }.into()
    }

    /// Whether it holds for an execution; `None` if a value that it needs is absent.
    pub fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        self.kind().holds(execution, phase)
    }

    /// The terms in it.
    pub fn terms(&self) -> Vec<&Term> {
        self.kind().terms()
    }

    /// The formula with its terms replaced.
    pub fn map(&self, to: &dyn Fn(&Term) -> Term) -> Formula {
        self.kind().rebuilt(to, &|part| part.map(to))
    }

    /// A formula that holds exactly where this one does not.
    pub fn negation(&self) -> Formula {
        self.kind().negation()
    }

    /// Whether a term in it, or a part of one, satisfies a predicate.
    pub fn any(&self, mut is: impl FnMut(&Term) -> bool) -> bool {
        self.terms().into_iter().any(|it| it.any(&mut is))
    }

    /// The number of parts of its terms: formulas with fewer are easier to read.
    pub fn size(&self) -> usize {
        self.terms().into_iter().map(Term::size).sum()
    }

    /// The sides, if it is an equality.
    pub fn as_equality(&self) -> Option<(&Term, &Term)> {
        match self.as_compare()? {
            Compare { left, comparison: Comparison::Equal, right } => Some((left, right)),
            Compare { .. } => None,
        }
    }

    /// The comparison, if it is one.
    pub fn as_compare(&self) -> Option<&Compare> {
        if let Formula::Compare(compare) = self { Some(compare) } else { None }
    }

    /// The term and the truth value that this formula states for it.
    pub fn as_truth(&self) -> Option<(&Term, bool)> {
        match self.as_equality()? {
            (term, Term::Constant(Value::Bool(truth))) => Some((term, *truth)),
            _ => None,
        }
    }

    /// The term that a call leaves unchanged, if the formula states that.
    pub fn as_unchanged(&self) -> Option<&Term> {
        match self.as_equality()? {
            (term, Term::Old(old)) if **old == *term => Some(term),
            _ => None,
        }
    }

    /// The alternatives, one of which is enough: those of a disjunction, or the formula itself.
    pub fn alternatives(&self) -> Vec<&Formula> {
        if let Formula::Any(any) = self { any.alternatives.iter().collect() } else { vec![self] }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind().text())
    }
}
