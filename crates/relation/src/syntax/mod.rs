//! The notation: tokens, syntax trees, and the parser.

pub mod ast;
mod expression;
pub(crate) mod foreign;
pub(crate) mod lexer;
mod paragraph;
pub(crate) mod parser;

pub use paragraph::{parse_expression, parse_module, parse_scope};
