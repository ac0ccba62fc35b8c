//! The choice of the fewest assertions.

use std::collections::{BTreeMap, BTreeSet};

/// The fewest indices such that each of these mutants has one of its own among them, most effective first.
pub(super) fn fewest(mut of: BTreeMap<usize, Vec<usize>>) -> BTreeSet<usize> {
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    while !of.is_empty() {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        of.values().flatten().for_each(|it| *counts.entry(*it).or_default() += 1);
        let best = counts.iter().max_by_key(|(at, count)| (**count, std::cmp::Reverse(**at)));
        let Some((&best, _)) = best else { break };
        chosen.insert(best);
        of.retain(|_, all| !all.contains(&best));
    }
    chosen
}
