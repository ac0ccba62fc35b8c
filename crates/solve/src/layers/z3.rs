//! The last layer: Z3, exact, within a budget of its resource units.

use crate::chain::{Context, Goal, Layer, LayerVerdict, LowerLayers};
use crate::query::{Answer, Reason};
use crate::z3::{Translator, Z3Outcome};

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

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, _: &mut LowerLayers<'_>) -> LayerVerdict {
        if !cx.limits.z3_bit_vectors && !speaks_of_floats(cx, goal) {
            cx.reason = Some(Reason::Timeout);
            return LayerVerdict::Declined;
        }
        cx.work += CHECK;
        match self.translator.check(cx.terms, cx.limits, &goal.assertions) {
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
