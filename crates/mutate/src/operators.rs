//! The mutation operators, one per file.

mod arguments;
mod arithmetic;
mod bounds;
mod calls;
mod conditions;
mod constant_results;
mod constants;
mod decisions;
mod field_stores;
mod handlers;
mod increments;
mod invocation;
mod operator;
mod propagation;
mod results;
mod returns;
mod strings;
mod switches;

pub use operator::{Change, Operator, Piece, Replacement, Site};
pub use strings::Strings;

/// All operators, in the order of reports.
pub const ALL: &[Operator] = &[
    conditions::OPERATOR,
    bounds::OPERATOR,
    arithmetic::OPERATOR,
    calls::OPERATOR,
    returns::OPERATOR,
    constant_results::OPERATOR,
    constants::OPERATOR,
    decisions::OPERATOR,
    switches::OPERATOR,
    field_stores::OPERATOR,
    propagation::OPERATOR,
    arguments::OPERATOR,
    handlers::OPERATOR,
    results::OPERATOR,
    increments::OPERATOR,
];
