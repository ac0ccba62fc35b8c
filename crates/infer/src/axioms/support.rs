//! The smallest sets of tests that support axioms (slide 30): from them alone the same right sides are inferred as from all.

use super::candidates::holding;
use super::rhs::Rhs;
use super::sample::Sample;
use crate::sequence::Test;
use std::rc::Rc;

/// Compositions that are tried for a set.
const MOST: usize = 24;

/// The tests of the smallest sets of the parts of an axiom.
pub fn support(parts: &[&[&Sample<'_>]], of_state: bool, is_single: bool) -> Vec<Rc<Test>> {
    let mut tests: Vec<Rc<Test>> = Vec::new();
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
    let is_told = |it: &&&Sample<'_>| if of_state { it.after.is_some() } else { it.result.is_some() };
    let tried: Vec<&'s Sample<'e>> = part.iter().filter(is_told).take(MOST).copied().collect();
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
