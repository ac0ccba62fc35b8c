//! What can keep a confined process from starting.

use std::io;
use std::path::PathBuf;

/// Why a process was not started. Each message names the remedy.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// There is no place for the private folder.
    #[error(
        "{}: no private folder can be made there ({source}); set TMPDIR to a folder with free space",
        path.display()
    )]
    Folder {
        /// Where it was to be.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A path cannot be part of a class path.
    #[error("the class path cannot be given to javac: {0}")]
    ClassPath(std::env::JoinPathsError),
    /// The kernel refused a restriction that it said it offers.
    #[error("the kernel refused to confine a process ({0}); run `cupping doctor`")]
    Refused(String),
    /// The program cannot be started.
    #[error("{}: cannot be started ({source})", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}
