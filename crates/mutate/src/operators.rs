//! The mutation operators, one per file.

mod arithmetic;
mod bounds;
mod calls;
mod conditions;
mod operator;
mod returns;

pub use operator::{Operator, Replacement, Site};

/// All operators, in the order of reports.
pub const ALL: &[Operator] =
    &[conditions::OPERATOR, bounds::OPERATOR, arithmetic::OPERATOR, calls::OPERATOR, returns::OPERATOR];
