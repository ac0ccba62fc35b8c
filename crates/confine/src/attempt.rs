//! What a confined process tried to do to the world outside its memory.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// A kind of attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// Opening a file to write, or creating one.
    Write,
    /// Removing a file or folder.
    Remove,
    /// Renaming a file or folder.
    Rename,
    /// Creating a folder.
    CreateFolder,
    /// Creating a link, symbolic or not.
    Link,
    /// Creating a device, a pipe or a socket file.
    CreateNode,
    /// Changing times, permissions, owner or other attributes of a file.
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
    /// What was tried.
    pub act: Act,
    /// On which file, as an absolute path without `.` and `..`; none where the act is on no file, or the path could not be read.
    pub path: Option<PathBuf>,
}

impl Attempt {
    /// An attempt on no file.
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
