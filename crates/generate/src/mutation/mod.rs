//! Mutants of the class under test: which of them the tests notice.
//!
//! Every mutant is a version of the class ([`crate::versions`]). A test notices it if its run ends differently
//! there, or if one of its assertions does not hold ([`notice()`]). [`crate::search`] looks for tests that notice
//! the remaining ones.

mod notice;
mod targets;
mod vocabulary;

pub(crate) use notice::{Notice, further_observations, notice, run_again, shown_otherwise};
pub(crate) use targets::{Fate, Targets};
pub(crate) use vocabulary::Vocabulary;
