//! Why a confined process could not start.

use std::io;
use std::path::PathBuf;

/// Why a process was not started. Each message names a remedy.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// The private folder cannot be created.
    #[error(
        "{}: cannot create a private folder ({source}); set TMPDIR to a folder with free space",
        path.display()
    )]
    Folder {
        /// Its intended location.
        path: PathBuf,
        /// The error from the operating system.
        source: io::Error,
    },
    /// A path cannot be part of a class path.
    #[error("the class path cannot be passed to javac: {0}")]
    ClassPath(std::env::JoinPathsError),
    /// The kernel rejected a restriction that it claims to support.
    #[error("the kernel refused to confine a process ({0}); run `cupping doctor`")]
    Refused(String),
    /// The program cannot be started.
    #[error("{}: cannot start ({source})", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The error from the operating system.
        source: io::Error,
    },
}
