//! Bounded-exhaustive testing (Khurshid & Marinov, *TestEra*): all inputs of a method within a scope, none twice up to
//! isomorphism, the method run on each, each outcome checked.
//!
//! A [`Specification`] is a text: a [`header`] that names class, method and scope, and formulas in the notation of the
//! room `relation`. Signatures come from class files ([`classes`], [`model`]). [`Checker`] conducts: an instance is
//! written into the heap of a forkable machine ([`mod@concretize`]), the method runs, the heap is read back
//! ([`abstraction`]), and the postcondition is evaluated on the pair of states.
//!
//! - An object of the input is the same atom before and after; what is not reached from receiver, arguments, result or
//!   static fields is in no signature.
//! - Every run starts from the same snapshot: no run sees what another did.
//! - What the model has no place for is told, never dropped in silence.

pub mod abstraction;
mod blame;
mod bounds;
mod candidates;
mod check;
pub mod classes;
pub mod concretize;
mod draw;
pub mod emit;
mod error;
pub mod header;
pub mod model;
mod order;
mod page;
mod picture;
mod predicate;
mod report;
mod specification;
mod target;
mod translated;
mod world;

pub use blame::{Vacuity, difference, trivial, trivial_notes, vacuity};
pub use bounds::Bounds;
pub use candidates::{Candidates, Share, Tried, Ways};
pub use check::{Cause, Checked, Checker, Example, Group, Settings};
pub use cupping_view::svg::Colour;
pub use draw::svg;
pub use emit::{Emitted, emit};
pub use error::Error;
pub use page::{gallery, report_page};
pub use picture::{Edge, Node, Picture, Start};
pub use predicate::Predicate;
pub use report::{heading, json, text};
pub use specification::{Conjunct, Part, Specification};
pub use target::Target;
pub use world::{Ended, FieldPlace, World};
