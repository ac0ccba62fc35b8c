//! Attempts: what a confined process tried to do outside of its memory.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// The kind of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
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

impl Act {
    fn words(self) -> &'static str {
        match self {
            Act::Write => "writes the file",
            Act::Remove => "removes",
            Act::Rename => "renames",
            Act::CreateFolder => "creates the folder",
            Act::Link => "creates the link",
            Act::CreateNode => "creates the special file",
            Act::ChangeAttributes => "changes attributes of",
            Act::OpenSocket => "opens a socket",
            Act::StartProcess => "starts a process",
            Act::Signal => "signals another process",
        }
    }
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt {
    /// Its kind.
    pub act: Act,
    /// The file, as an absolute normalised path; `None` if no file is involved, or its path could not be
    /// read.
    pub path: Option<PathBuf>,
}

impl Attempt {
    /// An attempt that involves no file.
    pub fn of(act: Act) -> Attempt {
        Attempt { act, path: None }
    }

    /// An attempt on a file.
    pub fn on(act: Act, path: PathBuf) -> Attempt {
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
