//! The certifier's program, compiled once per JDK and JUnit, with an archive of its loaded classes.
//!
//! The archive (class data sharing, JEP 350) is what brings the start of a JVM with a warm javac from 0.75 s to
//! 0.3 s. It is an optimisation: where the JVM cannot make or use one, it starts slower.

use super::CertifyError;
use crate::junit::JunitVersion;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::UNIX_EPOCH;

const SOURCE: &str = include_str!("Certifier.java");

/// Flags that make a short-lived JVM quick.
const FLAGS: &[&str] =
    &["-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xlog:disable"];

/// A certifier ready to be started.
#[derive(Clone, Debug)]
pub struct Program {
    jdk_home: PathBuf,
    class_path: String,
    archive: PathBuf,
    version: JunitVersion,
}

impl Program {
    /// Finds the program in the cache, or compiles it there. Any number of processes may do so at a time: the
    /// finished folder is put in place by one atomic rename.
    pub fn prepare(
        jdk_home: &Path,
        version: JunitVersion,
        junit_jars: &[PathBuf],
        cache: &Path,
    ) -> Result<Program, CertifyError> {
        let folder = cache.join(key(jdk_home, version, junit_jars));
        let jar = folder.join("certifier.jar");
        if !jar.is_file() {
            build(jdk_home, cache, &folder)?;
        }
        let paths = std::iter::once(&jar).chain(junit_jars);
        let class_path = std::env::join_paths(paths).map_err(|error| failed(cache, &error))?;
        let program = Program {
            jdk_home: jdk_home.into(),
            class_path: class_path.to_string_lossy().into_owned(),
            archive: folder.join("certifier.jsa"),
            version,
        };
        if !program.archive.exists() {
            program.make_archive();
        }
        Ok(program)
    }

    /// The command that starts it.
    pub fn command(&self) -> Command {
        let mut command = self.java();
        if std::fs::metadata(&self.archive).is_ok_and(|archive| archive.len() > 0) {
            command.arg(format!("-XX:SharedArchiveFile={}", self.archive.display()));
        }
        self.add_main(&mut command);
        command
    }

    fn java(&self) -> Command {
        let mut command = Command::new(tool(&self.jdk_home, "java"));
        // These two would add flags, and lines to the output.
        command.env_remove("JAVA_TOOL_OPTIONS").env_remove("_JAVA_OPTIONS").args(FLAGS);
        command
    }

    fn add_main(&self, command: &mut Command) {
        command.args(["-cp", &self.class_path, "cupping.Certifier"]);
        command.args([self.version.test(), self.version.assertions()]);
    }

    /// An empty file in its place says that this JVM makes none, so that it is not asked each time.
    fn make_archive(&self) {
        let unfinished = self.archive.with_extension(unique());
        let mut command = self.java();
        command.arg(format!("-XX:ArchiveClassesAtExit={}", unfinished.display()));
        self.add_main(&mut command);
        command.arg("train").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let made = command.status().is_ok_and(|status| status.success()) && unfinished.is_file();
        if !made {
            let _ = std::fs::write(&unfinished, b"");
        }
        let _ = std::fs::rename(&unfinished, &self.archive);
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
    // Another process may have put the same in place meanwhile: then the rename fails, and all is well.
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
    let mut javac = Command::new(tool(jdk_home, "javac"));
    javac.args(["-nowarn", "-encoding", "UTF-8", "-d"]).arg(&classes).arg(&source);
    run(javac, folder)?;
    // A jar and not a folder: class data sharing takes only jars.
    let mut jar = Command::new(tool(jdk_home, "jar"));
    jar.arg("cf").arg(folder.join("certifier.jar")).arg("-C").arg(&classes).arg(".");
    run(jar, folder)
}

fn run(mut command: Command, folder: &Path) -> Result<(), CertifyError> {
    let program = PathBuf::from(command.get_program());
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| CertifyError::NoTool { program, reason: error.to_string() })?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(folder, &String::from_utf8_lossy(&output.stderr).trim()))
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

/// Names all that the archive depends on: the program, the JDK, JUnit's jars.
fn key(jdk_home: &Path, version: JunitVersion, junit_jars: &[PathBuf]) -> String {
    let mut hash = Fnv::new();
    hash.add(SOURCE.as_bytes());
    hash.add(FLAGS.concat().as_bytes());
    hash.add(version.test().as_bytes());
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
