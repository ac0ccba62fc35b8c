//! `--junit-jar`: the jars of JUnit, for emitted tests and for suites.

use clap::Args;
use cupping_classfile::ClassPath;
use cupping_report::certify::JarSources;
use std::path::{Path, PathBuf};

/// The class by which JUnit's launcher is recognised.
const LAUNCHER: &str = "org/junit/platform/launcher/core/LauncherFactory.class";

/// Arguments of commands that need JUnit.
#[derive(Debug, Args)]
pub struct JunitArgs {
    /// A jar of JUnit, or a folder of them; may be repeated [default: CUPPING_JUNIT, /usr/share/java, ~/.m2]
    #[arg(long, value_name = "JAR|DIR", help_heading = "Input")]
    pub junit_jar: Vec<PathBuf>,
}

impl JunitArgs {
    /// The places in which to look for jars.
    pub fn sources(&self) -> JarSources {
        JarSources::of_machine(&self.junit_jar)
    }

    /// The jars that run a suite on this class path: the named ones, and others only if JUnit's launcher is in none
    /// of them and not on the class path.
    ///
    /// # Errors
    ///
    /// A named jar does not exist, or no launcher is found; the text says what to do.
    pub fn launcher(&self, class_path: &ClassPath) -> Result<Vec<PathBuf>, String> {
        let on_class_path = has_launcher(class_path);
        let is_in_jar = |jar: &Path| {
            let path = ClassPath::open(&jar.to_string_lossy(), 0);
            on_class_path || path.is_ok_and(|path| has_launcher(&path))
        };
        if on_class_path && self.junit_jar.is_empty() {
            return Ok(Vec::new());
        }
        self.sources().find_launcher(is_in_jar).map_err(|error| error.to_string())
    }
}

fn has_launcher(class_path: &ClassPath) -> bool {
    class_path.entries().any(|entry| entry.read(LAUNCHER).is_ok_and(|found| found.is_some()))
}
