//! The candidate values of an expression.

use crate::logic::{Formula, Number, Rel, Size};
use crate::types::Type;

/// A candidate value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Rel(Rel, Type, Size),
    Formula(Formula),
    /// The flag says that it is a literal, which may also denote a set.
    Number(Number, bool),
}
