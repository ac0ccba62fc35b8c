//! Differences between two versions of a program, as text for people and for programs.
//!
//! A [`Cause`] is one change, or several that the same calls run, with its effect on calls ([`Example`]).

mod findings;
mod markdown;
mod page;
mod sarif;
mod side_by_side;
mod text;

pub use findings::{
    ApiChange, Cause, ChangedMethod, Differences, Example, FindingKind, MovedClass, NOT_SEARCHED, SourcePair,
};
pub use markdown::markdown;
pub use page::page;
pub use sarif::sarif;
pub use side_by_side::Excerpt;
pub use text::text;
