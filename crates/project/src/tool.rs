//! Build tools, and the permissions of a build.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

/// The build tool of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Maven.
    Maven,
    /// Gradle.
    Gradle,
    /// Bazel.
    Bazel,
    /// None: a folder with sources in a usual place.
    Plain,
}

impl Display for Tool {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tool::Maven => "Maven",
            Tool::Gradle => "Gradle",
            Tool::Bazel => "Bazel",
            Tool::Plain => "no build tool",
        })
    }
}

/// The settings for opening a project.
#[derive(Clone, Copy)]
pub struct Builder<'a> {
    /// The JDK whose `javac` compiles the listener for Maven, and plain folders.
    pub jdk: &'a Path,
    /// The folder for recorded answers and listeners.
    pub cache: &'a Path,
    /// Whether the build tool may be started. Otherwise only recorded facts are available.
    pub may_build: bool,
    /// Told of what takes long before it begins.
    pub note: &'a dyn Fn(&str),
    /// Receives warnings about problems that are not fatal.
    pub warn: &'a dyn Fn(&str),
}
