//! Why a machine cannot boot.

/// Why a machine could not be booted.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    /// A file for the program cannot be put in place.
    #[error("{0} cannot be put into the program's file system: {1}; name another place")]
    File(String, &'static str),
    /// A class of the JDK is not there.
    #[error("the JDK has no class {0}; is its lib/modules complete?")]
    Missing(String),
    /// Initialisation of the class library ended early.
    #[error("the class library of the JDK did not start: {0}")]
    Failed(String),
}
