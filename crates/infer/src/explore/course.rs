//! The course of an exploration: the objects that tests leave, then breadth, then depth and samples.

use super::explorer::Explorer;
use super::limits::Exploration;
use crate::recorder::Recording;
use crate::runner::construct;
use crate::sequence::{CallSequence, Invocation};
use crate::trace::Execution;

impl Explorer<'_> {
    /// Explores, beginning with the calls of tests. The state of the machine is restored.
    pub fn run(mut self, recorded: &Recording) -> Exploration {
        self.explore(recorded);
        self.finish()
    }

    /// The result.
    pub fn finish(self) -> Exploration {
        self.found
    }

    /// The result so far.
    pub fn found(&self) -> &Exploration {
        &self.found
    }

    /// Explores. The machine is left as it was.
    pub fn explore(&mut self, recorded: &Recording) {
        self.makers(0);
        for test in &recorded.tests {
            self.start_from(test);
        }
        self.found.complete = usize::MAX;
        self.breadth();
        let complete = self.found.complete;
        if self.worlds() {
            self.breadth();
            // The bound is that of sequences that begin with the first values of static fields.
            let longest = self.found.states.iter().map(|it| it.made.calls()).max().unwrap_or(0);
            let is_whole = self.found.complete == usize::MAX;
            self.found.complete = complete.min(if is_whole { complete } else { longest });
        }
        let mut is_all = self.found.complete == usize::MAX;
        let before = self.found.executions.len();
        if is_all && self.has_budget() && self.pool.widen() {
            // The restricted values are exhausted, and budget is left.
            let longest = self.found.states.iter().map(|it| it.made.calls()).max();
            let states = self.found.states.iter().zip(0..);
            self.queue.extend(states.map(|(it, state)| (it.made.calls(), state)));
            self.makers(before);
            self.breadth();
            is_all = self.found.complete == usize::MAX;
            self.found.complete = self.found.complete.max(longest.unwrap_or(0));
        }
        self.found.closed = is_all && self.has_budget();
        if is_all {
            let longest = self.found.states.iter().map(|it| it.made.calls()).max();
            self.found.complete = longest.unwrap_or(0);
        } else {
            self.depth();
            self.sample_remaining_calls();
        }
        self.machine.restore(&self.base);
    }

    /// Calls constructors and static methods, except with argument lists used in the first `known` executions.
    fn makers(&mut self, known: usize) {
        for method in 0..self.subject.methods.len() {
            if !self.subject.methods[method].has_receiver() {
                let is_known = |it: &&Execution| it.method == method;
                let called = self.found.executions[..known].iter().filter(is_known).count();
                self.fresh(method, called);
            }
        }
    }

    /// Calls a constructor or static method, except with the first `called` argument lists.
    fn fresh(&mut self, method: usize, called: usize) {
        self.machine.restore(&self.base);
        for arguments in self.pool.choices(self.machine, self.subject, method).into_iter().skip(called) {
            self.machine.restore(&self.base);
            let call = Invocation { invokable: self.subject.methods[method].clone(), arguments };
            if !self.has_budget() {
                return;
            }
            self.call(method, call, None);
        }
    }

    /// An object that a test leaves is a state to continue from.
    fn start_from(&mut self, test: &CallSequence) {
        let Some(made) = test.receiver.as_ref().filter(|it| it.calls() <= self.limits.calls) else { return };
        self.machine.restore(&self.base);
        self.is_large = false;
        if let Ok(object) = construct(self.machine, made) {
            self.reach(None, made.clone(), object, None);
        }
    }
}
