//! A few values of each type, for one random sequence of calls.
//!
//! Values drawn from all numbers are hardly ever equal, so a call rarely concerns what another call has made: the key
//! that was put, the account that was paid. A sequence with few values is a small world, in which calls meet (the
//! *small scope hypothesis*, Jackson; *swarm testing*, Groce et al. 2012).

use crate::random::Random;
use crate::sequence::Arg;
use cupping_case::Literal;
use std::collections::BTreeMap;

/// The largest number of values of a type.
const MOST: usize = 4;

/// The values of one sequence, by the descriptor of their type.
#[derive(Clone, Debug, Default)]
pub struct FewValues {
    by_type: BTreeMap<String, Vec<Arg>>,
}

impl FewValues {
    /// One of the known values, if the next value is to be one of them.
    pub fn known(&self, descriptor: &str, random: &mut Random) -> Option<Arg> {
        let known = self.by_type.get(descriptor)?;
        known.get(random.below(MOST + 1)).cloned()
    }

    /// Keeps a value, if there are not enough of its type. `null` is rejected so often that it would be in the way.
    pub fn keep(&mut self, descriptor: String, value: &Arg) {
        if *value == Arg::Literal(Literal::Null) {
            return;
        }
        let known = self.by_type.entry(descriptor).or_default();
        if known.len() < MOST && !known.contains(value) {
            known.push(value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_occur_and_most_occur_again() {
        let (mut random, mut few) = (Random::new(0), FewValues::default());
        let mut next = 0;
        let mut drawn = Vec::new();
        for _ in 0..100 {
            let value = few.known("I", &mut random).unwrap_or_else(|| {
                next += 1;
                Arg::Literal(Literal::Int(next))
            });
            few.keep("I".to_owned(), &value);
            drawn.push(value);
        }
        let first = Arg::Literal(Literal::Int(1));
        assert!(drawn.iter().filter(|it| **it == first).count() > 15, "{drawn:?}");
        // The others are new: also sequences of few values see some more.
        assert!((10..45).contains(&next), "{next}");
        assert_eq!(few.by_type["I"].len(), MOST);
        few.keep("Lp/Item;".to_owned(), &Arg::Literal(Literal::Null));
        assert_eq!(few.known("Lp/Item;", &mut random), None);
    }
}
