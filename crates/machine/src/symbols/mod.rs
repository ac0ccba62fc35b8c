//! Symbols: shadows of values, the terms they name, and decisions on them.

pub(crate) mod arrays;
pub(crate) mod shadows;
