//! Two versions of the code under test: whether the same calls tell them apart.
//!
//! A *version* is the program with another body for one method ([`Version`]); a mutant is one kind. The same
//! plan runs on both from the same state with the same symbolic inputs ([`Product`]): first on the original,
//! then on the version. This is one exploration, so its path condition covers both runs, and every decision of
//! either is a side to try. At the end of a path the two states are compared ([`Image`]): they differ, or they
//! differ under a condition of which the solver is asked, or they are equal on all inputs that take this path.

mod image;
mod product;
mod version;

pub use image::{Comparison, Extent, Image, Other};
pub use product::{Product, prepare};
pub use version::{Bases, Version};
