//! `--disable-assertions`: whether `assert` statements of the code under test are enabled.

use clap::Args;
use cupping_classfile::Program;
use std::sync::Arc;

/// Arguments of commands that run or reason about code with assertions.
#[derive(Debug, Args)]
pub struct AssertionArgs {
    /// Treat assert statements of the classes as disabled, as java does without -ea; for runs, for deduction, and
    /// for the JVM that certifies tests
    #[arg(long, help_heading = "Input")]
    pub disable_assertions: bool,
}

impl AssertionArgs {
    /// The program with its assertions as the user wants them.
    pub fn of(&self, program: &Program) -> Arc<Program> {
        Arc::new(program.with_assertions(!self.disable_assertions))
    }
}
