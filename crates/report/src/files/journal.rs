//! Records the changes of the user's files for a class, so that they can be repeated without the work.
//!
//! A stored result contains the files as they were written. They are put in place by the same rules ([`super`]): no
//! file of the user's is replaced. If the folder has changed (a name is taken, or free again), the result does not
//! fit, and the class is processed again.

use super::first_line::{FileStatus, file_status, status_of_text};
use super::obsolete_tests;
use super::{Mark, atomic};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

/// One thing that was done to files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileAction {
    /// A file was written.
    Put {
        /// The path.
        path: PathBuf,
        /// The text.
        text: String,
        /// How its first line names its author; `None` if the user named the file.
        mark: Option<Mark>,
    },
    /// A name was not used, because a file of somebody else has it.
    Avoided {
        /// The file.
        path: PathBuf,
    },
    /// Files of an earlier run that were not written again have been removed.
    Whole {
        /// The output folder.
        root: PathBuf,
        /// The command.
        command: String,
        /// The class under test, by internal name.
        class: String,
    },
    /// A file of an earlier run was removed.
    Removed,
}

thread_local! {
    static DEEDS: RefCell<Option<Vec<FileAction>>> = const { RefCell::new(None) };
}

/// Runs `work`; returns its result and its file operations on this thread.
pub fn record<T>(work: impl FnOnce() -> T) -> (T, Vec<FileAction>) {
    DEEDS.with(|deeds| *deeds.borrow_mut() = Some(Vec::new()));
    let result = work();
    (result, DEEDS.with(RefCell::take).unwrap_or_default())
}

/// Records an operation, if a recording is active.
pub(super) fn note(deed: impl FnOnce() -> FileAction) {
    DEEDS.with(|deeds| {
        if let Some(deeds) = deeds.borrow_mut().as_mut() {
            deeds.push(deed());
        }
    });
}

/// Records a file that was written, if it is one.
pub(super) fn note_put(path: &Path, bytes: &[u8], mark: Option<Mark>) {
    note(|| FileAction::Put {
        path: path.to_owned(),
        text: String::from_utf8_lossy(bytes).into_owned(),
        mark,
    });
}

/// Whether the files can be put in place now: paths that were free or ours still are, and paths that were somebody
/// else's still are.
pub fn fits(deeds: &[FileAction]) -> bool {
    deeds.iter().all(|deed| match deed {
        FileAction::Put { path, text, mark: Some(mark) } => is_ours(*mark, path, text),
        FileAction::Avoided { path } => !matches!(file_status(Mark::Slashes, path), Ok(FileStatus::Free)),
        FileAction::Put { .. } | FileAction::Whole { .. } | FileAction::Removed => true,
    })
}

/// Whether a path is free, or has a file of the same command about the same class.
fn is_ours(mark: Mark, path: &Path, text: &str) -> bool {
    match (file_status(mark, path), status_of_text(mark, text)) {
        (Ok(FileStatus::Free), _) => true,
        (Ok(FileStatus::Ours(there)), FileStatus::Ours(new)) => {
            there.command == new.command && there.subject == new.subject
        }
        _ => false,
    }
}

/// Repeats all operations, except for files that already have the text. Returns notes for the user about removed
/// files.
///
/// # Errors
///
/// The error of the operating system, with the file.
pub fn repeat(deeds: &[FileAction]) -> Result<Vec<String>, (PathBuf, io::Error)> {
    let mut notes = Vec::new();
    let mut written: Vec<PathBuf> = Vec::new();
    for deed in deeds {
        match deed {
            FileAction::Put { path, text, .. } => {
                let is_there = std::fs::read(path).is_ok_and(|it| it == text.as_bytes());
                if !is_there {
                    atomic::put(path, text.as_bytes()).map_err(|error| (path.clone(), error))?;
                }
                written.push(path.clone());
            }
            FileAction::Whole { root, command, class } => {
                notes.extend(obsolete_tests::remove(root, command, class, &written).notes);
            }
            FileAction::Avoided { .. } | FileAction::Removed => {}
        }
    }
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::super::{Author, put, put_generated};
    use super::*;

    fn author() -> Author {
        Author { command: "generate".into(), options: String::new() }
    }

    #[test]
    fn a_journal_rewrites_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let (page, file) = (folder.path().join("p.html"), folder.path().join("f"));
        let (_, deeds) = record(|| {
            put_generated(&page, Mark::Html, &author(), "p.A", "<p>").unwrap();
            put(&file, b"text").unwrap();
        });
        let before = [&page, &file].map(|it| std::fs::read(it).unwrap());
        std::fs::remove_file(&page).unwrap();
        std::fs::write(&file, "other").unwrap();
        assert!(fits(&deeds));
        assert_eq!(repeat(&deeds).unwrap(), [""; 0]);
        assert_eq!(before, [&page, &file].map(|it| std::fs::read(it).unwrap()));
        assert_eq!(record(|| ()).1, []);
    }

    #[test]
    fn a_result_does_not_fit_over_a_file_of_the_users() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("p.html");
        let (_, deeds) = record(|| put_generated(&page, Mark::Html, &author(), "p.A", "<p>").unwrap());
        let edited = std::fs::read_to_string(&page).unwrap() + "mine";
        std::fs::write(&page, &edited).unwrap();
        assert!(!fits(&deeds));
        let avoided = [FileAction::Avoided { path: page.clone() }];
        assert!(fits(&avoided), "the name is still taken");
        std::fs::remove_file(&page).unwrap();
        assert!(fits(&deeds) && !fits(&avoided));
    }
}
