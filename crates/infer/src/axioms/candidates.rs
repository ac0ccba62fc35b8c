//! Right sides that hold of all compositions of a set.

use super::rhs::Rhs;
use super::sample::Sample;

/// Compositions that an axiom, or one side of a conditional one, must hold of.
pub const LEAST: usize = 2;

/// The right side that all of these have: the one that comes first among those that hold.
pub fn right(samples: &[&Sample<'_>], of_state: bool, is_single: bool) -> Option<Rhs> {
    holding(samples, of_state, is_single).into_iter().next()
}

/// All right sides that hold of these, of as many as there must be.
pub fn holding(samples: &[&Sample<'_>], of_state: bool, is_single: bool) -> Vec<Rhs> {
    let is_told = |it: &&&Sample<'_>| if of_state { it.after.is_some() } else { it.result.is_some() };
    let told: Vec<&&Sample<'_>> = samples.iter().filter(is_told).collect();
    // A composition that nothing is a parameter of is all there is.
    let is_only = |it: &&&Sample<'_>| it.before.is_none() && it.first.is_empty() && it.second.is_empty();
    let least = if told.iter().all(is_only) { 1 } else { LEAST };
    if told.len() < least {
        return Vec::new();
    }
    let mut candidates: Vec<Rhs> = Vec::new();
    // A sample where what another order gives is not known suggests less than another.
    for sample in told.iter().take(12) {
        for rhs in Rhs::suggested(sample, of_state, is_single) {
            if !candidates.contains(&rhs) {
                candidates.push(rhs);
            }
        }
    }
    // Two calls of one method without parameters are the same in either order.
    let is_trivial =
        |rhs: &Rhs| *rhs == Rhs::Swapped && told.iter().all(|it| it.is_repeated && it.first.is_empty());
    candidates.retain(|it| !is_trivial(it));
    candidates.retain(|rhs| {
        let truths: Vec<Option<bool>> = told.iter().map(|it| rhs.fits(it, of_state)).collect();
        let known = truths.iter().flatten().count();
        !truths.contains(&Some(false)) && known >= least && known * 2 >= told.len().min(8)
    });
    candidates
}
