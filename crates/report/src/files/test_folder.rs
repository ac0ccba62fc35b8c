//! The folder that test classes are written to.
//!
//! A class gets its name before it is certified ([`TestFolder::name`]), since the name of a file is that of its
//! class; it is written afterwards ([`TestFolder::write`]). The same name is chosen both times unless somebody else
//! writes to the folder; a file that has appeared in between is not replaced.

use super::first_line::{FirstLine, file_status, header, with_first_line, with_header};
use super::journal::{self, FileAction};
use super::obsolete_tests::{self, about};
use super::{Author, FileStatus, Mark, NamePattern, WriteError, atomic};
use crate::junit::JunitClass;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

/// Names that are tried before it is given up.
const MOST_NAMES: usize = 1000;

/// Where a command writes test classes, in folders by package.
#[derive(Clone, Debug)]
pub struct TestFolder {
    root: PathBuf,
    author: Author,
    pattern: NamePattern,
    /// Reserved binary names: for each, the class (internal name) whose tests have it, if any.
    reserved: BTreeMap<String, Option<String>>,
    /// Whether existing files are never replaced, not even our own.
    keeps_all: bool,
    /// The proposed texts, if nothing is written.
    proposed: Option<ProposedFiles>,
}

/// Files that are proposed but not written, with their texts.
pub type ProposedFiles = Arc<Mutex<Vec<(PathBuf, String)>>>;

/// The file operations for a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassFiles {
    /// The files written, in the order of the classes.
    pub paths: Vec<PathBuf>,
    /// Files of an earlier run that were removed, since their content no longer holds.
    pub removed: Vec<PathBuf>,
    /// Notes for the user: files of theirs that were left alone, and files that were removed.
    pub notes: Vec<String>,
}

impl TestFolder {
    /// A folder, which need not be there yet.
    pub fn new(root: &Path, author: Author, pattern: NamePattern) -> TestFolder {
        let reserved = BTreeMap::new();
        TestFolder { root: root.to_owned(), author, pattern, reserved, keeps_all: false, proposed: None }
    }

    /// The same folder, in which existing files stay unchanged, including those that this command wrote.
    pub fn keeping_all(self) -> TestFolder {
        TestFolder { keeps_all: true, ..self }
    }

    /// The same folder, into which nothing is written: files are added to this collection.
    pub fn proposing(self, files: ProposedFiles) -> TestFolder {
        TestFolder { proposed: Some(files), ..self }
    }

