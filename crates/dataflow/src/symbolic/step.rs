//! Executes one instruction: the domain ([`super::values`]) computes its result, this file decides the control flow.

use super::evaluator::Evaluator;
use super::path::PathEnd;
use super::state::SymbolicState;
use super::values::{BranchInput, Values};
use crate::body::AnalysedBody;
use cupping_classfile::interpreter::{Flow, step};
use cupping_classfile::{Action, Operand};
use cupping_machine::Kind;
use cupping_term::TermId;
use std::rc::Rc;

/// How a path continues.
pub(crate) enum StepResult {
    /// It goes on.
    On,
    /// Several paths go on from here.
    Fork(Vec<SymbolicState>),
    /// It has ended.
    Ended(PathEnd),
    /// The path is infeasible, or another one represents it.
    Dropped,
}

impl Evaluator<'_> {
    /// Executes the instruction that is due.
    pub(crate) fn step(&mut self, state: &mut SymbolicState) -> StepResult {
        let Some(frame) = state.frames.last() else { return StepResult::Dropped };
        let (body, at, is_own) = (frame.body.clone(), frame.at, frame.is_own);
        if !self.enter_loop(state, &body, at) {
            return StepResult::Dropped;
        }
        // A call accesses its receiver even if it throws.
        if is_own && matches!(body.instructions[at].action(), Action::Invoke(_)) {
            self.access_contents(state, &body, at);
        }
        match self.execute(state, &body, at) {
            Some(going) => going,
            // Subroutines of old compilers, and code that the verifier rejects.
            None => {
                self.open.push(format!("{} has code that cannot be evaluated", body.name));
                let all = self.flat.method(body.method).map(|m| self.accesses_through(m));
                state.may_access(&all.unwrap_or_default());
                let defined = (0..self.flat.variables.len()).collect();
                self.forget(state, &defined);
                StepResult::Ended(PathEnd::Open)
            }
        }
    }

    /// Records the accesses of an instruction to the contents of variables.
    fn access_contents(&mut self, state: &mut SymbolicState, body: &AnalysedBody, at: usize) {
        let Some(method) = self.flat.method(body.method) else { return };
        for id in self.accesses.at(method, at) {
            if self.accesses.all[*id].is_contents {
                state.access(*id, self.accesses.all[*id].on_this);
            }
        }
    }

    fn execute(
        &mut self,
        state: &mut SymbolicState,
        body: &Rc<AnalysedBody>,
        at: usize,
    ) -> Option<StepResult> {
        if let Action::Invoke(_) = body.instructions[at].action() {
            return self.call(state, body, at);
        }
        let mut frame = std::mem::take(&mut state.frame()?.slots);
        let mut values = Values { evaluator: self, state, body, asked: None };
        let flow = step(&mut values, &mut frame, &body.site(at));
        let asked = values.asked;
        state.frame()?.slots = frame;
        match flow.ok()? {
            // Subroutines of old compilers.
            Flow::Stop => None,
            Flow::Return(result) => {
                let is_wide = body.instructions[at].stack_type().is_some_and(|ty| ty.is_wide());
                self.leave(state, result.map(|value| (value, is_wide)))
            }
            Flow::Throw(thrown) => {
                let class = state.classes.get(&thrown).cloned();
                Some(StepResult::Fork(self.raise(state.clone(), class.as_deref(), Some(thrown))))
            }
            Flow::All | Flow::Next | Flow::To(_) => match asked {
                None => self.go(state, body, at),
                Some(BranchInput::Branch(taken)) => self.branch(state, body, at, taken),
                Some(BranchInput::Switch(value)) => self.switch(state, body, at, value),
                Some(BranchInput::Holds(conditions)) => self.require(state, body, at, &conditions),
            },
        }
    }

    /// Goes on to the only next instruction.
    pub(crate) fn go(
        &mut self,
        state: &mut SymbolicState,
        body: &AnalysedBody,
        at: usize,
    ) -> Option<StepResult> {
        let next = *body.targets[at].first()?;
        let frame = state.frame()?;
        (frame.came_from, frame.at) = (at, next);
        Some(StepResult::On)
    }

    fn branch(
        &mut self,
        state: &mut SymbolicState,
        body: &AnalysedBody,
        at: usize,
        taken: TermId,
    ) -> Option<StepResult> {
        let past = *body.targets[at].first()?;
        let target = body.targets[at].get(1).copied().unwrap_or(past);
        let stays = self.terms.not(taken);
        let sides = vec![(stays, past), (taken, target)];
        self.choose(state, at, sides)
    }

    /// Continues at one of several positions, each under its condition.
    fn choose(
        &mut self,
        state: &mut SymbolicState,
        at: usize,
        sides: Vec<(TermId, usize)>,
    ) -> Option<StepResult> {
        let mut states = Vec::new();
        for (condition, target) in sides {
            let mut side = state.clone();
            if self.assume(&mut side, condition) {
                let frame = side.frame()?;
                (frame.came_from, frame.at) = (at, target);
                states.push(side);
            }
        }
        if states.len() == 1 {
            *state = states.pop()?;
            return Some(StepResult::On);
        }
        Some(if states.is_empty() { StepResult::Dropped } else { StepResult::Fork(states) })
    }

    fn switch(
        &mut self,
        state: &mut SymbolicState,
        body: &AnalysedBody,
        at: usize,
        value: TermId,
    ) -> Option<StepResult> {
        let pairs: Vec<(i32, u32)> = match &body.instructions[at].operand {
            Operand::TableSwitch { low, targets, .. } => {
                (0..).zip(targets).map(|(nth, target)| (low.wrapping_add(nth), *target)).collect()
            }
            Operand::LookupSwitch { pairs, .. } => pairs.to_vec(),
            _ => return None,
        };
        let default = *body.targets[at].first()?;
        let mut by_target: Vec<(usize, Vec<i32>)> = Vec::new();
        for (number, target) in pairs {
            let target = body.at_offset(target)?;
            match by_target.iter_mut().find(|(t, _)| *t == target) {
                Some((_, numbers)) => numbers.push(number),
                None => by_target.push((target, vec![number])),
            }
        }
        let mut sides = Vec::new();
        let mut other = self.terms.bool(true);
        for (target, numbers) in by_target {
            let mut any = self.terms.bool(false);
            for number in numbers {
                let number = self.terms.int(number);
                let equal = self.terms.eq(value, number);
                any = self.terms.or(any, equal);
            }
            let not = self.terms.not(any);
            other = self.terms.and(other, not);
            if target != default {
                sides.push((any, target));
            } else {
                other = self.terms.or(other, any);
            }
        }
        sides.push((other, default));
        self.choose(state, at, sides)
    }

    /// Adds a conjunct; `false` where it cannot hold.
    pub(crate) fn assume(&mut self, state: &mut SymbolicState, condition: TermId) -> bool {
        if let Some(value) = self.terms.as_constant(condition) {
            return value != 0;
        }
        if state.condition.contains(&condition) {
            return true;
        }
        let not = self.terms.not(condition);
        if state.condition.contains(&not) {
            return false;
        }
        state.condition.push(condition);
        self.may_hold(&state.condition)
    }

    /// Continues where all conditions hold. Where one does not, its exception is thrown. It is followed if a method
    /// on the path catches it; otherwise the path ends.
    pub(crate) fn require(
        &mut self,
        state: &mut SymbolicState,
        body: &AnalysedBody,
        at: usize,
        conditions: &[(TermId, &str)],
    ) -> Option<StepResult> {
        let mut states = Vec::new();
        for (condition, exception) in conditions {
            if self.terms.as_constant(*condition) != Some(1) && self.is_caught(state, Some(exception)) {
                let mut failing = state.clone();
                let not = self.terms.not(*condition);
                if self.assume(&mut failing, not) {
                    states.extend(self.raise(failing, Some(exception), None));
                }
            }
            let known = state.condition.len();
            if !self.assume(state, *condition) {
                state.condition.truncate(known);
                return Some(match states.is_empty() {
                    true => StepResult::Ended(PathEnd::Threw),
                    false => StepResult::Fork(states),
                });
            }
        }
        let is_element =
            matches!(body.instructions[at].action(), Action::ArrayLoad(_) | Action::ArrayStore(_));
        if is_element && state.frames.last().is_some_and(|frame| frame.is_own) {
            self.access_contents(state, body, at);
        }
        let going = self.go(state, body, at)?;
        if states.is_empty() {
            return Some(going);
        }
        states.insert(0, state.clone());
        Some(StepResult::Fork(states))
    }

    /// Whether a method on the path may catch an exception of this class; of any class, if none is given.
    pub(crate) fn is_caught(&mut self, state: &SymbolicState, exception: Option<&str>) -> bool {
        state.frames.iter().any(|frame| {
            frame.body.guards(frame.at).any(|handler| match (&handler.catches, exception) {
                (Some(catches), Some(exception)) => self.catches(catches, exception) != Some(false),
                _ => true,
            })
        })
    }

    /// Whether a handler of one class catches exceptions of another; `None` if that depends on the actual class.
    fn catches(&mut self, catches: &str, exception: &str) -> Option<bool> {
        let catches = self.machine.load(catches).ok()?;
        let exception = self.machine.load(exception).ok()?;
        if self.machine.is_subtype(exception, catches) {
            return Some(true);
        }
        (!self.machine.is_subtype(catches, exception)).then_some(false)
    }

    /// The states in which the handlers of an exception begin. A path without any handler ends.
    pub(crate) fn raise(
        &mut self,
        mut state: SymbolicState,
        class: Option<&str>,
        thrown: Option<TermId>,
    ) -> Vec<SymbolicState> {
        let thrown = thrown.unwrap_or_else(|| self.made(&mut state, "exception"));
        if let Some(class) = class {
            state.classes.insert(thrown, class.into());
        }
        let mut states = Vec::new();
        while let Some(frame) = state.frames.last() {
            let (body, at) = (frame.body.clone(), frame.at);
            for handler in body.guards(at) {
                let caught = match (&handler.catches, class) {
                    (None, _) => Some(true),
                    (Some(catches), Some(class)) => self.catches(catches, class),
                    (Some(_), None) => None,
                };
                if caught == Some(false) {
                    continue;
                }
                let mut handling = state.clone();
                if let Some(frame) = handling.frame() {
                    frame.slots.stack = vec![Some(thrown)];
                    (frame.came_from, frame.at) = (at, handler.target);
                }
                states.push(handling);
                if caught == Some(true) {
                    return states;
                }
            }
            state.frames.pop();
        }
        state.end = Some(PathEnd::Threw);
        self.done.push(state);
        states
    }

    /// Returns from the method.
    fn leave(&mut self, state: &mut SymbolicState, result: Option<(TermId, bool)>) -> Option<StepResult> {
        state.frames.pop();
        let Some(caller) = state.frames.last() else {
            return Some(StepResult::Ended(PathEnd::Returned(result.map(|(value, _)| value))));
        };
        let (body, at) = (caller.body.clone(), caller.at);
        if let Some((value, is_wide)) = result {
            state.push_sized(value, is_wide);
        }
        self.go(state, &body, at)
    }

    /// Whether a reference is not `null`.
    pub(crate) fn is_there(&mut self, state: &SymbolicState, object: TermId) -> TermId {
        let null = self.terms.int(0);
        if state.made.contains(&object) { self.terms.bool(true) } else { self.terms.ne(object, null) }
    }

    /// The length of an array.
    pub(super) fn length(&mut self, state: &mut SymbolicState, array: TermId) -> TermId {
        if let Some(known) = state.lengths.get(&array) {
            return *known;
        }
        let length = self.unknown(state, Kind::Int, "length");
        let zero = self.terms.int(0);
        let fits = self.terms.sle(zero, length);
        state.condition.push(fits);
        state.lengths.insert(array, length);
        length
    }
}
