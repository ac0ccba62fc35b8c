//! Attempts: what a confined process tried to do outside of its memory.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// The kind of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AttemptKind {
    /// Opening a file for writing, or creating one.
    Write,
    /// Removing a file or folder.
    Remove,
    /// Renaming a file or folder.
    Rename,
    /// Creating a folder.
    CreateFolder,
    /// Creating a symbolic or hard link.
    Link,
    /// Creating a device, a pipe or a socket file.
    CreateNode,
    /// Changing times, permissions, owner or other file attributes.
    ChangeAttributes,
    /// Opening a socket.
    OpenSocket,
    /// Starting a process or another program.
    StartProcess,
    /// Signalling another process.
    Signal,
}

impl AttemptKind {
    fn words(self) -> &'static str {
        match self {
            AttemptKind::Write => "writes the file",
            AttemptKind::Remove => "removes",
            AttemptKind::Rename => "renames",
            AttemptKind::CreateFolder => "creates the folder",
            AttemptKind::Link => "creates the link",
            AttemptKind::CreateNode => "creates the special file",
            AttemptKind::ChangeAttributes => "changes attributes of",
            AttemptKind::OpenSocket => "opens a socket",
            AttemptKind::StartProcess => "starts a process",
            AttemptKind::Signal => "signals another process",
        }
    }
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt {
    /// Its kind.
    pub act: AttemptKind,
    /// The file, as an absolute normalised path; `None` if no file is involved, or its path could not be
    /// read.
    pub path: Option<PathBuf>,
}

impl Attempt {
    /// An attempt that involves no file.
    pub fn of(act: AttemptKind) -> Attempt {
        Attempt { act, path: None }
    }

    /// An attempt on a file.
    pub fn on(act: AttemptKind, path: PathBuf) -> Attempt {
        Attempt { act, path: Some(path) }
    }
}

impl Display for Attempt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.act.words())?;
        match &self.path {
            Some(path) => write!(f, " {}", path.display()),
            None => Ok(()),
        }
    }
}
