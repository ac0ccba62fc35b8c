//! Errors that prevent the certification of a suite.

use cupping_confine::ConfineError;
use std::path::PathBuf;

/// The reason why nothing could be certified. Each message names the remedy.
#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// A part of the test framework is not on this machine.
    #[error(
        "{artifact} not found (looked at --junit-jar, CUPPING_JUNIT, /usr/share/java and ~/.m2/repository): \
         install it with `apt-get install {package}` or name the jar with --junit-jar"
    )]
    JunitMissing {
        /// The artifact, such as `junit-jupiter-api`.
        artifact: &'static str,
        /// The Debian package that has it.
        package: &'static str,
    },
    /// JUnit's launcher, which runs suites, is not on this machine.
    #[error(
        "JUnit's launcher not found (looked at --junit-jar, CUPPING_JUNIT, /usr/share/java and ~/.m2/repository): \
         install it with `apt-get install junit5` or name junit-platform-console-standalone.jar with --junit-jar"
    )]
    LauncherMissing,
    /// A jar that was named explicitly does not exist.
    #[error("{}: no such JUnit jar; correct --junit-jar or CUPPING_JUNIT", path.display())]
    NoSuchJar {
        /// What was named.
        path: PathBuf,
    },
    /// The JDK lacks a program.
    #[error("{}: cannot be started ({reason}); name a complete JDK (not a JRE) with --jdk", program.display())]
    NoTool {
        /// The program, such as `/usr/lib/jvm/…/bin/javac`.
        program: PathBuf,
        /// What the operating system said.
        reason: String,
    },
    /// The certifier could not be built in its cache folder.
    #[error("{}: the certifier could not be prepared: {reason}; set XDG_CACHE_HOME to a writable folder", path.display())]
    Prepare {
        /// The cache folder.
        path: PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// The JVM died or stopped answering for no reason that a test gave.
    #[error("the JVM that certifies tests {what}{stderr}; check that the JDK named with --jdk works")]
    Jvm {
        /// What it did.
        what: String,
        /// The end of what it printed, or empty.
        stderr: String,
    },
    /// The certifier could not be started when it was needed.
    #[error("{why}")]
    NotStarted {
        /// What is missing, and the remedy.
        why: String,
    },
    /// The JVM could not be confined.
    #[error(transparent)]
    Confine(ConfineError),
}
