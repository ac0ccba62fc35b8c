//! Build tools, and the permissions of a build.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

/// What builds a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Maven.
    Maven,
    /// Gradle.
    Gradle,
    /// Nothing: a folder with sources in a usual place.
    Plain,
}

impl Display for Tool {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tool::Maven => "Maven",
            Tool::Gradle => "Gradle",
            Tool::Plain => "no build tool",
        })
    }
}

/// What opening a project needs, and may do.
#[derive(Clone, Copy)]
pub struct Builder<'a> {
    /// The JDK whose `javac` compiles the listener for Maven, and plain folders.
    pub jdk: &'a Path,
    /// Where answers and listeners are kept.
    pub cache: &'a Path,
    /// Whether the build tool may be started. Without it, only what is recorded is known.
    pub may_build: bool,
    /// Told of what takes long before it begins.
    pub note: &'a dyn Fn(&str),
    /// Told of what is wrong with the project and can be done without.
    pub warn: &'a dyn Fn(&str),
}
