//! Definition-use pairs of a class, and call sequences deduced for them (Buy, Orso & Pezzè, *Automated
//! Testing of Classes*).
//!
//! ```text
//! class ─ FlatClass ─┬─ ClassGraph ─┐
//!               └─ Accesses ───┴─ pairs ─┐
//!               └─ symbolic: path summaries ─ deduce: trees, sequences ─ run on the machine ─ verdicts
//! ```
//!
//! # Verdicts
//!
//! - A pair is *covered* only if a sequence was run in which the definition reached the use without another
//!   definition in between.
//! - A pair is *infeasible* if no sequence of calls on one object, of which all but the last return, can
//!   exercise it. This is a proof: unknown values stand for all values, under four assumptions: other classes
//!   do not store to the variables, argument objects do not call back, there is one thread, and the class is
//!   not extended.
//! - All other pairs are *inconclusive*, with the reason.

pub mod accesses;
mod account;
mod analysis;
mod array_parameters;
mod assertions;
pub mod body;
pub mod callback;
mod chase;
mod chase_calls;
mod chase_costs;
pub mod claims;
mod combination;
mod confirmation;
mod copies;
pub mod deduce;
mod deduction_text;
mod exercised_pairs;
pub mod flattened_class;
mod flattening;
mod frontier;
pub mod graph;
mod halves;
mod invariants;
mod objects;
mod origin;
mod page;
pub mod pairs;
mod rounds;
mod rows;
mod run;
mod schedule;
mod simplification;
mod solving;
pub mod symbolic;
pub mod text;
mod tree_rounds;

pub use account::{Account, Stop};
pub use analysis::{
    Analysis, DataflowOptions, PairVerdict, Reason, SequenceSource, WatchedMethod, open, statically,
};
pub use exercised_pairs::{ExercisedPairs, NamedSite, named};
pub use rows::{PairRow, Pairing};
pub use run::analyse;
