//! Facts of method bodies on which results depend: what the analyses of the search need to know of a body that no run
//! executes.

mod casts;
mod compared_constants;
mod creations;
mod null_test;
mod references;
mod vocabulary;

pub use casts::Casts;
pub use compared_constants::{ComparedConstants, compares_texts};
pub use creations::Creations;
use cupping_classfile::facts::FactKind;
pub use null_test::NullTest;
pub use references::{MemberName, Reference, References};
pub use vocabulary::{NamedText, Vocabulary};

/// All kinds of facts.
pub const FACTS: &[FactKind] = &[
    FactKind::of::<Casts>(),
    FactKind::of::<ComparedConstants>(),
    FactKind::of::<Creations>(),
    FactKind::of::<NullTest>(),
    FactKind::of::<References>(),
    FactKind::of::<Vocabulary>(),
];

#[cfg(test)]
mod tests;
