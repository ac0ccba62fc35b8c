//! Bit-blasting: terms to gates, gates to clauses, clauses to a SAT solver.

mod arith;
mod blast;
mod circuit;
mod float;

pub(crate) use blast::{Blasted, solve};
