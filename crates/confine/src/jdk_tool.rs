//! `javac` and `jar` in a sandbox.

use crate::{ConfineError, Policy, Sandbox, Tool};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A tool of the JDK that reads what it is shown and writes into one folder.
///
/// It runs in a private folder, where relative paths would mean other files: all paths are made absolute.
#[derive(Debug)]
pub struct JdkTool {
    sandbox: Sandbox,
    command: Command,
}

impl JdkTool {
    /// `javac` with a class path. `beside` are jars that manifests on the class path name; they can be read too.
    ///
    /// # Errors
    /// The private folder cannot be made, or a path has a character that no class path can have.
    pub fn javac(
        jdk_home: &Path,
        folder: &Path,
        class_path: &[PathBuf],
        beside: Vec<PathBuf>,
    ) -> Result<JdkTool, ConfineError> {
        let entries: Vec<PathBuf> = class_path.iter().map(|path| absolute(path)).collect();
        let joined = std::env::join_paths(&entries).map_err(ConfineError::ClassPath)?;
        let beside = beside.iter().map(|path| absolute(path));
        let readable = beside.chain(entries.iter().cloned()).collect();
        let tool = JdkTool::new("javac", jdk_home, folder, readable)?;
        if entries.is_empty() { Ok(tool) } else { Ok(tool.args(["-cp".as_ref(), joined.as_os_str()])) }
    }

    /// `jar`.
    ///
    /// # Errors
    /// The private folder cannot be made.
    pub fn jar(jdk_home: &Path, folder: &Path) -> Result<JdkTool, ConfineError> {
        JdkTool::new("jar", jdk_home, folder, Vec::new())
    }

    fn new(
        name: &str,
        jdk_home: &Path,
        folder: &Path,
        readable: Vec<PathBuf>,
    ) -> Result<JdkTool, ConfineError> {
        let jdk_home = absolute(jdk_home);
        let policy = Policy { readable, writable: vec![absolute(folder)], ..Policy::new(&jdk_home) };
        // It compiles our own text, so the user's decision to run tests unconfined does not concern it.
        let sandbox = Sandbox::new(policy, false)?;
        let program = jdk_home.join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        let command = sandbox.command(&program, Tool::Compiler);
        Ok(JdkTool { sandbox, command })
    }

    /// Adds arguments; paths among them are absolute.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> JdkTool {
        self.command.args(args);
        self
    }

    /// Runs it to its end; returns its output.
    ///
    /// # Errors
    ///
    /// [`Sandbox::run`].
    pub fn run(self) -> Result<Output, ConfineError> {
        self.sandbox.run(self.command)
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}
