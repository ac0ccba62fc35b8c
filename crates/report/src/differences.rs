//! Differences between two versions of a program, as text for people and for machines.
//!
//! A [`Cause`] is one change, or several that the same calls run, with what it makes of calls ([`Example`]).

mod findings;
mod markdown;
mod page;
mod sarif;
mod text;

pub use findings::{ApiChange, Cause, ChangedMethod, Differences, Example, Kind};
pub use markdown::markdown;
pub use page::page;
pub use sarif::sarif;
pub use text::text;
