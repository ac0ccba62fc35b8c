//! The policy of a confined JVM: what it may read and write, and its resource limits.

use std::path::{Path, PathBuf};

const MIB: u64 = 1 << 20;

/// The permissions of a confined JVM.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The JDK's home, or another program to run: readable and executable.
    pub jdk_home: PathBuf,
    /// Files and folders that are readable with everything below, such as the class path. Missing ones are
    /// ignored.
    pub readable: Vec<PathBuf>,
    /// Folders that are writable in addition to the private one.
    pub writable: Vec<PathBuf>,
    /// Resource limits.
    pub limits: JvmLimits,
}

impl Policy {
    /// A policy with default limits that makes only the JDK readable.
    pub fn new(jdk_home: &Path) -> Policy {
        Policy {
            jdk_home: jdk_home.into(),
            readable: Vec::new(),
            writable: Vec::new(),
            limits: JvmLimits::default(),
        }
    }
}

/// Resource limits of a confined JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JvmLimits {
    /// The Java heap in bytes.
    pub heap: u64,
    /// All private memory of the process in bytes: heap, code, thread stacks, and native memory.
    pub memory: u64,
    /// Processor time of all threads in seconds, until [`crate::ConfinedJvm::extend_processor_time`] adds more.
    pub processor_seconds: u64,
    /// The maximal size of a file in bytes.
    pub file_size: u64,
    /// The total size of the files in the private folder in bytes. It is checked periodically, so it may be
    /// exceeded slightly.
    pub total_size: u64,
    /// Number of files and folders in the private folder.
    pub files: u64,
    /// Number of open files.
    pub open_files: u64,
    /// Number of threads.
    pub threads: u64,
}

impl Default for JvmLimits {
    fn default() -> JvmLimits {
        JvmLimits {
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

/// Locations of the system's libraries and their data. Missing ones are ignored.
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

/// Targets of a JDK's symbolic links that lead out of it: some distributions keep its configuration in
/// `/etc`.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux confines"))]
pub(crate) fn link_targets(jdk_home: &Path) -> Vec<PathBuf> {
    // Deep enough for `conf/security/policy/unlimited`, without which no cipher can be used, and more.
    const DEPTH: usize = 8;
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
