//! Bit-blasting to a SAT solver: exact for bit-vectors and for comparisons of floats.

use crate::bits::{BlastResult, solve};
use crate::chain::{Context, Goal, Layer, LayerVerdict, LowerLayers};
use crate::query::Answer;

/// Bit-blasting within a budget of gates and conflicts.
pub struct Sat;

impl Layer for Sat {
    fn name(&self) -> &'static str {
        "sat"
    }

    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, _: &mut LowerLayers<'_>) -> LayerVerdict {
        let (answer, work) = solve(cx.terms, cx.limits, &goal.assertions, &goal.hint);
        cx.work += work;
        match answer {
            BlastResult::Sat(model) => LayerVerdict::Own(Answer::Sat(model)),
            BlastResult::Unsat(core) => LayerVerdict::Own(Answer::Unsat { core }),
            BlastResult::Unknown => LayerVerdict::Declined,
        }
    }
}