    /// Reserves the names of these classes (internal ones) and of their regular tests, so that the name of a test
    /// class does not depend on the order in which classes are done.
    pub fn reserve<'c>(&mut self, classes: impl IntoIterator<Item = &'c str>) {
        let classes: Vec<&str> = classes.into_iter().collect();
        for class in &classes {
            let name = self.pattern.name(&JunitClass::simple_name_of_tests(class), "", 0);
            for package in JunitClass::packages_of_tests(class) {
                let test = binary(&package, &name);
                self.reserved.entry(test).or_insert_with(|| Some((*class).to_owned()));
            }
        }
        for class in classes {
            self.reserved.insert(class.replace(['/', '$'], "."), None);
        }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Gives a class the first free name: one without a file, or whose file this command wrote for the same class
    /// and nobody has edited.
    pub fn name(&self, class: &mut JunitClass) {
        let simple = JunitClass::simple_name_of_tests(&class.class_under_test);
        let kind = class.kind().to_owned();
        for attempt in 0..MOST_NAMES {
            class.name = self.pattern.name(&simple, &kind, attempt);
            if self.is_usable(class) {
                return;
            }
        }
    }

    fn is_usable(&self, class: &JunitClass) -> bool {
        let is_reserved = match self.reserved.get(&class.binary_name()) {
            Some(Some(other)) => *other != class.class_under_test || !class.kind().is_empty(),
            Some(None) => true,
            None => false,
        };
        let is_imported = class
            .methods
            .iter()
            .flat_map(|it| &it.imports)
            .any(|it| it.rsplit('.').next() == Some(&class.name));
        if is_reserved || is_imported {
            return false;
        }
        let is_usable = match file_status(Mark::Slashes, &self.path(class)) {
            Ok(FileStatus::Free) => true,
            Ok(FileStatus::Ours(first)) => !self.keeps_all && self.is_own(&first, &class.class_under_test),
            Ok(FileStatus::Edited(_) | FileStatus::Foreign) => false,
            // Writing will say what is wrong.
            Err(_) => true,
        };
        if !is_usable {
            journal::note(|| FileAction::Avoided { path: self.path(class) });
        }
        is_usable
    }

    /// Whether this command wrote a file for this class.
    fn is_own(&self, first: &FirstLine, class: &str) -> bool {
        first.command == self.author.command && first.subject == about(class)
    }

    fn path(&self, class: &JunitClass) -> PathBuf {
        self.root.join(class.path())
    }

    /// Writes the tests of a class under test, each under the name that it has. If they are `whole`, that is, all
    /// tests that exist now, files that an earlier run of the command wrote for the class are removed unless they
    /// are replaced.
    ///
    /// # Errors
    ///
    /// A file cannot be written; files written before stay, and nothing is removed.
    pub fn write(
        &self,
        under_test: &str,
        classes: &[JunitClass],
        whole: bool,
    ) -> Result<ClassFiles, WriteError> {
        let mut written = ClassFiles::default();
        for class in classes {
            let path = self.path(class);
            self.write_one(class, &path).map_err(|source| WriteError {
                path: path.clone(),
                source,
                option: "--out",
            })?;
            written.notes.extend(self.why_not_first(class));
            written.paths.push(path);
        }
        if whole && self.proposed.is_none() {
            let command = &self.author.command;
            journal::note(|| FileAction::Whole {
                root: self.root.clone(),
                command: command.clone(),
                class: under_test.to_owned(),
            });
            let stale = obsolete_tests::remove(&self.root, command, under_test, &written.paths);
            if !stale.removed.is_empty() {
                journal::note(|| FileAction::Removed);
            }
            written.notes.extend(stale.notes);
            written.removed = stale.removed;
        }
        Ok(written)
    }

    fn write_one(&self, class: &JunitClass, path: &Path) -> io::Result<()> {
        let under_test = &class.class_under_test;
        let text = with_first_line(Mark::Slashes, &self.author, &about(under_test), &class.source().text);
        // A licence that somebody put above our file stays there.
        let before = fs::read_to_string(path).unwrap_or_default();
        let text = with_header(class.style.header.as_deref().or(header(&before)), &text);
        if let Some(proposed) = &self.proposed {
            proposed.lock().unwrap_or_else(PoisonError::into_inner).push((path.to_owned(), text));
            return Ok(());
        }
        let written = self.put(under_test, path, &text);
        if written.is_ok() {
            journal::note_put(path, text.as_bytes(), Some(Mark::Slashes));
        }
        written
    }

    fn put(&self, under_test: &str, path: &Path, text: &str) -> io::Result<()> {
        match file_status(Mark::Slashes, path)? {
            FileStatus::Ours(first) if self.is_own(&first, under_test) => {
                // A file with the same text is not rewritten, so that builds based on file times need not rebuild
                // it.
                if fs::read(path).is_ok_and(|it| it == text.as_bytes()) {
                    return Ok(());
                }
                atomic::put(path, text.as_bytes())
            }
            FileStatus::Free => atomic::put_new(path, text.as_bytes()),
            _ => Err(io::Error::other("another file was created there")),
        }
    }

    /// Why a class does not have the first name that the pattern gives.
    fn why_not_first(&self, class: &JunitClass) -> Option<String> {
        let simple = JunitClass::simple_name_of_tests(&class.class_under_test);
        let mut first = class.clone();
        first.name = self.pattern.name(&simple, class.kind(), 0);
        if first.name == class.name {
            return None;
        }
        let path = self.path(&first);
        let why = match file_status(Mark::Slashes, &path) {
            Ok(FileStatus::Foreign) => "was not written by Cupping".to_owned(),
            Ok(FileStatus::Edited(_)) => "was edited since Cupping wrote it".to_owned(),
            Ok(FileStatus::Ours(first)) => {
                format!("was written by `cupping {}` for {}", first.command, first.subject)
            }
            Ok(FileStatus::Free) => "has the name of another class".to_owned(),
            Err(error) => format!("cannot be read ({error})"),
        };
        Some(format!(
            "{} {why}; it is left unchanged, and the tests are in {}.java",
            path.display(),
            class.name
        ))
    }
}

fn binary(package: &str, name: &str) -> String {
    if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") }
}
