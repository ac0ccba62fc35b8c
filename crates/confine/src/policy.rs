//! What a confined JVM may read and write, and how much of the machine it may use.

use std::path::{Path, PathBuf};

const MIB: u64 = 1 << 20;

/// What a confined JVM may do.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Home of the JDK, which can be read.
    pub jdk_home: PathBuf,
    /// Files and folders that can be read with all below them, such as the class path. What is not there is left out.
    pub readable: Vec<PathBuf>,
    /// Folders that can be written beside the private one.
    pub writable: Vec<PathBuf>,
    /// How much it may use.
    pub limits: Limits,
}

impl Policy {
    /// A policy with the usual limits under which nothing but the JDK can be read.
    pub fn new(jdk_home: &Path) -> Policy {
        Policy {
            jdk_home: jdk_home.into(),
            readable: Vec::new(),
            writable: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// How much of the machine a confined JVM may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The heap of Java objects, in bytes.
    pub heap: u64,
    /// All private memory of the process, in bytes: heap, code, stacks of threads, memory of native code.
    pub memory: u64,
    /// Processor time in seconds, of all threads together, until [`crate::Confined::extend_processor_time`] adds some.
    pub processor_seconds: u64,
    /// The largest file, in bytes.
    pub file_size: u64,
    /// All files in the private folder together, in bytes. Checked now and then: a few files more are possible.
    pub total_size: u64,
    /// Files and folders in the private folder.
    pub files: u64,
    /// Files open at the same time.
    pub open_files: u64,
    /// Threads.
    pub threads: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            heap: 1024 * MIB,
            memory: 3072 * MIB,
            processor_seconds: 120,
            file_size: 64 * MIB,
            total_size: 512 * MIB,
            files: 5000,
            open_files: 2048,
            threads: 2000,
        }
    }
}

/// Where the system's libraries and what they read may be. What is not there is left out.
#[cfg(target_os = "linux")]
pub(crate) const SYSTEM: &[&str] = &[
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/locale",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/timezone",
    "/gnu/store",
    "/nix/store",
    "/dev/null",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
];

/// Targets of the symbolic links in a JDK that lead out of it: distributions keep its configuration in `/etc`.
pub(crate) fn link_targets(jdk_home: &Path) -> Vec<PathBuf> {
    // Deep enough for `lib/security/cacerts` and `conf/security/policy`.
    const DEPTH: usize = 3;
    let mut targets = Vec::new();
    let mut folders = vec![(jdk_home.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_symlink() {
                targets
                    .extend(std::fs::canonicalize(entry.path()).ok().filter(|it| !it.starts_with(jdk_home)));
            } else if kind.is_dir() && depth + 1 < DEPTH {
                folders.push((entry.path(), depth + 1));
            }
        }
    }
    targets.sort();
    targets.dedup();
    targets
}
