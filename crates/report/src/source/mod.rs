//! The source of tests: a small tree of statements and expressions, and its Java printer.
//!
//! The tree represents the content of a test (locals, calls, assertions, lambdas, arrays, literals), with names of
//! classes as the file uses them. It knows neither layout nor how a test framework calls its assertions. Another
//! language needs another printer of the same tree.

mod assertj;
pub mod java;
pub mod layout;
pub mod literals;
pub mod tree;

#[cfg(test)]
mod tests;
