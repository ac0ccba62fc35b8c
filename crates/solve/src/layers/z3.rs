//! The last layer: Z3, exact, under a budget of its resource units.

use crate::chain::{Context, Goal, Layer, Rest, Verdict};
use crate::query::{Answer, Reason};
use crate::z3::{Outcome, Translator};

/// Asks Z3 about the goal as it is.
#[derive(Default)]
pub struct Z3 {
    translator: Translator,
}

impl Layer for Z3 {
    fn name(&self) -> &'static str {
        "z3"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, _: &mut Rest<'_>) -> Verdict {
        match self.translator.check(cx.terms, cx.config, &goal.assertions) {
            Outcome::Sat(model) => Verdict::Own(Answer::Sat(model)),
            Outcome::Unsat => Verdict::Own(Answer::Unsat { core: (0..goal.assertions.len()).collect() }),
            Outcome::Timeout => {
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
