//! The Java program that finds and runs tests. It is compiled for each run of a command: it is small, and it is
//! compiled against the user's JUnit.

use cupping_classfile::Jdk;
use cupping_classfile::manifest::jars_beside;
use cupping_confine::JdkTool;
use std::path::{Path, PathBuf};

/// Its internal name.
pub const CLASS: &str = "cupping/SuiteRunner";
const SOURCE: &str = include_str!("SuiteRunner.java");

/// Its compiled classes, in a folder that is removed at the end.
pub struct CompiledSuite(tempfile::TempDir);

impl CompiledSuite {
    /// Compiles it against the JUnit on this class path.
    ///
    /// # Errors
    ///
    /// The class path has no JUnit that runs tests.
    pub fn new(jdk: &Jdk, class_path: Vec<PathBuf>) -> Result<CompiledSuite, String> {
        let folder = tempfile::tempdir().map_err(|error| {
            format!(
                "cannot create a temporary folder ({error}); free some space, or set TMPDIR to another place"
            )
        })?;
        let source = folder.path().join("SuiteRunner.java");
        std::fs::write(&source, SOURCE)
            .map_err(|error| format!("{}: cannot be written ({error})", source.display()))?;
        let beside = jars_beside(&class_path);
        let javac = JdkTool::javac(jdk.home(), folder.path(), &class_path, beside)
            .map_err(|error| error.to_string())?;
        let options = ["-nowarn", "-encoding", "UTF-8", "-proc:none", "-d"];
        let output = javac.args(options).args([folder.path(), &source]).run();
        let output = output.map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(CompiledSuite(folder));
        }
        let message = String::from_utf8_lossy(&output.stderr);
        let first = message.lines().next().unwrap_or_default();
        Err(format!(
            "JUnit cannot run the tests ({first}); put junit-platform-launcher, the engines and their dependencies \
             on --classpath, or name them with --junit-jar"
        ))
    }

    /// Where the classes are.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }
}
