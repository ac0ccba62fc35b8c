//! Definition-use pairs of a class, and call sequences deduced for them (Buy, Orso & Pezzè, *Automated Testing of
//! Classes*).
//!
//! ```text
//! class ─ Flat ─┬─ ClassGraph ─┐
//!               └─ Accesses ───┴─ pairs ─┐
//!               └─ symbolic: path summaries ─ deduce: trees, sequences ─ run on the machine ─ verdicts
//! ```
//!
//! # What the words mean here
//!
//! - A pair is *covered* when a sequence was run in which the definition reached the use with no other between. Nothing
//!   else makes it so.
//! - A pair is *infeasible* when no sequence of calls on one object, of which all but the last return, can exercise it.
//!   What is unknown stands for everything, with four exceptions that are assumptions: other classes do not store to
//!   the variables, objects that are passed do not call back, there is one thread, and nobody extends the class.
//! - All others are *inconclusive*, with what was missing.

pub mod accesses;
mod analysis;
pub mod body;
pub mod callback;
pub mod claims;
mod combine;
mod confirm;
pub mod deduce;
mod exercised;
pub mod flat;
pub mod graph;
mod origin;
mod page;
pub mod pairs;
mod run;
pub mod show;
pub mod symbolic;

pub use analysis::{
    Analysis, DataflowOptions, Found, Reason, Verdict, Watched, analyse, call_name, open, statically,
};
pub use exercised::Exercised;
