//! Bit-blasting to a SAT solver: exact for bit-vectors and for comparisons of floats.

use crate::bits::{BlastResult, solve};
use crate::chain::{Context, Goal, Layer, LowerLayers, Verdict};
use crate::query::Answer;

/// Bit-blasting within a budget of gates and conflicts.
pub struct Sat;

impl Layer for Sat {
    fn name(&self) -> &'static str {
        "sat"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, _: &mut LowerLayers<'_>) -> Verdict {
        let (answer, work) = solve(cx.terms, cx.config, &goal.assertions, &goal.hint);
        cx.work += work;
        match answer {
            BlastResult::Sat(model) => Verdict::Own(Answer::Sat(model)),
            BlastResult::Unsat(core) => Verdict::Own(Answer::Unsat { core }),
            BlastResult::Unknown => Verdict::Declined,
        }
    }
}
