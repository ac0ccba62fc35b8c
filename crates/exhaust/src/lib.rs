//! Bounded-exhaustive testing (Khurshid & Marinov, *TestEra*): generates all non-isomorphic inputs of a
//! method within a scope, runs the method on each, and checks each outcome.
//!
//! A [`Specification`] is a text: a [`header`] that names class, method and scope, and formulas in the
//! notation of the crate `relation`. Signatures come from class files ([`classes`], [`model`]). The
//! [`Checker`] drives the process: it writes an instance into the heap of a forkable machine
//! ([`mod@concretize`]), runs the method, reads the heap back ([`abstraction`]), and evaluates the
//! postcondition on the pair of states. `candidates` generates inputs from a Java predicate instead.
//!
//! - An object of the input is the same atom before and after. Objects that are unreachable from receiver,
//!   arguments, result and static fields belong to no signature.
//! - Every run starts from the same snapshot, so runs are independent.
//! - Whatever the model cannot represent is reported, never dropped silently.

pub mod abstraction;
mod candidates;
mod check;
pub mod classes;
pub mod concretize;
mod diagnosis;
mod difference_bounds;
mod draw;
pub mod emit;
mod error;
mod explicit_state;
pub mod freedom;
pub mod growth;
pub mod header;
mod lint;
pub mod model;
mod page;
mod picture;
pub mod portions;
mod predicate;
mod predicate_scope;
mod remedies;
mod report;
mod specification;
mod target;
mod translation;
mod world;

pub use candidates::{CandidateOptions, Candidates, SearchCounters, Share};
pub use check::{Cause, CheckLimits, CheckResult, Checker, Example, Group};
pub use cupping_view::svg::Colour;
pub use diagnosis::{Vacuity, difference, trivial, trivial_doubts, vacuity};
pub use draw::svg;
pub use emit::{EmittedCounterexamples, emit};
pub use error::Error;
pub use page::{gallery, report_page};
pub use picture::{Edge, Picture, PictureNode, Start};
pub use predicate::Predicate;
pub use predicate_scope::PredicateScope;
pub use report::{cause, example, heading, results, text};
pub use specification::{Conjunct, Specification, SpecificationPart};
pub use target::MethodUnderTest;
pub use world::{FieldPlace, RunEnd, World};
