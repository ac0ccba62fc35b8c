//! Operations on types that depend on how the model's signatures overlap.

use crate::logic::SigId;
use crate::model::Model;
use crate::types::Type;
use std::collections::BTreeSet;

impl Type {
    pub(crate) fn intersection(&self, other: &Type, model: &Model) -> Type {
        let mut products = BTreeSet::new();
        for left in &self.products {
            for right in &other.products {
                let columns: Option<Vec<SigId>> =
                    left.iter().zip(right).map(|(a, b)| model.common(*a, *b)).collect();
                products.extend(columns);
            }
        }
        Type { arity: self.arity, products }
    }

    pub(crate) fn join(&self, other: &Type, model: &Model) -> Type {
        let mut products = BTreeSet::new();
        for left in &self.products {
            for right in &other.products {
                let (Some((last, init)), Some((first, tail))) = (left.split_last(), right.split_first())
                else {
                    continue;
                };
                if model.common(*last, *first).is_some() {
                    products.insert(init.iter().chain(tail).copied().collect());
                }
            }
        }
        Type { arity: self.arity + other.arity - 2, products }
    }

    /// The type of the transitive closure of a binary relation.
    pub(crate) fn closure(&self, model: &Model) -> Type {
        let mut all = self.clone();
        loop {
            let next = all.union(&all.join(self, model));
            if next == all {
                return all;
            }
            all = next;
        }
    }

    /// The type for display: `List -> Node`.
    pub(crate) fn show(&self, model: &Model) -> String {
        if self.products.is_empty() {
            return "nothing".to_owned();
        }
        let product = |it: &Vec<SigId>| {
            it.iter().map(|sig| model.signature(*sig).name.as_str()).collect::<Vec<_>>().join(" -> ")
        };
        self.products.iter().map(product).collect::<Vec<_>>().join(" or ")
    }
}
