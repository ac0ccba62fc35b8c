//! Writes all files for the user: none of theirs is lost, and none is left incomplete.
//!
//! - [`put`] writes a file that an option names (`--json FILE`), replacing an existing one.
//! - [`put_generated`] writes a file into a folder that an option names (`--html DIR`), unless a file of the user's
//!   is there.
//! - [`TestFolder`] writes test classes, finds another name if a file of the user's has theirs, and removes those of
//!   an earlier run that no longer hold.
//!
//! All three are atomic (`atomic`). The first line (`first_line`) of a file tells whether it is the user's.
//! `docs/generated-files.md` describes it.

mod atomic;
mod first_line;
pub mod journal;
mod mark;
pub(crate) mod name_pattern;
mod obsolete_tests;
mod test_folder;

pub use atomic::quiet;
pub use first_line::{Author, FileStatus, FirstLine, sha256, status_of_text};
pub use mark::Mark;
pub use name_pattern::NamePattern;
pub use test_folder::{ClassFiles, ProposedFiles, TestFolder};

use std::io;
use std::path::{Path, PathBuf};

/// A file that could not be written; the text names it and the remedy.
#[derive(Debug)]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What the operating system said.
    pub source: io::Error,
    /// The option that chose the place.
    pub option: &'static str,
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl std::fmt::Display for WriteError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let WriteError { path, source, option } = self;
        write!(out, "{}: cannot be written ({source}); ", path.display())?;
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => write!(
                out,
                "free some space and run again, or choose another place with {option}; files written before are kept"
            ),
            _ => write!(out, "choose another place with {option}"),
        }
    }
}

/// Writes a file whose name is ours, into a folder of the user's. An existing file is replaced if it was generated
/// and has not been edited.
///
/// # Errors
///
/// There is a file of the user's, or the operating system refuses.
pub fn put_generated(path: &Path, mark: Mark, author: &Author, subject: &str, text: &str) -> io::Result<()> {
    let text = first_line::with_first_line(mark, author, subject, text);
    let refused = |why: &str| Err(io::Error::other(why));
    match first_line::file_status(mark, path)? {
        FileStatus::Free => atomic::put_new(path, text.as_bytes())?,
        FileStatus::Ours(_) => atomic::put(path, text.as_bytes())?,
        FileStatus::Edited(_) => {
            return refused("it was edited since Cupping wrote it, and is kept; move it");
        }
        FileStatus::Foreign => return refused("Cupping did not write the existing file; move it"),
    }
    journal::note_put(path, text.as_bytes(), Some(mark));
    Ok(())
}

/// Writes a file, replacing an existing one. Missing folders are created.
///
/// A symbolic link is neither followed nor replaced, and a file that is read-only is left alone: both are errors.
/// Devices and pipes, such as `/dev/stdout`, are written to directly.
///
/// # Errors
///
/// The error of the operating system; the file is unchanged then.
pub fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    atomic::put(path, bytes)?;
    journal::note_put(path, bytes, None);
    Ok(())
}

/// Removes a generated file, unless it has been edited; returns whether it existed.
///
/// # Errors
///
/// The operating system refuses.
pub fn remove_generated(path: &Path, mark: Mark) -> io::Result<bool> {
    match first_line::file_status(mark, path)? {
        FileStatus::Ours(_) => std::fs::remove_file(path).map(|()| true),
        _ => Ok(false),
    }
}
