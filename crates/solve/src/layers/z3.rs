//! The last layer: Z3, exact, within a budget of its resource units.

use crate::chain::{Context, Goal, Layer, LowerLayers, Verdict};
use crate::query::{Answer, Reason};
use crate::z3::{Outcome, Translator};

/// Passes the goal to Z3 unchanged.
#[derive(Default)]
pub struct Z3 {
    translator: Translator,
}

/// The cost of a check that Z3 answers, in microseconds of a reference machine.
const CHECK: u64 = 15_000;

impl Layer for Z3 {
    fn name(&self) -> &'static str {
        "z3"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, _: &mut LowerLayers<'_>) -> Verdict {
        if !cx.config.z3_bit_vectors && !speaks_of_floats(cx, goal) {
            cx.reason = Some(Reason::Timeout);
            return Verdict::Declined;
        }
        cx.work += CHECK;
        match self.translator.check(cx.terms, cx.config, &goal.assertions) {
            Outcome::Sat(model) => Verdict::Own(Answer::Sat(model)),
            Outcome::Unsat => Verdict::Own(Answer::Unsat { core: (0..goal.assertions.len()).collect() }),
            Outcome::Timeout => {
                cx.work += u64::from(cx.config.z3_resources);
                cx.reason = Some(Reason::Timeout);
                Verdict::Declined
            }
            Outcome::Unsupported(what) => {
                cx.reason = Some(Reason::Unsupported(what));
                Verdict::Declined
            }
        }
    }

    fn forget(&mut self) {
        self.translator.forget();
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
