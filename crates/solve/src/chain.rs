//! The solver chain (a chain of responsibility as in KLEE): layers are asked in turn, and each answer is
//! checked where it is given.

use std::rc::Rc;
use std::time::{Duration, Instant};

use cupping_term::{Evaluator, Model, TermId, Terms};

use crate::limits::SolverLimits;
use crate::query::{Answer, InternalError, Query, Reason};

/// A query to a layer: assertions, possibly rewritten by the layers before, and a model to start from.
#[derive(Clone, Debug)]
pub struct Goal {
    /// `Bool` terms, all of which must hold.
    pub assertions: Vec<TermId>,
    /// A model that satisfies most of the assertions.
    pub hint: Rc<Model>,
}

/// A layer's answer.
#[derive(Clone, Debug)]
pub enum LayerVerdict {
    /// The layer decided the goal. `Sat` assigns every variable of the goal that is not 0; `Unsat` names
    /// indices of the goal's assertions.
    Own(Answer),
    /// Answers of the later layers, translated back to the goal.
    Passed(Answer),
    /// The layer cannot decide the goal.
    Declined,
}

/// One layer of the chain.
pub trait Layer {
    /// The name shown in statistics.
    fn name(&self) -> &'static str;

    /// Answers the goal, passes a rewritten one on to `rest`, or declines.
    fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal, rest: &mut LowerLayers<'_>) -> LayerVerdict;

    /// Forgets everything learned about the terms of an arena.
    fn forget(&mut self) {}
}

/// Shared resources of the layers.
pub struct Context<'a> {
    /// The arena of the goal's terms; layers may build new ones.
    pub terms: &'a mut Terms,
    /// For evaluation; call [`Evaluator::forget`] before evaluating under another model.
    pub evaluator: &'a mut Evaluator,
    /// The budgets.
    pub limits: &'a SolverLimits,
    /// Why the last layer declined for lack of budget or support.
    pub reason: Option<Reason>,
    /// Contradictory answers found.
    pub errors: &'a mut Vec<InternalError>,
    /// The cost of the query so far, in microseconds of a reference machine: the same on every machine.
    pub work: u64,
}

/// The cost of passing a goal to a layer.
const PASSED: u64 = 10;

impl Context<'_> {
    /// Whether all assertions of a goal hold under a model.
    pub fn holds(&mut self, goal: &Goal, model: &Model) -> bool {
        self.evaluator.all_hold(self.terms, model, &goal.assertions)
    }

    /// The model restricted to the goal's variables, including zeros.
    fn complete(&self, goal: &Goal, model: &Model) -> Model {
        let variables = goal.assertions.iter().flat_map(|&a| self.terms.variables(a));
        variables.map(|&variable| (variable, model.get(variable))).collect()
    }

    fn report(&mut self, layer: &'static str, what: &str, goal: &Goal) {
        let query = Query { assertions: &goal.assertions, hint: Some(&goal.hint) }.to_text(self.terms);
        self.errors.push(InternalError { layer, what: what.to_owned(), query });
    }
}

/// Counters of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayerStats {
    /// Goals that reached the layer.
    pub asked: u64,
    /// Goals for which it found a model.
    pub sat: u64,
    /// Goals it refuted.
    pub unsat: u64,
    /// Wall-clock time spent in the layer and the layers behind it.
    pub inclusive: Duration,
}

pub(crate) struct Slot {
    pub(crate) layer: Box<dyn Layer>,
    pub(crate) stats: LayerStats,
}

/// The layers behind the current one.
pub struct LowerLayers<'a> {
    pub(crate) slots: &'a mut [Slot],
}

impl LowerLayers<'_> {
    /// The answer of the first layer that has one.
    ///
    /// Every model is evaluated here. A model that does not satisfy the goal, or a refutation of a goal that
    /// the hint satisfies, is recorded as an [`InternalError`], and the next layer is asked.
    pub fn solve(&mut self, cx: &mut Context<'_>, goal: &Goal) -> Answer {
        let Some((slot, behind)) = self.slots.split_first_mut() else {
            let reason = cx.reason.take();
            return Answer::Unknown(
                reason.unwrap_or_else(|| Reason::Unsupported("no layer can decide the query".into())),
            );
        };
        let start = Instant::now();
        slot.stats.asked += 1;
        cx.work += PASSED;
        let mut rest = LowerLayers { slots: behind };
        let verdict = slot.layer.solve(cx, goal, &mut rest);
        let answer = match verdict {
            LayerVerdict::Passed(answer) => answer,
            LayerVerdict::Own(Answer::Sat(model)) if cx.holds(goal, &model) => {
                slot.stats.sat += 1;
                Answer::Sat(cx.complete(goal, &model))
            }
            LayerVerdict::Own(Answer::Sat(_)) => {
                cx.report(slot.layer.name(), "gave a model that does not satisfy the query", goal);
                rest.solve(cx, goal)
            }
            LayerVerdict::Own(Answer::Unsat { .. }) if cx.holds(goal, &goal.hint) => {
                cx.report(slot.layer.name(), "refuted a query that has a model", goal);
                rest.solve(cx, goal)
            }
            LayerVerdict::Own(Answer::Unsat { core }) => {
                slot.stats.unsat += 1;
                Answer::Unsat { core }
            }
            LayerVerdict::Own(Answer::Unknown(reason)) => {
                cx.reason = Some(reason);
                rest.solve(cx, goal)
            }
            LayerVerdict::Declined => rest.solve(cx, goal),
        };
        slot.stats.inclusive += start.elapsed();
        answer
    }
}
