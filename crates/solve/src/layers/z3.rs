//! The last layer: Z3, exact, within a budget of its resource units.

use crate::chain::{Context, Goal, Layer, LayerVerdict, LowerLayers};
use crate::query::{Answer, Reason};
use crate::z3::{Translator, Z3Outcome};

/// Passes the goal to Z3 unchanged.
#[derive(Default)]
pub struct Z3 {
    translator: Translator,
    /// For small budgets and for whole ones: a first try says little about a second.
    backoffs: [Backoff; 2],
}

/// Leaves out goals while Z3 keeps giving up: with floats, that takes several times as long as its resources say.
#[derive(Clone, Copy, Debug, Default)]
struct Backoff {
    /// Goals in a row on which it gave up.
    in_a_row: u32,
    /// Goals to be left out.
    left_out: u32,
}

impl Backoff {
    /// Goals in a row that begin the backoff.
    const FIRST: u32 = 12;
    /// The most goals that are left out between two tries.
    const MOST: u32 = 31;

    /// Whether the next goal is left out.
    fn leaves_out(&mut self) -> bool {
        let is_left_out = self.left_out > 0;
        self.left_out = self.left_out.saturating_sub(1);
        is_left_out
    }

    fn record(&mut self, gave_up: bool) {
        self.in_a_row = if gave_up { self.in_a_row.saturating_add(1) } else { 0 };
        let doublings = (self.in_a_row + 1).checked_sub(Backoff::FIRST);
        self.left_out = doublings.map_or(0, |it| ((1 << it.min(5)) - 1).min(Backoff::MOST));
    }
}

/// Budgets below this count as small: `SolverLimits::quick` of the usual ones.
const SMALL: u32 = 50_000;

/// The cost of a check that Z3 answers, in microseconds of a reference machine.
const CHECK: u64 = 15_000;

impl Layer for Z3 {
    fn name(&self) -> &'static str {
        "z3"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, _: &mut LowerLayers<'_>) -> LayerVerdict {
        if !cx.limits.z3_bit_vectors && !speaks_of_floats(cx, goal) {
            cx.reason = Some(Reason::Timeout);
            return LayerVerdict::Declined;
        }
        let backoff = &mut self.backoffs[usize::from(cx.limits.z3_resources >= SMALL)];
        if backoff.leaves_out() {
            cx.reason = Some(Reason::Timeout);
            return LayerVerdict::Declined;
        }
        cx.work += CHECK;
        let outcome = self.translator.check(cx.terms, cx.limits, &goal.assertions);
        backoff.record(matches!(outcome, Z3Outcome::Timeout));
        match outcome {
            Z3Outcome::Sat(model) => LayerVerdict::Own(Answer::Sat(model)),
            Z3Outcome::Unsat => {
                LayerVerdict::Own(Answer::Unsat { core: (0..goal.assertions.len()).collect() })
            }
            Z3Outcome::Timeout => {
                cx.work += u64::from(cx.limits.z3_resources);
                cx.reason = Some(Reason::Timeout);
                LayerVerdict::Declined
            }
            Z3Outcome::TooLarge => {
                cx.reason = Some(Reason::Timeout);
                LayerVerdict::Declined
            }
            Z3Outcome::Unsupported(what) => {
                cx.reason = Some(Reason::Unsupported(what));
                LayerVerdict::Declined
            }
        }
    }

    fn forget(&mut self) {
        self.translator.forget();
        // Answers must not depend on goals of another arena.
        self.backoffs = Default::default();
    }
}

/// Whether the goal contains a float. Visits each term once.
fn speaks_of_floats(cx: &Context<'_>, goal: &Goal) -> bool {
    let mut seen = std::collections::HashSet::new();
    let mut open = goal.assertions.clone();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        if cx.terms.sort(term).is_float() {
            return true;
        }
        open.extend_from_slice(cx.terms.get(term).args());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of so many goals, those that are tried if Z3 gives up on all for which `gives_up` holds.
    fn tried(count: u32, gives_up: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut backoff = Backoff::default();
        let mut tried = Vec::new();
        for goal in 0..count {
            if !backoff.leaves_out() {
                backoff.record(gives_up(goal));
                tried.push(goal);
            }
        }
        tried
    }

    #[test]
    fn goals_are_left_out_after_a_row_of_hard_ones_only() {
        assert_eq!(tried(40, |goal| goal % 11 != 10).len(), 40);
        let hard = tried(200, |_| true);
        assert_eq!(hard[..12], (0..12).collect::<Vec<u32>>());
        assert!((15..25).contains(&hard.len()), "{hard:?}");
        // Tries never cease.
        assert!(hard.windows(2).all(|pair| pair[1] - pair[0] <= Backoff::MOST + 1));
    }

    #[test]
    fn an_answer_ends_the_backoff() {
        let tried = tried(100, |goal| goal < 20);
        let first = tried.iter().position(|goal| *goal >= 20).unwrap_or(0);
        assert_eq!(tried.len() - first, (100 - tried[first]) as usize);
    }
}
