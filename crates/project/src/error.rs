//! Why a project cannot be used.

use crate::Tool;
use cupping_confine::ConfineError;
use std::io;
use std::path::PathBuf;

/// Why a project cannot be used. Each message names a remedy.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The build tool cannot be started.
    #[error("{tool} is needed for the project in {} ({source}); install it, or use --classpath", root.display())]
    NoTool {
        /// The build tool.
        tool: Tool,
        /// The folder of the project.
        root: PathBuf,
        /// Why it cannot be started.
        source: ConfineError,
    },
    /// The build failed.
    #[error("{command} failed in {}; fix the build, or use --classpath\n{output}", root.display())]
    Build {
        /// The command that was run.
        command: String,
        /// The folder of the project.
        root: PathBuf,
        /// The end of what the build tool printed.
        output: String,
    },
    /// The build tool told of no module with Java.
    #[error("{tool} reports no Java module in {}; use --classpath", root.display())]
    NoModule {
        /// The build tool.
        tool: Tool,
        /// The folder of the project.
        root: PathBuf,
    },
    /// The listener for Maven cannot be compiled.
    #[error("the listener for Maven cannot be compiled ({reason}); use --classpath")]
    Listener {
        /// The error.
        reason: String,
    },
    /// Sources of a plain folder do not compile.
    #[error("the sources in {} do not compile; fix them, or use --classpath\n{output}", root.display())]
    Sources {
        /// The folder of the project.
        root: PathBuf,
        /// What `javac` printed.
        output: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{}: {source}; check its permissions", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}
