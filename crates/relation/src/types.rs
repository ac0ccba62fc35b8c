//! Types of relational expressions: unions of products of signatures, as in Alloy 6. They identify joins that
//! are always empty, which are errors, and bound the atoms that a relation can contain.

use crate::logic::SigId;
use std::collections::BTreeSet;

/// A type; without products it is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// How many columns.
    pub arity: usize,
    /// The products.
    pub products: BTreeSet<Vec<SigId>>,
}

impl Type {
    /// The empty type.
    pub(crate) fn none(arity: usize) -> Type {
        Type { arity, products: BTreeSet::new() }
    }

    /// The type of a signature.
    pub(crate) fn of(sig: SigId) -> Type {
        Type { arity: 1, products: BTreeSet::from([vec![sig]]) }
    }

    pub(crate) fn is_none(&self) -> bool {
        self.products.is_empty()
    }

    pub(crate) fn union(&self, other: &Type) -> Type {
        Type { arity: self.arity, products: self.products.union(&other.products).cloned().collect() }
    }

    pub(crate) fn product(&self, other: &Type) -> Type {
        let products = self.products.iter().flat_map(|left| {
            other.products.iter().map(move |right| left.iter().chain(right).copied().collect())
        });
        Type { arity: self.arity + other.arity, products: products.collect() }
    }

    pub(crate) fn transposed(&self) -> Type {
        let products = self.products.iter().map(|it| it.iter().rev().copied().collect());
        Type { arity: self.arity, products: products.collect() }
    }

    /// The signatures of a column.
    pub(crate) fn column(&self, at: usize) -> BTreeSet<SigId> {
        self.products.iter().map(|it| it[at]).collect()
    }
}
