//! Answers of stubs that a test does not need: those of methods that nothing has called.
//!
//! The search gives all methods answers, since it does not know which of them the code will ask for. A reader of the
//! test wants to see those that it did ask for.

use super::Search;
use crate::candidate::Candidate;
use crate::case_writer::{CaseWriter, Draft};
use crate::mutation::run_again;
use crate::plan::{Plan, PlanStep, Var};
use crate::realization::{Realization, realize};
use crate::stub::Stub;
use cupping_case::{Assertion, VarId};
use cupping_coverage::merge;
use cupping_machine::{MAX_RECORDED_CALLS, Machine, StubResult};
use std::collections::BTreeSet;
use std::rc::Rc;

impl Search<'_> {
    /// Has the stubs of tests answer only what they are asked, where the tests then still show and cover the same.
    pub fn drop_unasked_answers(&mut self, writer: &mut CaseWriter<'_>, drafts: &mut [Draft]) {
        for draft in drafts {
            if self.clock.is_over() {
                return;
            }
            let is_of_earlier_run = draft.candidate.remembered.is_some();
            if !is_of_earlier_run && let Some(shorter) = self.without_unasked_answers(writer, draft) {
                *draft = shorter;
            }
        }
    }

    fn without_unasked_answers(&mut self, writer: &mut CaseWriter<'_>, draft: &Draft) -> Option<Draft> {
        let has_answers = |it: &PlanStep| matches!(it, PlanStep::Stub { results, .. } if !results.is_empty());
        if !draft.realized.plan.steps.iter().any(has_answers) {
            return None;
        }
        let (withheld, errors) = (writer.withheld.len(), writer.internal_errors.len());
        let base = writer.base().clone();
        self.machine.restore(&base);
        let run = run_again(self.machine, draft)?;
        let plan = Rc::new(asked_for(self.machine, &run)?);
        let candidate = Candidate { plan, keeps_inputs: false, ..draft.candidate.clone() };
        let plan = realize(self.machine, &base, self.map, &candidate).ok()?.plan;
        let candidate = Candidate { plan, keeps_inputs: true, ..candidate };
        let shorter = writer.write(self.machine, &mut self.influence, &candidate, draft.is_failing);
        writer.withheld.truncate(withheld);
        writer.internal_errors.truncate(errors);
        let mut shorter = shorter?;
        if shorter.case.outcome != draft.case.outcome || !shows_the_same(draft, &mut shorter) {
            return None;
        }
        let covered = |it: &Draft| self.map.covered(&it.coverage.hits);
        if self.map.gain(&covered(draft), &covered(&shorter)).total() > 0 {
            return None;
        }
        shorter.coverage.noticed.clone_from(&draft.coverage.noticed);
        Some(shorter)
    }
}

/// The plan of a run with stubs that answer only what they have been asked; `None` if they have been asked for
/// everything. The machine is at the end of the run.
fn asked_for(machine: &mut Machine, run: &Realization) -> Option<Plan> {
    let mut plan = run.plan.as_ref().clone();
    let mut is_changed = false;
    for step in &mut plan.steps {
        let PlanStep::Stub { stub, results, var } = step else { continue };
        let Some(object) = run.driver.object(*var) else { continue };
        let calls = machine.stub_calls(object)?;
        if calls.len() == MAX_RECORDED_CALLS {
            continue;
        }
        let asked: BTreeSet<usize> = calls.into_iter().map(|call| call.method).collect();
        let mut left = results.iter().copied();
        let (mut answers, mut values): (Vec<StubResult>, Vec<Var>) = (Vec::new(), Vec::new());
        for (at, (_, answer)) in stub.methods.iter().enumerate() {
            let own: Vec<Var> = left.by_ref().take(answer.fields()).collect();
            let is_asked = asked.contains(&at);
            answers.push(if is_asked { *answer } else { StubResult::Nothing });
            values.extend(own.into_iter().filter(|_| is_asked));
        }
        let is_same = stub.methods.iter().map(|(_, answer)| answer).eq(&answers);
        if !is_same {
            *stub = Stub::new(machine, stub.interface, answers).ok()?;
            *results = values;
            is_changed = true;
        }
    }
    plan.drop_unused_inputs();
    is_changed.then_some(plan)
}

/// Whether a test can assert all that another asserts; then it does so.
fn shows_the_same(of: &Draft, other: &mut Draft) -> bool {
    // The plans have the same variables, the cases do not.
    let named = |draft: &Draft, assertion: &Assertion| {
        let mut assertion = assertion.clone();
        let place = |id: VarId| draft.ids.iter().position(|it| *it == Some(id));
        assertion.for_each_variable(&mut |id| *id = VarId(place(*id).map_or(u32::MAX, |at| at as u32)));
        assertion
    };
    let all: Vec<Assertion> = other.case.assertions.iter().chain(&other.unchanged).cloned().collect();
    let by_plan: Vec<Assertion> = all.iter().map(|it| named(other, it)).collect();
    let wanted = of.case.assertions.iter().map(|it| by_plan.iter().position(|is| *is == named(of, it)));
    let Some(wanted) = wanted.collect::<Option<Vec<usize>>>() else { return false };
    other.case.assertions = wanted.iter().map(|at| all[*at].clone()).collect();
    for (probe, hits) in &other.unchanged_hits {
        if other.case.assertions.iter().any(|it| it.probe == *probe) {
            merge(&mut other.coverage.hits, hits);
        }
    }
    let others = all.into_iter().enumerate().filter(|(at, _)| !wanted.contains(at));
    other.unchanged = others.map(|(_, it)| it).collect();
    true
}
