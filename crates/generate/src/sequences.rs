//! Candidate sequences (thesis §4.3): what may have to be invoked before a method to reach all of its code.
//! They are found statically, backwards from that method.
//!
//! A [`Universe`] holds the possible `Element`s and the influence between them. [`Candidates`] enumerates the
//! sequences by increasing length with one in memory at a time. [`flow`] decides whether data can flow from
//! every element of a sequence to its end.

mod candidates;
mod element;
mod filter;
mod flow;
mod relevance;
mod show;
mod steps;
mod story;
#[cfg(test)]
mod tests;
mod universe;

pub use candidates::{Candidates, Met, Reason};
pub use filter::{Access, Filter};
pub use relevance::Relevance;
pub use show::{influence_table, sequence_tree};
pub use steps::steps;
pub use story::{Fate, Skip, Story};
pub use universe::{Reach, Universe};
