//! Unit tests as triples, and *test mode*: runs a real program and checks each of its calls against the
//! triples (Gray & Mycroft, *System tests from unit tests*).
//!
//! 1. [`check()`] runs the testcases of a specification, each on its own fork (unit-test reduction, §3), and
//!    collects what test mode needs (§5, §6): the paths that control took ([`Path`]), abstract objects
//!    ([`Shape`]), and where the run first met the objects that a condition needs.
//! 2. [`branches`] compiles the triples that passed into [`Branch`]es: what must hold before a call for a
//!    triple to apply.
//! 3. The [`Watcher`] observes the calls of a program (§4, §9), evaluates the conditions of the branches that
//!    apply, and gives each call one or more of the seven [`WatchOutcome`]s.
//!
//! - The watched program never changes: conditions run on forks ([`cupping_machine::Machine::aside`]).
//! - Memory grows with the program's code and the number of triples, not with the length of the run.

mod assumed_range;
mod binding;
mod branch;
mod check;
mod collections;
mod conditions;
mod dependence;
mod difference;
mod generalization;
mod method_names;
mod object_copy;
mod old_value;
mod outcome;
mod page;
mod path;
mod picture;
mod profile;
mod random;
mod reader;
mod record;
mod report;
mod shape;
mod suite;
mod watcher;

pub use binding::Binding;
pub use branch::{Branch, Restriction, TripleOrigin, branches};
pub use check::{CheckOptions, SpecificationResults, TripleEnd, TripleResult, check, check_cases};
pub use conditions::{define, field_names};
pub use generalization::generalize;
pub use object_copy::ObjectCopy;
pub use outcome::{AffectedTriple, Example, Regression, Report, SiteRow, Suggestion, WatchOutcome};
pub use page::html;
pub use path::{Path, flatten, steps_to};
pub use picture::{Cell, ObjectDrawing, Picture};
pub use report::{findings, json, text};
pub use shape::Shape;
pub use suite::{EarlierCode, EarlierVersion, Suite, SuiteTriples, triples_of};
pub use watcher::{WatchOptions, Watcher};
