//! Records the parts of a program that a computation reads.
//!
//! Whoever keeps a result has to know what it depends on. [`record`] runs a computation and reports its queries to
//! the class path: not the answers, which [`Program::answer`](crate::Program::answer) gives at any time. A result
//! remains valid if all answers are unchanged. Queries to the JDK are not recorded: it is fixed as a whole.
//!
//! Recordings are per thread. A computation on several threads records on each.

use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// A question that was put to a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Read {
    /// The declaration of the class of this internal name, or that there is none: everything but its bodies and
    /// constants, and whether they can be decoded.
    Declaration(Box<str>),
    /// The body of a method of a class, by name with descriptor; constants as far as it uses them, and lines counted
    /// from its first one.
    Body(Box<str>, Box<str>),
    /// A [fact](crate::facts) of a method body: its name, the class, the method by name with descriptor.
    Fact(Box<str>, Box<str>, Box<str>),
    /// The source lines of a method of a class.
    Lines(Box<str>, Box<str>),
    /// The string constants of a class, in their order.
    Texts(Box<str>),
    /// The classes that a class names in its constants.
    Mentions(Box<str>),
    /// Whether a class can be linked, as far as its declaration does not say: which classes it names that are missing.
    Linked(Box<str>),
    /// The class of this internal name with its bodies and constants, or that there is none.
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
    /// The contents of the folders of the class path: names, and sizes except of classes.
    Listing,
    /// The jar at this place of the class path, from 0, as it is.
    Jar(usize),
    /// All there is, jars as they are.
    Everything,
}

impl Read {
    /// A question whose answer changes whenever that of this one does, and is quickly given: the whole class instead
    /// of a part of it.
    pub fn coarse(&self) -> Read {
        match self {
            Read::Declaration(class)
            | Read::Body(class, _)
            | Read::Fact(_, class, _)
            | Read::Lines(class, _)
            | Read::Texts(class)
            | Read::Mentions(class) => Read::Class(class.clone()),
            other => other.clone(),
        }
    }
}

thread_local! {
    static READS: RefCell<Option<BTreeSet<Read>>> = const { RefCell::new(None) };
    /// Whether lines are only compared with each other.
    static COMPARES_LINES: Cell<bool> = const { Cell::new(false) };
}

/// Runs a computation; returns its result, and what it read on this thread. Recordings do not nest: an inner one
/// takes its reads away from the outer one, which gets them back at the end.
pub fn record<T>(work: impl FnOnce() -> T) -> (T, BTreeSet<Read>) {
    let outer = READS.with(|reads| reads.replace(Some(BTreeSet::new())));
    COMPARES_LINES.set(false);
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

/// Records a query, if a recording is active.
pub fn note(read: impl FnOnce() -> Read) {
    READS.with(|reads| {
        if let Some(reads) = reads.borrow_mut().as_mut() {
            let read = read();
            if !(COMPARES_LINES.get() && matches!(read, Read::Lines(..))) {
                reads.insert(read);
            }
        }
    });
}

/// Runs a computation to which only matters which instructions of a body are on the same line, and which line is before
/// which. A [body](Read::Body) tells that.
pub fn comparing_lines<T>(work: impl FnOnce() -> T) -> T {
    let outer = COMPARES_LINES.replace(true);
    let result = work();
    COMPARES_LINES.set(outer);
    result
}

/// Runs a computation whose result does not depend on what it reads, or is noted otherwise.
pub fn without_recording<T>(work: impl FnOnce() -> T) -> T {
    let outer = READS.with(RefCell::take);
    let result = work();
    READS.with(|reads| *reads.borrow_mut() = outer);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_nest() {
        note(|| Read::Names);
        let ((_, inner), outer) = record(|| {
            note(|| Read::Names);
            record(|| note(|| Read::Class("p/A".into())))
        });
        assert_eq!(inner, BTreeSet::from([Read::Class("p/A".into())]));
        assert_eq!(outer, BTreeSet::from([Read::Class("p/A".into()), Read::Names]));
        assert_eq!(record(|| without_recording(|| note(|| Read::Names))).1, BTreeSet::new());
    }
}
