//! Candidate sequences (thesis §4.3): what may have to be invoked before a method to reach all of it, found
//! backwards from that method without running anything.
//!
//! A [`Universe`] holds the `Element`s that may appear and which influences which; [`Candidates`] walks the
//! sequences of growing length, one in memory at a time; [`flow`] says whether data can flow from every element of one
//! to its end.

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
