//! The smallest supporting sets of tests (slide 30): they suggest the same right sides as all compositions.

use super::candidates::holding;
use super::rhs::Rhs;
use super::sample::Sample;
use crate::sequence::CallSequence;
use std::rc::Rc;

/// The largest number of compositions that are tried for a set.
const MOST: usize = 24;

/// The tests of the smallest supporting sets of the parts of an axiom.
pub fn support(parts: &[&[&Sample<'_>]], of_state: bool, is_single: bool) -> Vec<Rc<CallSequence>> {
    let mut tests: Vec<Rc<CallSequence>> = Vec::new();
    for part in parts {
        for sample in smallest(part, of_state, is_single) {
            if !tests.contains(sample.test) {
                tests.push(sample.test.clone());
            }
        }
    }
    tests
}

fn smallest<'s, 'e>(part: &[&'s Sample<'e>], of_state: bool, is_single: bool) -> Vec<&'s Sample<'e>> {
    let wanted = holding(part, of_state, is_single);
    let has_left_side = |it: &&&Sample<'_>| if of_state { it.after.is_some() } else { it.result.is_some() };
    let tried: Vec<&'s Sample<'e>> = part.iter().filter(has_left_side).take(MOST).copied().collect();
    let is_same = |set: &[&Sample<'_>]| {
        let found: Vec<Rhs> = holding(set, of_state, is_single);
        found.len() == wanted.len() && found.iter().all(|it| wanted.contains(it))
    };
    for (at, a) in tried.iter().enumerate() {
        for b in &tried[at + 1..] {
            if is_same(&[a, b]) {
                return vec![a, b];
            }
        }
    }
    for (at, a) in tried.iter().enumerate().take(10) {
        for (then, b) in tried.iter().enumerate().take(10).skip(at + 1) {
            for c in tried.iter().take(10).skip(then + 1) {
                if is_same(&[a, b, c]) {
                    return vec![a, b, c];
                }
            }
        }
    }
    tried.into_iter().take(4).collect()
}
