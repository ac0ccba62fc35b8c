//! Candidate sequences (thesis §4.3): what may have to be invoked before a method to reach all of its code.
//! They are found statically, backwards from that method.
//!
//! A [`Universe`] holds the possible `Element`s and the influence between them. [`Candidates`] enumerates the
//! sequences by increasing length with one in memory at a time. [`flow`] decides whether data can flow from
//! every element of a sequence to its end.

mod candidates;
mod display;
mod element;
mod filter;
mod flow;
mod history;
mod marks;
mod relevance;
mod steps;
#[cfg(test)]
mod tests;
mod universe;

pub use candidates::{Candidates, GeneratorResult, Reason};
pub use display::{influence_table, sequence_tree};
pub use filter::Filter;
pub use history::{Fate, SequenceHistory, SkipReason};
pub use relevance::Relevance;
pub use steps::steps;
pub use universe::{Reach, Universe};
