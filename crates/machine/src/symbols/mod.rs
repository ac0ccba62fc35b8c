//! Symbols: shadows of values, the terms they name, and decisions on them.

mod arithmetic;
pub(crate) mod arrays;
mod decisions;
mod models;
mod shadows;
mod sorts;
pub(crate) mod table;

pub use sorts::{shadow_of, sort_of, term_of};
