//! The origin of a class file.

use std::path::PathBuf;
use std::sync::Arc;

/// The origin of a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The JDK's image.
    Jdk {
        /// Name of the module, such as `java.base`.
        module: Arc<str>,
    },
    /// An entry of the class path.
    ClassPath {
        /// The directory or jar.
        entry: Arc<PathBuf>,
    },
    /// No file: made at run time, or given by hand.
    Made,
}

impl Origin {
    /// Whether it is the JDK.
    pub fn is_jdk(&self) -> bool {
        matches!(self, Origin::Jdk { .. })
    }
}
