//! The compiler of specifications and its errors; `compile` and `names` implement it.

use crate::diagnostic::Diagnostic;
use cupping_classfile::Program;

/// Generated classes: bytes by internal name.
pub(crate) type Classes = Vec<(String, Vec<u8>)>;

/// Why specifications could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// They have errors.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<Diagnostic>),
    /// `javac` could not run, or its files could not be written.
    #[error("{0}")]
    Host(String),
}

/// Compiles specifications against a program.
pub struct Compiler<'p> {
    /// The program under test.
    pub program: &'p Program,
}
