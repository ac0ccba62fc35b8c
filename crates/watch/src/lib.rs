//! Unit tests as triples, and *test mode*: a real program is run, and every call is held against them
//! (Gray & Mycroft, *System tests from unit tests*).
//!
//! 1. [`check()`] runs the testcases of a specification, each on a fork of its own (unit-test reduction, §3), and collects
//!    what test mode needs (§5, §6): the ways that control took ([`Path`]), abstract objects ([`Shape`]), and where objects
//!    that a condition needs were first met.
//! 2. [`Branch`]es are compiled from that: for each triple what must hold before a call for it to apply.
//! 3. The [`Watcher`] listens to the calls of a program (§4, §9), evaluates the conditions of those branches that apply, and
//!    gives each call one or more of the seven [`Outcome`]s.
//!
//! - Nothing here changes the program that is watched: conditions run on forks ([`cupping_machine::Machine::aside`]).
//! - What is kept grows with the program's code and the number of its triples, not with how long it runs.

mod bind;
mod branch;
mod check;
mod content;
mod generalize;
mod host;
mod old;
mod outcome;
mod page;
mod path;
mod picture;
mod random;
mod reader;
mod record;
mod report;
mod shape;
mod suite;
mod watcher;

pub use bind::Binding;
pub use branch::{Branch, Origin, Restriction, branches, generalize};
pub use check::{Checked, Settings, TripleEnd, TripleResult, check};
pub use host::{define, field_names};
pub use outcome::{Concern, Example, Outcome, Regression, Report, SiteRow, Suggestion};
pub use page::html;
pub use path::{Path, flatten, steps_to};
pub use picture::{Cell, Drawn, Picture};
pub use report::{json, sarif, text};
pub use shape::Shape;
pub use suite::{Graft, Suite, SuiteTriples, triples_of};
pub use watcher::{Options, Watcher};
