//! The Java program that finds and runs tests, compiled for each run: it is small, and what it is compiled against is the
//! user's JUnit.

use cupping_classfile::Jdk;
use cupping_classfile::manifest::jars_beside;
use cupping_confine::{Policy, Sandbox, Tool};
use std::path::{Path, PathBuf};

const SOURCE: &str = include_str!("MutantRunner.java");

/// Its compiled classes, in a folder that is removed in the end.
pub struct Compiled(tempfile::TempDir);

impl Compiled {
    /// Compiles it against the JUnit of this class path.
    pub fn new(jdk: &Jdk, class_path: &str) -> Result<Compiled, String> {
        let folder = tempfile::tempdir().map_err(|error| {
            format!("no temporary folder can be made ({error}); make room, or set TMPDIR to another place")
        })?;
        let source = folder.path().join("MutantRunner.java");
        std::fs::write(&source, SOURCE)
            .map_err(|error| format!("{}: cannot be written ({error})", source.display()))?;
        let compiled = Compiled(folder);
        // javac runs in a folder of its own: relative paths would mean others there.
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let entries: Vec<PathBuf> = std::env::split_paths(class_path).map(absolute).collect();
        let class_path = std::env::join_paths(&entries).map_err(|error| error.to_string())?;
        let mut policy = Policy::new(jdk.home());
        policy.readable = [jars_beside(&entries), entries].concat();
        policy.writable.push(compiled.folder().into());
        let sandbox = Sandbox::new(policy, false).map_err(|error| error.to_string())?;
        let mut javac = sandbox.command(&jdk.javac_binary(), Tool::Compiler);
        javac.args(["-nowarn", "-encoding", "UTF-8", "-proc:none", "-cp"]).arg(class_path);
        javac.arg("-d").arg(compiled.folder()).arg(&source);
        let output = sandbox.run(javac).map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(compiled);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().next().unwrap_or_default();
        Err(format!(
            "no JUnit on the class path that runs tests ({first}); put junit-platform-launcher, the engines \
             and what they need on --classpath"
        ))
    }

    /// Where the classes are.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }
}
