//! The build tool of a project, which runs with the user's own rights.

use crate::ConfineError;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A run of Maven, Gradle or the like.
///
/// It is not confined, on purpose: it is the build that the user runs anyway, in the user's project, and it needs what
/// that build needs (the network, a local repository, other JDKs). Nothing that Cupping wrote or explored runs in it.
#[derive(Debug)]
pub struct BuildTool {
    command: Command,
}

impl BuildTool {
    /// The tool, to be run in a folder.
    pub fn new(program: &Path, folder: &Path) -> BuildTool {
        let mut command = Command::new(program);
        command.current_dir(folder).stdin(Stdio::null());
        BuildTool { command }
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> BuildTool {
        self.command.args(args);
        self
    }

    /// Runs it to its end; returns its output.
    ///
    /// # Errors
    ///
    /// [`ConfineError::Start`]: it is not installed, or not executable.
    pub fn run(mut self) -> Result<Output, ConfineError> {
        self.command
            .output()
            .map_err(|source| ConfineError::Start { program: self.command.get_program().into(), source })
    }
}
