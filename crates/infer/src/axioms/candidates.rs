//! Right sides that hold for all compositions of a set.

use super::rhs::Rhs;
use super::sample::Sample;

/// The smallest number of compositions that support an axiom, or one side of a conditional axiom.
pub const LEAST: usize = 2;

/// The first right side that holds for all these compositions.
pub fn right(samples: &[&Sample<'_>], of_state: bool, is_single: bool) -> Option<Rhs> {
    holding(samples, of_state, is_single).into_iter().next()
}

/// All right sides that hold of these compositions.
pub fn holding(samples: &[&Sample<'_>], of_state: bool, is_single: bool) -> Vec<Rhs> {
    let has_left_side = |it: &&&Sample<'_>| if of_state { it.after.is_some() } else { it.result.is_some() };
    let complete: Vec<&&Sample<'_>> = samples.iter().filter(has_left_side).collect();
    // A composition without parameters has one sample.
    let is_only = |it: &&&Sample<'_>| it.before.is_none() && it.first.is_empty() && it.second.is_empty();
    let least = if complete.iter().all(is_only) { 1 } else { LEAST };
    if complete.len() < least {
        return Vec::new();
    }
    let mut candidates: Vec<Rhs> = Vec::new();
    // Some samples suggest less, because the result of the other order is not known.
    for sample in complete.iter().take(12) {
        for rhs in Rhs::suggested(sample, of_state, is_single) {
            if !candidates.contains(&rhs) {
                candidates.push(rhs);
            }
        }
    }
    // Two calls of one method without parameters commute trivially.
    let is_trivial =
        |rhs: &Rhs| *rhs == Rhs::Swapped && complete.iter().all(|it| it.is_repeated && it.first.is_empty());
    candidates.retain(|it| !is_trivial(it));
    candidates.retain(|rhs| {
        let truths: Vec<Option<bool>> = complete.iter().map(|it| rhs.fits(it, of_state)).collect();
        let known = truths.iter().flatten().count();
        !truths.contains(&Some(false)) && known >= least && known * 2 >= complete.len().min(8)
    });
    candidates
}
