//! What a computation reads of a program, noted as it goes.
//!
//! Whoever keeps a result has to know what it was made from. [`record`] runs a computation and tells which questions
//! it put to the class path: not the answers, which [`Program::answer`] gives again at any time. A result still
//! stands if all answers are what they were. The JDK is not noted: it is one thing, and stays what it is.
//!
//! Notes are of the thread. A computation that spreads over threads records on each.

use crate::class_path::ClassPathEntry;
use crate::error::Result;
use crate::folder::ListedKind;
use crate::program::Program;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A question that was put to a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Read {
    /// The class of this internal name, or that there is none.
    Class(Box<str>),
    /// The first file of this name, or that there is none.
    Resource(Box<str>),
    /// All files of this name, in the order of the class path.
    File(Box<str>),
    /// The names of the classes of a package, with those below it if `true`.
    Package(Box<str>, bool),
    /// The names of the classes that extend or implement this one, directly or not.
    Subclasses(Box<str>),
    /// The names of all classes.
    Names,
    /// What lies in the folders of the class path: names, and sizes but of classes.
    Listing,
    /// All there is, jars as they are.
    Everything,
}

thread_local! {
    static READS: RefCell<Option<BTreeSet<Read>>> = const { RefCell::new(None) };
}

/// Runs a computation; its result, and what it read on this thread. Recordings do not nest: an inner one takes what it
/// sees away from the outer one, and the outer one gets it back at the end.
pub fn record<T>(work: impl FnOnce() -> T) -> (T, BTreeSet<Read>) {
    let outer = READS.with(|reads| reads.replace(Some(BTreeSet::new())));
    // A panic leaves the inner set behind; it is replaced by the next recording.
    let result = work();
    let found = READS.with(|reads| reads.replace(outer)).unwrap_or_default();
    READS.with(|reads| {
        if let Some(outer) = reads.borrow_mut().as_mut() {
            outer.extend(found.iter().cloned());
        }
    });
    (result, found)
}

/// Notes a question, where somebody records.
pub fn note(read: impl FnOnce() -> Read) {
    READS.with(|reads| {
        if let Some(reads) = reads.borrow_mut().as_mut() {
            reads.insert(read());
        }
    });
}

/// Answers a question without a note of it.
fn quietly<T>(work: impl FnOnce() -> T) -> T {
    let outer = READS.with(RefCell::take);
    let result = work();
    READS.with(|reads| *reads.borrow_mut() = outer);
    result
}

impl Program {
    /// Gives the answer to a question in parts, as bytes that differ where answers differ. Errors are answers.
    pub fn answer(&self, read: &Read, part: &mut dyn FnMut(&[u8])) {
        quietly(|| match read {
            Read::Class(name) => match self.find(name) {
                Ok(Some(class)) => part(class.bytes()),
                Ok(None) => part(b"none"),
                Err(error) => part(error.to_string().as_bytes()),
            },
            Read::Resource(name) => match self.resource(name) {
                Ok(Some(bytes)) => part(&bytes),
                Ok(None) => part(b"none"),
                Err(error) => part(error.to_string().as_bytes()),
            },
            Read::File(name) => self.class_path().entries().for_each(|entry| file(entry, name, part)),
            Read::Package(name, deep) => names(self.classes_of_package(name, *deep), part),
            Read::Subclasses(name) => self.subclasses(name).iter().for_each(|it| line(it, part)),
            Read::Names => self.class_path().entries().for_each(|entry| names(entry.class_names(), part)),
            Read::Listing => self.class_path().entries().for_each(|entry| listing(entry, part)),
            Read::Everything => self.class_path().entries().for_each(|entry| everything(entry, part)),
        });
    }
}

fn line(text: &str, part: &mut dyn FnMut(&[u8])) {
    part(text.as_bytes());
    part(b"\n");
}

fn names(names: Result<Vec<String>>, part: &mut dyn FnMut(&[u8])) {
    match names {
        Ok(names) => names.iter().for_each(|it| line(it, part)),
        Err(error) => part(error.to_string().as_bytes()),
    }
}

fn file(entry: &ClassPathEntry, name: &str, part: &mut dyn FnMut(&[u8])) {
    match entry.read(name) {
        Ok(Some(bytes)) => {
            part(&(bytes.len() as u64).to_le_bytes());
            part(&bytes);
        }
        Ok(None) => part(b"none"),
        Err(error) => part(error.to_string().as_bytes()),
    }
}

fn listing(entry: &ClassPathEntry, part: &mut dyn FnMut(&[u8])) {
    for listed in entry.list().unwrap_or_default() {
        let about = match &listed.kind {
            ListedKind::Folder => "folder".to_owned(),
            ListedKind::File(_) if listed.name.ends_with(".class") => "class".to_owned(),
            ListedKind::File(length) => length.to_string(),
            ListedKind::Link(target) => format!("-> {target}"),
        };
        line(&format!("{} {about}", listed.name), part);
    }
}

fn everything(entry: &ClassPathEntry, part: &mut dyn FnMut(&[u8])) {
    if entry.is_jar() {
        return part(&std::fs::read(entry.path()).unwrap_or_default());
    }
    for listed in entry.list().unwrap_or_default() {
        line(&listed.name, part);
        if matches!(listed.kind, ListedKind::File(_)) {
            file(entry, &listed.name, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_told_and_the_outer_recording_hears_of_it() {
        note(|| Read::Names);
        let ((_, inner), outer) = record(|| {
            note(|| Read::Names);
            record(|| note(|| Read::Class("p/A".into())))
        });
        assert_eq!(inner, BTreeSet::from([Read::Class("p/A".into())]));
        assert_eq!(outer, BTreeSet::from([Read::Class("p/A".into()), Read::Names]));
        assert_eq!(record(|| quietly(|| note(|| Read::Names))).1, BTreeSet::new());
    }
}
