//! Makers that refuse the texts of earlier calls, and nobody says which.
//!
//! A builder keeps any text, and its `build` asks an object, a lambda expression or the JDK whether it suits. No
//! method that takes the text is on the way to the exception, so there is no consumer to search. But a run of the
//! whole plan costs little. So its texts are replaced by words of the code that it runs, some hundred times, until it
//! returns. A plan that fails elsewhere, or runs something new, has advanced, and is changed further.

use super::WORK_OF_OPERATION;
use crate::driver::{Slot, run_concrete};
use crate::input::Input;
use crate::plan::{Plan, PlanStep, Var};
use crate::search::Search;
use crate::search::texts::{Words, changed, new_in};
use cupping_explore::{InvocationEnd, spent};
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the trials of one plan.
const TRIALS: usize = 400;
/// Fuel of a trial.
const FUEL: u64 = 100_000;
/// The most texts that are replaced at once.
const MAX_CHANGES: usize = 3;

impl Search<'_> {
    /// Varies the texts of the plan in which a maker failed last; those with which it returns suit the parameters of
    /// its calls. Returns whether there are any.
    pub(super) fn vary_refused_texts(&mut self) -> bool {
        let Some(plan) = self.worlds.consumers.refused.take() else { return false };
        if texts_of(&plan).is_empty() {
            return false;
        }
        let Some(plan) = self.plan_that_returns(plan) else { return false };
        for (at, var) in texts_of(&plan) {
            let PlanStep::Input { input: Input::Text(text), .. } = &plan.steps[at] else { continue };
            self.keep_suitable(&plan, var, text);
        }
        true
    }

    /// The same plan with other texts, with which its last call returns.
    fn plan_that_returns(&mut self, plan: Rc<Plan>) -> Option<Plan> {
        let invokable = plan.under_test()?.clone();
        let mut words = self.words_of(&invokable);
        let mut best = plan;
        let mut ends = BTreeSet::new();
        let mut hits: Vec<u64> = Vec::new();
        for _ in 0..TRIALS {
            if self.is_over() {
                break;
            }
            let trial = Rc::new(with_other_texts(&best, &mut words));
            self.machine.restore(&self.base);
            let slots = vec![Slot::default(); trial.variables.len()];
            let begun = spent(self.machine);
            let run = run_concrete(self.machine, &trial, &slots, &Model::default(), false, FUEL);
            self.work += WORK_OF_OPERATION / 2;
            self.charge_runs(begun);
            let Ok((driver, ended)) = run else { continue };
            let is_last = driver.is_done() || driver.next + 1 == trial.steps.len();
            match ended {
                InvocationEnd::Returned(_) => return Some(trial.as_ref().clone()),
                InvocationEnd::Threw(exception) if is_last => {
                    let end = self.end_by(exception);
                    let now = self.machine.registers().coverage.clone();
                    let is_new = ends.insert(end) | !new_in(&now, &hits).is_empty();
                    cupping_coverage::merge(&mut hits, &now);
                    if is_new {
                        best = trial;
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// A plan with words in place of some texts, or with texts that are changed at random.
fn with_other_texts(plan: &Plan, words: &mut Words) -> Plan {
    if words.one_in(3) {
        return changed(plan, &[], words);
    }
    let mut plan = plan.clone();
    let texts = texts_of(&plan);
    for _ in 0..1 + words.below(MAX_CHANGES) {
        let Some((at, var)) = words.pick(&texts).copied() else { break };
        plan.steps[at] = PlanStep::Input { input: Input::Text(words.word()), var };
    }
    plan
}

/// The steps of a plan that give a fixed text, with their variables.
fn texts_of(plan: &Plan) -> Vec<(usize, Var)> {
    let texts = plan.steps.iter().enumerate().filter_map(|(at, step)| match step {
        PlanStep::Input { input: Input::Text(_), var } => Some((at, *var)),
        _ => None,
    });
    texts.collect()
}
