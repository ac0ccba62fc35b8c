//! Bit-blasting: from terms to gates, to clauses, to a SAT solver.

mod arith;
mod blast;
mod circuit;
mod float;

pub(crate) use blast::{BlastResult, solve};
