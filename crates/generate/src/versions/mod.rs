//! Two versions of the code under test: whether the same calls distinguish them.
//!
//! The same plan runs on the original and on an [`Alternative`], from equal states with the same symbolic
//! inputs ([`Product`]): first on the original, then on the other. This is one exploration, so its path
//! condition covers both runs, and every decision of either is a side to try. At the end of a path the two
//! states are compared ([`Image`]): they differ, or they differ under a condition that the solver decides, or
//! they are equal on all inputs that take this path.
//!
//! A [`Version`] has another body for one method; a mutant is one kind. A [`ProgramVersion`] may have other
//! classes throughout. Both programs share the JDK of one machine. Where they name the same class, plans are
//! translated (`translation`), and only what a caller can observe is compared ([`contrast()`]), since fields
//! may have changed.

mod alternative;
mod bases;
mod contrast;
mod image;
mod leaves;
mod product;
mod program;
mod translation;
mod version;

pub use alternative::Alternative;
pub use bases::Bases;
pub use contrast::{Contrast, DifferenceTest, VersionEnd};
pub(crate) use contrast::{contrast, difference};
pub use image::{Comparand, Comparison, Extent, Image};
pub use product::{Product, prepare};
pub use program::ProgramVersion;
pub use version::Version;
