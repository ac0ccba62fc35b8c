//! Sampling: which calls an exploration makes when it cannot make all.
//!
//! Breadth alone sees little of a class with many methods: all calls on a dozen states with one element each. So
//! half of the calls go to breadth, whose bound the output names; the other half goes to states many calls away, and
//! to calls spread over all states, methods and arguments.

use super::explorer::Explorer;
use crate::sequence::Invocation;
use crate::value::{Image, Value};

/// The number of layers of states.
const LAYERS: usize = 9;
/// The number of states of a layer that are extended.
const WIDTH: usize = 8;
/// The number of states over which the last calls are spread.
const MOST_SPREAD: usize = 120;
impl Explorer<'_> {
    /// Breadth: all calls on the shortest sequences, until half of the calls are made.
    pub(super) fn breadth(&mut self) {
        let (half, work) = (self.limits.executions / 2, self.limits.work / 2);
        while let Some((_, state)) = self.queue.pop_first() {
            let calls = self.found.states[state as usize].made.calls();
            let expanded = self.found.states.iter().filter(|it| it.expanded).count();
            let is_over = (self.found.executions.len() >= half || self.work >= work) && expanded >= 2;
            if calls > self.limits.calls || expanded >= self.limits.states || !self.has_budget() || is_over {
                self.found.complete = self.found.complete.min(calls - 1);
                continue;
            }
            self.expand(state);
        }
    }

    /// Depth: layers of states, each reached by changing calls from the previous layer. If there are many states,
    /// those with the most and the fewest elements are extended.
    pub(super) fn depth(&mut self) {
        let movers = self.movers();
        if movers.is_empty() {
            return;
        }
        let most = self.limits.executions / 4 / LAYERS;
        let work = self.limits.work / 4 / LAYERS as u64;
        let mut layer = self.even_sample((0..self.found.states.len()).collect(), WIDTH);
        for round in 0..LAYERS {
            let (begin, before) = (self.found.states.len(), self.found.executions.len());
            let spent = self.work;
            // The first argument list of each call before the second of any.
            'layer: for choice in 0..3 {
                for (at, state) in layer.iter().enumerate() {
                    for method in &movers {
                        let made = self.found.executions.len() - before;
                        if made >= most || self.work - spent >= work || !self.has_budget() {
                            break 'layer;
                        }
                        // The simplest arguments first, since equal elements make a difference; then any.
                        let which = if choice == 0 { (at + round) % 4 } else { at * 7 + round * 5 + choice };
                        self.one(*state, *method, which);
                    }
                }
            }
            layer = self.even_sample((begin..self.found.states.len()).collect(), WIDTH);
            if layer.is_empty() {
                return;
            }
        }
    }

    /// The remaining calls, each method on states of all sizes, with arguments of all kinds.
    pub(super) fn sample_remaining_calls(&mut self) {
        let methods: Vec<usize> =
            (0..self.subject.methods.len()).filter(|it| self.subject.methods[*it].has_receiver()).collect();
        if methods.is_empty() {
            return;
        }
        let open = (0..self.found.states.len()).filter(|it| !self.found.states[*it].expanded).collect();
        let left = self.limits.executions.saturating_sub(self.found.executions.len());
        let states = self.even_sample(open, (left / methods.len() / 2).clamp(4, MOST_SPREAD));
        for round in 0..6 {
            for (at, state) in states.iter().enumerate() {
                for method in &methods {
                    if !self.has_budget() {
                        return;
                    }
                    self.one(*state, *method, at * 5 + round * 3);
                }
            }
        }
    }

    /// Makes one of the calls of a method on a state.
    fn one(&mut self, state: usize, method: usize, choice: usize) {
        self.machine.restore(&self.base);
        let choices = self.pool.all_choices(self.machine, self.subject, method);
        let Some(arguments) = choices.get(choice % choices.len().max(1)).cloned() else { return };
        let snapshot = self.forks[state].snapshot.clone();
        self.machine.restore(&snapshot);
        let call = Invocation { invokable: self.subject.methods[method].clone(), arguments };
        self.call(method, call, Some(state as u32));
    }

    /// The methods that led from one state to another.
    fn movers(&self) -> Vec<usize> {
        let has_receiver = |it: &usize| self.subject.methods[*it].has_receiver();
        (0..self.subject.methods.len()).filter(|it| has_receiver(it) && self.moved[*it]).collect()
    }

    /// Picks states, smallest first, without large ones. Two thirds have distinct numbers; the others are states
    /// that `equals` does not distinguish from these.
    fn even_sample(&self, states: Vec<usize>, most: usize) -> Vec<usize> {
        let mut numbers = rustc_hash::FxHashSet::default();
        let (mut new, mut same) = (Vec::new(), Vec::new());
        for state in states.into_iter().filter(|it| !self.found.states[*it].is_large) {
            let reached = &self.found.states[state];
            let part = if numbers.insert(reached.number) { &mut new } else { &mut same };
            part.push((weight(&reached.image), state));
        }
        let others = (most / 3).min(same.len()).max(most.saturating_sub(new.len()));
        let mut all = evenly(new, most.saturating_sub(others));
        all.extend(evenly(same, others));
        all
    }
}

/// Picks evenly from the lightest to the heaviest.
pub(super) fn evenly(mut all: Vec<(usize, usize)>, most: usize) -> Vec<usize> {
    all.sort_unstable();
    if all.len() <= most {
        return all.into_iter().map(|it| it.1).collect();
    }
    let last = all.len() - 1;
    (0..most).map(|at| all[at * last / (most - 1).max(1)].1).collect()
}

/// The weight of a state: the number of values other than the initial ones.
fn weight(image: &Image) -> usize {
    let is_there = |it: &&Value| {
        !matches!(it, Value::Absent | Value::Null | Value::Int(0) | Value::Bool(false) | Value::Char(0))
    };
    let of = |it: &crate::value::Object| {
        let fields = it.fields.iter().map(|it| &it.1).filter(is_there).count();
        fields + it.elements.iter().flatten().filter(is_there).count()
    };
    image.objects.values().map(of).sum()
}
