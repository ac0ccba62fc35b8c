//! Booleans: circuits, matrices of them, and integers in order encoding.

pub(crate) mod circuit;
pub(crate) mod cnf;
pub(crate) mod matrix;
pub(crate) mod number;
