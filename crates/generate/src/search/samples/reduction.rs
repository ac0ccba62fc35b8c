//! Smaller variants of a sample that still show what it shows.

use super::super::Search;
use super::super::products::Attempt;
use super::elements::without_elements;
use crate::candidate::Candidate;
use crate::input::Input;
use crate::mutation::Vocabulary;
use crate::plan::{Plan, PlanStep};
use cupping_machine::{Kind, Snapshot};
use std::rc::Rc;

/// Length up to which texts and arrays need not be cut.
const SHORT: usize = 4;

/// How far a sample is reduced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::search) enum Reduction {
    /// Long texts and arrays are halved, other inputs stay: they may show several things.
    Short,
    /// All inputs become as small as possible.
    Smallest,
}

impl Reduction {
    /// Limit on the runs by which one sample is reduced.
    fn most(self) -> usize {
        match self {
            Reduction::Short => 16,
            Reduction::Smallest => 120,
        }
    }

    /// Smaller values of an input, those that promise most first.
    fn smaller(self, input: &Input, vocabulary: &Vocabulary) -> Vec<Input> {
        match (self, input) {
            (Reduction::Short, Input::Text(text)) if text.len() > SHORT && !vocabulary.is_natural(text) => {
                halves(text).into_iter().map(Input::Text).collect()
            }
            (Reduction::Short, Input::Elements(kind, all)) if all.len() > SHORT => {
                halves(all).into_iter().map(|it| Input::Elements(*kind, it)).collect()
            }
            (Reduction::Smallest, Input::Text(text)) => {
                parts(text, u16::from(b'a')).into_iter().map(Input::Text).collect()
            }
            (Reduction::Smallest, Input::Elements(kind, all)) => {
                parts(all, 1).into_iter().map(|it| Input::Elements(*kind, it)).collect()
            }
            (Reduction::Smallest, Input::Fixed(kind, bits)) => {
                numbers(*kind, *bits).into_iter().map(|it| Input::Fixed(*kind, it)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Search<'_> {
    /// The smallest variant found of a sample of which this still holds: without unnecessary calls, with smaller
    /// inputs. Each variant starts from `base`.
    pub(in crate::search) fn reduced(
        &mut self,
        base: &Snapshot,
        (how, vocabulary): (Reduction, &Vocabulary),
        candidate: Candidate,
        holds: &mut dyn FnMut(&mut Self, &Candidate) -> bool,
    ) -> Candidate {
        let mut best = candidate;
        let mut left = how.most();
        let mut take = |search: &mut Self, best: &mut Candidate, plan: Plan| {
            if left == 0 {
                return false;
            }
            left -= 1;
            let slots = Rc::new(best.driver.slots.clone());
            let attempt = Attempt { plan: Rc::new(plan), slots, model: best.model.clone() };
            let Some(candidate) = search.follow_to_end(base, &attempt) else { return false };
            let is_taken = holds(search, &candidate);
            if is_taken {
                *best = candidate;
            }
            is_taken
        };
        let mut at = best.plan.steps.len();
        while at > best.plan.setup {
            at -= 1;
            let is_call = best.plan.steps.get(at).is_some_and(PlanStep::is_effect);
            let shorter = if is_call { best.plan.without(at) } else { None };
            if let Some(shorter) = shorter.filter(|it| it.under_test().is_some()) {
                take(self, &mut best, shorter);
            }
        }
        let mut at = best.plan.steps.len();
        while at > best.plan.setup {
            at = at.min(best.plan.steps.len()) - 1;
            while without_elements(&best.plan, at).into_iter().any(|it| {
                let dropped = best.plan.steps.len() - it.steps.len();
                let is_taken = take(self, &mut best, it);
                at = at.saturating_sub(if is_taken { dropped } else { 0 });
                is_taken
            }) {}
        }
        for at in best.plan.setup..best.plan.steps.len() {
            while let Some(PlanStep::Input { input, .. }) = best.plan.steps.get(at) {
                let smaller = how.smaller(input, vocabulary);
                let is_reduced = smaller.into_iter().any(|smaller| {
                    let mut plan = (*best.plan).clone();
                    if let Some(PlanStep::Input { input, .. }) = plan.steps.get_mut(at) {
                        *input = smaller;
                    }
                    take(self, &mut best, plan)
                });
                if !is_reduced {
                    break;
                }
            }
        }
        best
    }
}

fn halves<T: Clone>(all: &[T]) -> [Vec<T>; 2] {
    let (first, second) = all.split_at(all.len() / 2);
    [first.to_vec(), second.to_vec()]
}

/// The halves of a text or an array, the text without an end, and one of plain elements.
fn parts<T: Clone + PartialEq>(all: &[T], plain: T) -> Vec<Vec<T>> {
    let mut found = Vec::new();
    if all.len() > 2 {
        found.extend(halves(all));
    }
    if let [first, rest @ ..] = all {
        found.push(all[..rest.len()].to_vec());
        found.push(rest.to_vec());
        if all.iter().any(|it| *it != plain) {
            found.push(vec![plain.clone(); all.len()]);
        }
        // One by one, from the start: those that need to be something else stay.
        if let Some(at) =
            all.iter().position(|it| *it != plain).filter(|_| *first != plain || !rest.is_empty())
        {
            let mut other = all.to_vec();
            other[at] = plain;
            found.push(other);
        }
    }
    found
}

/// Numbers that are nearer to 0.
fn numbers(kind: Kind, bits: u64) -> Vec<u64> {
    let value = match kind {
        Kind::Int => i64::from(bits as i32),
        Kind::Long => bits as i64,
        Kind::Byte | Kind::Short => kind.narrow(bits) as i32 as i64,
        _ => return Vec::new(),
    };
    let mut smaller: Vec<i64> = Vec::new();
    for it in [0, 1, value / 2, value - value.signum()] {
        if it.unsigned_abs() < value.unsigned_abs() && !smaller.contains(&it) {
            smaller.push(it);
        }
    }
    let bits = |it: i64| if kind == Kind::Long { it as u64 } else { u64::from(it as i32 as u32) };
    smaller.into_iter().map(bits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_approach_zero() {
        assert_eq!(numbers(Kind::Int, 9), [0, 1, 4, 8]);
        assert_eq!(numbers(Kind::Byte, 0xff), [0], "-1");
        assert_eq!(numbers(Kind::Long, -5i64 as u64), [0, 1, -2i64 as u64, -4i64 as u64]);
        assert!(numbers(Kind::Int, 0).is_empty() && numbers(Kind::Double, 9).is_empty());
    }

    #[test]
    fn parts_are_shorter_or_plainer() {
        assert_eq!(parts(&[7, 8], 1), [vec![7], vec![8], vec![1, 1], vec![1, 8]]);
        assert_eq!(parts(&[1], 1), [vec![], Vec::<i32>::new()]);
        assert!(parts::<i32>(&[], 1).is_empty());
    }
}
