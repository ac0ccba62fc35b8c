//! Source of tests: a small tree of statements and expressions, and its Java printer.
//!
//! The tree says what a test does (locals, calls, assertions, lambdas, arrays, literals), with names of classes as the
//! file calls them. It knows nothing of layout, nor of how a test framework calls its assertions. Another language is
//! another printer of the same tree.

mod assertj;
pub mod java;
pub mod layout;
pub mod literals;
pub mod tree;

#[cfg(test)]
mod tests;
