//! The certifier's program, compiled once per JDK and JUnit, with an archive of its loaded classes.
//!
//! The archive (class data sharing, JEP 350) is what brings the start of a JVM with a warm javac from 0.75 s to
//! 0.3 s. It is an optimisation: where the JVM cannot make or use one, it starts slower.

use super::CertifyError;
use crate::framework::Framework;
use cupping_confine::{ConfineError, JdkTool, Policy, Sandbox, Tool};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

const SOURCE: &str = include_str!("Certifier.java");

/// Flags that make a short-lived JVM quick.
const FLAGS: &[&str] = &["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xlog:disable"];

/// A certifier ready to be started.
#[derive(Clone, Debug)]
pub struct Program {
    jdk_home: PathBuf,
    jars: Vec<PathBuf>,
    archive: PathBuf,
    framework: Framework,
    /// The locations of the code under test and its tests.
    readable: Vec<PathBuf>,
    unconfined: bool,
    assertions: bool,
}

impl Program {
    /// Finds the program in the cache, or compiles it there. Any number of processes may do so at a time: the
    /// finished folder is put in place by one atomic rename.
    pub fn prepare(
        jdk_home: &Path,
        framework: Framework,
        junit_jars: &[PathBuf],
        cache: &Path,
        readable: Vec<PathBuf>,
        unconfined: bool,
        assertions: bool,
    ) -> Result<Program, CertifyError> {
        // Its current folder is its own, so no path may be a relative one.
        let (jdk_home, cache) = (&absolute(jdk_home), &absolute(cache));
        let junit_jars: Vec<PathBuf> = junit_jars.iter().map(|jar| absolute(jar)).collect();
        let folder = cache.join(key(jdk_home, framework, &junit_jars));
        let jar = folder.join("certifier.jar");
        if !jar.is_file() {
            build(jdk_home, cache, &folder)?;
        }
        let program = Program {
            jdk_home: jdk_home.clone(),
            jars: std::iter::once(jar).chain(junit_jars).collect(),
            archive: folder.join("certifier.jsa"),
            framework,
            readable: readable.iter().map(|path| absolute(path)).collect(),
            unconfined,
            assertions,
        };
        if !program.archive.exists() {
            program.make_archive()?;
        }
        Ok(program)
    }

    /// A place to run it in, and the command that starts it there.
    pub fn command(&self) -> Result<(Sandbox, Command), CertifyError> {
        let sandbox = Sandbox::new(self.policy(), self.unconfined)?;
        let mut command = self.java(&sandbox);
        if std::fs::metadata(&self.archive).is_ok_and(|archive| archive.len() > 0) {
            command.arg(format!("-XX:SharedArchiveFile={}", self.archive.display()));
        }
        self.add_main(&mut command)?;
        Ok((sandbox, command))
    }

    fn policy(&self) -> Policy {
        let readable = self.jars.iter().chain([&self.archive]).chain(&self.readable).cloned().collect();
        Policy { readable, ..Policy::new(&self.jdk_home) }
    }

    fn java(&self, sandbox: &Sandbox) -> Command {
        let mut command = sandbox.command(&tool(&self.jdk_home, "java"), Tool::Java);
        command.args(FLAGS);
        if !self.assertions {
            command.arg("-Dcupping.assertions=off");
        }
        command
    }

    fn add_main(&self, command: &mut Command) -> Result<(), CertifyError> {
        let class_path = std::env::join_paths(&self.jars).map_err(|error| failed(&self.archive, &error))?;
        command.arg("-cp").arg(class_path).arg("cupping.Certifier");
        command.args([self.framework.row().test, self.framework.row().assertions]);
        Ok(())
    }

