//! Where a class file comes from.

use std::path::PathBuf;
use std::sync::Arc;

/// Where a class comes from.
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
    /// Nowhere that the program knows: made at run time, or given by hand.
    Made,
}

impl Origin {
    /// Whether it is the JDK.
    pub fn is_jdk(&self) -> bool {
        matches!(self, Origin::Jdk { .. })
    }
}
