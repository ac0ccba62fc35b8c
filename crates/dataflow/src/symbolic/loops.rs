//! Loops: summaries of the iterations that are not executed one by one.

use super::evaluator::Evaluator;
use super::natural_loops::{Loop, loops};
use super::state::{END_OF_UNKNOWN, SymbolicState};
use crate::body::AnalysedBody;
use cupping_classfile::Action;
use cupping_term::{Sort, TermId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Number of iterations that are executed individually, if they depend on unknown values.
const TIMES: u32 = 2;
/// Times it is run otherwise.
const MOST_TIMES: u32 = 64;

impl Evaluator<'_> {
    /// Records that the head of a loop is reached. `false` if the path need not continue, since a general one
    /// represents it.
    pub(super) fn enter_loop(
        &mut self,
        state: &mut SymbolicState,
        body: &Rc<AnalysedBody>,
        at: usize,
    ) -> bool {
        let loops = match self.loops.get(&body.method) {
            Some(known) => known.clone(),
            None => {
                let found = Rc::new(loops(body));
                self.loops.insert(body.method, found.clone());
                found
            }
        };
        let conditions = state.condition.len();
        let Some(frame) = state.frame() else { return true };
        // A loop that was left starts over when it is entered again.
        frame.visits.retain(|head, _| loops.get(head).is_some_and(|l| l.body.contains(&at)));
        let Some(own) = loops.get(&at) else { return true };
        let Some(visit) = frame.visits.get_mut(&at) else {
            frame.visits.insert(at, (0, conditions, false));
            return true;
        };
        if visit.2 {
            return false;
        }
        // A loop whose course is known so far is run on.
        let weight = if visit.1 == conditions { 1 } else { MOST_TIMES / TIMES };
        visit.0 += weight;
        visit.1 = conditions;
        if visit.0 < MOST_TIMES {
            return true;
        }
        visit.2 = true;
        self.generalize(state, body, at, own);
        true
    }

    /// Leaves unknown whatever the loop may change.
    fn generalize(&mut self, state: &mut SymbolicState, body: &Rc<AnalysedBody>, at: usize, own: &Loop) {
        state.is_exact = false;
        let mut defined = BTreeSet::new();
        let mut accesses = Vec::new();
        let is_own = state.frames.last().is_some_and(|f| f.is_own);
        let number = self.flat.method(body.method);
        for at in &own.body {
            let action = body.instructions[*at].action();
            if matches!(action, Action::PutField | Action::PutStatic) {
                defined.extend(self.flat.variable_at(self.machine, body, *at));
            }
            if let Some(number) = number.filter(|_| is_own) {
                accesses.extend_from_slice(self.accesses.at(number, *at));
            }
            if let Some(callee) = self.flat.callee(self.machine, body, *at) {
                defined.extend(self.flat.defined_by(self.machine, callee));
                if let Some(callee) = self.flat.method(callee) {
                    accesses.extend_from_slice(&self.accesses_through(callee));
                }
            }
            if self.flat.back.is_hook(body, *at, true) {
                defined.extend(&self.flat.back.defined);
                accesses.extend_from_slice(&self.accesses_back());
            }
            if matches!(action, Action::Invoke(_)) {
                defined.extend(&self.flat.defined_by_nested);
            }
        }
        accesses.sort_unstable();
        accesses.dedup();
        state.may_access(&accesses);
        self.forget(state, &defined);
        for number in &own.locals {
            let Some(Some(value)) = state.frames.last().and_then(|f| f.slots.locals.get(*number)).copied()
            else {
                continue;
            };
            let name = body.code.variable_at(*number as u16, body.instructions[at].pc);
            let name = name.map_or_else(|| format!("local{number}"), |v| v.name.to_string());
            let unknown = self.unknown_like(value, &name);
            if let Some(frame) = state.frame() {
                frame.slots.locals[*number] = Some(unknown);
            }
        }
        if let Err(why) = self.assume_invariants(state, body, at) {
            self.open.push(why);
        }
        if !self.claims.loops.iter().any(|claim| claim.invariant.method == *body.name) {
            let line = body.line(at).map_or(String::new(), |line| format!(" at line {line}"));
            self.open.push(format!("the loop{line} was summarised by the variables that it may change"));
        }
    }

    fn unknown_like(&mut self, value: TermId, name: &str) -> TermId {
        self.unknowns += 1;
        let sort: Sort = self.terms.sort(value);
        self.terms.new_variable(format!("{name}{}{}", END_OF_UNKNOWN, self.unknowns), sort)
    }
}
