//! Boolean circuits, matrices of them, and order-encoded integers.

pub(crate) mod circuit;
pub(crate) mod cnf;
pub(crate) mod matrix;
pub(crate) mod number;
#[cfg(test)]
mod tests;
