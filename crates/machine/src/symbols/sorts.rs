//! Sorts of shadows: a shadow is the number of a term.

use crate::classes::Kind;
use crate::state::Shadow;
use cupping_term::{Sort, TermId};
use std::num::NonZeroU32;

/// The sort of the term that shadows a slot of this kind.
pub fn sort_of(kind: Kind) -> Sort {
    match kind {
        Kind::Long => Sort::Bv64,
        Kind::Float => Sort::F32,
        Kind::Double => Sort::F64,
        _ => Sort::Bv32,
    }
}

/// The term that a shadow names.
pub fn term_of(shadow: Shadow) -> Option<TermId> {
    NonZeroU32::new(shadow).map(TermId::from_raw)
}

/// The shadow that names a term.
pub fn shadow_of(term: TermId) -> Shadow {
    term.get().get()
}