    /// An empty file in its place records that this JVM cannot make one, so that it is not tried each time.
    fn make_archive(&self) -> Result<(), CertifyError> {
        let unfinished = self.archive.with_extension(unique());
        let mut policy = self.policy();
        policy.writable.extend(self.archive.parent().map(Path::to_owned));
        let sandbox = Sandbox::new(policy, self.unconfined)?;
        let mut command = self.java(&sandbox);
        command.arg(format!("-XX:ArchiveClassesAtExit={}", unfinished.display()));
        self.add_main(&mut command)?;
        command.arg("train");
        let made = sandbox.run(command).is_ok_and(|output| output.status.success()) && unfinished.is_file();
        if !made {
            let _ = std::fs::write(&unfinished, b"");
        }
        let _ = std::fs::rename(&unfinished, &self.archive);
        Ok(())
    }
}

/// `$XDG_CACHE_HOME/cupping`, else `~/.cache/cupping`, else a folder for temporary files.
pub fn default_folder() -> PathBuf {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir)
        .join("cupping")
}

fn build(jdk_home: &Path, cache: &Path, folder: &Path) -> Result<(), CertifyError> {
    let unfinished = folder.with_extension(unique());
    let result = build_in(jdk_home, cache, &unfinished);
    // Another process may have put the same folder in place meanwhile; then the rename fails, which is harmless.
    let result = result.and_then(|()| match std::fs::rename(&unfinished, folder) {
        Err(error) if !folder.join("certifier.jar").is_file() => Err(failed(folder, &error)),
        _ => Ok(()),
    });
    let _ = std::fs::remove_dir_all(&unfinished);
    result
}

fn build_in(jdk_home: &Path, cache: &Path, folder: &Path) -> Result<(), CertifyError> {
    let source = folder.join("Certifier.java");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&source, SOURCE))
        .map_err(|error| failed(cache, &error))?;
    let classes = folder.join("classes");
    let javac = JdkTool::javac(jdk_home, folder, &[], Vec::new())?;
    run(folder, javac.args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "-d"]).args([&classes, &source]))?;
    // A jar and not a folder: class data sharing takes only jars.
    let jar = JdkTool::jar(jdk_home, folder)?.args(["cf".as_ref(), folder.join("certifier.jar").as_os_str()]);
    run(folder, jar.args(["-C".as_ref(), classes.as_os_str(), ".".as_ref()]))
}

fn run(folder: &Path, tool: JdkTool) -> Result<(), CertifyError> {
    let output = tool.run()?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(folder, &String::from_utf8_lossy(&output.stderr).trim()))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

impl From<ConfineError> for CertifyError {
    fn from(error: ConfineError) -> CertifyError {
        match error {
            ConfineError::Start { program, source } => {
                CertifyError::NoTool { program, reason: source.to_string() }
            }
            other => CertifyError::Confine(other),
        }
    }
}

/// A program of the JDK.
fn tool(jdk_home: &Path, name: &str) -> PathBuf {
    jdk_home.join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn failed(path: &Path, reason: &dyn std::fmt::Display) -> CertifyError {
    CertifyError::Prepare { path: path.into(), reason: reason.to_string() }
}

fn unique() -> String {
    let now = std::time::SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
    format!("unfinished-{}-{now}", std::process::id())
}

/// A key of everything that the archive depends on: the program, the JDK, JUnit's jars.
fn key(jdk_home: &Path, framework: Framework, junit_jars: &[PathBuf]) -> String {
    let mut hash = Fnv::new();
    hash.add(SOURCE.as_bytes());
    hash.add(FLAGS.concat().as_bytes());
    hash.add(framework.row().test.as_bytes());
    let release = jdk_home.join("release");
    let modules = jdk_home.join("lib").join("modules");
    for path in [jdk_home, &release, &modules].into_iter().chain(junit_jars.iter().map(PathBuf::as_path)) {
        hash.add(path.to_string_lossy().as_bytes());
        if let Ok(metadata) = std::fs::metadata(path).map(|it| (it.len(), it.modified())) {
            let age = metadata.1.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            hash.add(&metadata.0.to_le_bytes());
            hash.add(&age.map_or(0, |age| age.as_nanos()).to_le_bytes());
        }
    }
    format!("{:016x}", hash.0)
}

/// Fowler–Noll–Vo (FNV-1a), which unlike the standard library's hashes is the same in every build.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
