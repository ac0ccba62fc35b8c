//! A challenge: random calls that try to break likely formulas.
//!
//! Exploration tries few values on many states, in an order that favours small ones. A challenge tries many values
//! in any order: sequences begin in any state that was reached or with a new object, numbers lie near zero and near
//! the constants of the code, and objects of the class are passed in all states. Only calls that break something are
//! kept.

use super::explorer::Explorer;
use super::limits::ReachedState;
use crate::argument_type::ArgumentType;
use crate::few_values::FewValues;
use crate::pool::Together;
use crate::random::Random;
use crate::sequence::{Arg, Invocation};
use crate::trace::{CallOutcome, Execution};
use cupping_generate::Parameter;
use cupping_machine::Snapshot;
use std::rc::Rc;

/// The largest number of calls of a sequence.
const LONGEST: usize = 12;
/// The share of the calls that are made in marches.
const SHARE_OF_MARCHES: usize = 6;
/// Limit on the length of the construction of an object that is passed.
const MOST_MADE: usize = 6;
/// How often each pair of calls is tried.
const TRIES: usize = 64;
/// The number of ways in which the clock and seeds are moved.
const MOST_VARIATIONS: usize = 6;
/// The largest number of calls that are kept.
const MOST_KEPT: usize = 200;

impl Explorer<'_> {
    /// Makes random calls, many of them of the methods in focus, and keeps those that break something; returns how
    /// many.
    pub fn challenge(
        &mut self,
        calls: usize,
        seed: u64,
        focus: &[usize],
        breaks: &mut dyn FnMut(&Execution) -> bool,
    ) -> usize {
        let mut random = Random::new(seed);
        let (begin, end) = (self.found.executions.len(), self.work + self.limits.work);
        self.found.first_challenge.get_or_insert(begin);
        self.machine.restore(&self.base);
        let (own, others): (Vec<usize>, Vec<usize>) =
            (0..self.subject.methods.len()).partition(|it| self.subject.methods[*it].has_receiver());
        let movers: Vec<usize> = own.iter().copied().filter(|it| self.moved[*it]).collect();
        let in_focus =
            |all: &[usize]| -> Vec<usize> { all.iter().copied().filter(|it| focus.contains(it)).collect() };
        let (own_in_focus, others_in_focus) = (in_focus(&own), in_focus(&others));
        let mut left = calls + calls / SHARE_OF_MARCHES;
        let until = (self.work + self.limits.work / 8).min(end);
        left -= self.march(calls / SHARE_OF_MARCHES, until, &movers, &mut random, breaks);
        while left > 0 && self.work < end && !(self.limits.interrupted)() {
            if self.found.executions.len() - begin >= MOST_KEPT {
                break;
            }
            let mut object = self.begin(&mut random);
            self.vary(&mut random);
            self.pool.few = (random.below(3) > 0).then(FewValues::default);
            let favoured = favoured(&movers, &mut random);
            let mut last: Option<usize> = None;
            for _ in 0..LONGEST.min(left) {
                left -= 1;
                let methods = match &object {
                    None if random.below(2) == 0 && !others_in_focus.is_empty() => &others_in_focus,
                    None => &others,
                    Some(_) if !own_in_focus.is_empty() && random.below(3) == 0 => &own_in_focus,
                    Some(_) if random.below(24) == 0 && !others.is_empty() => &others,
                    // Calls that change the object lead to new states.
                    Some(_) if random.below(2) == 0 && !favoured.is_empty() => &favoured,
                    Some(_) => &own,
                };
                // Repeating a call reaches distant states.
                let again = last.filter(|it| random.below(3) == 0 && methods.contains(it));
                let Some(method) = again.or_else(|| random.one(methods).copied()) else { break };
                last = Some(method);
                if !self.step(method, &mut object, &mut random, breaks) {
                    break;
                }
                if let Some(state) = &object {
                    self.extremes.note(state, || self.machine.snapshot());
                }
            }
            self.found.challenged += 1;
        }
        self.pool.few = None;
        self.machine.restore(&self.base);
        self.found.executions.len() - begin
    }

    /// Makes a random call; returns whether the sequence can continue.
    pub(super) fn step(
        &mut self,
        method: usize,
        object: &mut Option<ReachedState>,
        random: &mut Random,
        breaks: &mut dyn FnMut(&Execution) -> bool,
    ) -> bool {
        let invokable = self.subject.methods[method].clone();
        self.pool.near = object.as_ref().map_or_else(Vec::new, numbers);
        self.pool.kin = object.as_ref().filter(|it| it.made.of.is_none()).map(|it| it.made.maker.clone());
        let arguments = self.random_arguments(method, random);
        self.pool.near.clear();
        self.pool.kin = None;
        let Some(arguments) = arguments else { return object.is_some() };
        self.step_with(Invocation { invokable, arguments }, method, object, breaks).0
    }

    /// Makes a call; returns whether the sequence can continue, and whether the call returned.
    pub(super) fn step_with(
        &mut self,
        call: Invocation,
        method: usize,
        object: &mut Option<ReachedState>,
        breaks: &mut dyn FnMut(&Execution) -> bool,
    ) -> (bool, bool) {
        let before = self.machine.snapshot();
        let invokable = call.invokable.clone();
        let from = object.clone().filter(|_| invokable.has_receiver());
        self.is_large = false;
        let Some(made) = self.attempt(method, call, from.as_ref(), None) else {
            self.machine.restore(&before);
            return (object.is_some(), false);
        };
        let is_returned = matches!(made.execution.ending, CallOutcome::Returned(_));
        let mut image = made.execution.exit.state.clone();
        if let Some((_, receiver)) = &made.object
            && invokable.is_static
            && !self.is_large
        {
            // What a static method returns is not its receiver.
            image = self.image_of(*receiver);
        }
        if breaks(&made.execution) {
            self.found.executions.push(made.execution);
        }
        match made.object {
            Some((construction, receiver)) if image.objects.contains_key(&receiver) && !self.is_large => {
                let made = Rc::new(construction);
                let known = from.unwrap_or_else(|| ReachedState::new(made.clone(), receiver, image.clone()));
                *object = Some(ReachedState { made, receiver, image, ..known });
                (true, true)
            }
            // A call that throws may leave the object in an intermediate state, so the sequence continues from
            // before it.
            _ => {
                if !is_returned || self.is_large {
                    self.machine.restore(&before);
                }
                (object.is_some(), false)
            }
        }
    }

    /// Sometimes moves the clock, seeds and identity hash codes, if calls read them: what holds of one moment only is
    /// not said.
    fn vary(&mut self, random: &mut Random) {
        if self.reads_entropy && random.below(2) == 0 {
            self.machine.vary(1 + random.below(MOST_VARIATIONS) as u32);
        }
    }

    /// A state to begin in; none for a new object.
    pub(super) fn begin(&mut self, random: &mut Random) -> Option<ReachedState> {
        let at = random.below(self.found.states.len());
        let state = self.found.states.get(at).filter(|it| random.below(3) > 0 && !it.is_large).cloned();
        let snapshot = state.as_ref().map_or(&self.base, |_| &self.forks[at].snapshot).clone();
        self.machine.restore(&snapshot);
        state
    }

    /// Random arguments for a method; `None` if there is no value of some type.
    pub(super) fn random_arguments(&mut self, method: usize, random: &mut Random) -> Option<Vec<Arg>> {
        let states = &self.found.states;
        let own = |random: &mut Random| match random.one(states) {
            Some(state) if state.made.calls() <= MOST_MADE => Arg::Make(state.made.clone()),
            _ => Arg::Receiver,
        };
        let has_receiver = self.subject.methods[method].has_receiver();
        let own: Option<&dyn Fn(&mut Random) -> Arg> = if has_receiver { Some(&own) } else { None };
        let parameters = self.subject.methods[method].parameters.clone();
        // Numbers of one kind meet: the last hour and the last minute, or two of three elements.
        let together = match random.below(6) {
            0 => Some(Together::Constants),
            1 => Some(Together::Small),
            _ => None,
        };
        let value = |it: &Parameter| {
            let number = together.and_then(|together| self.pool.number(&it.ty, together, random));
            number
                .map(Arg::Literal)
                .or_else(|| self.pool.random(self.machine, self.subject, ArgumentType::of(it), own, random))
        };
        parameters.iter().map(value).collect()
    }
}

impl Explorer<'_> {
    /// Makes two random calls in each extreme state that challenges met, all methods after all that change the object,
    /// and keeps those that break something.
    pub fn press(&mut self, calls: usize, seed: u64, breaks: &mut dyn FnMut(&Execution) -> bool) {
        let mut random = Random::new(seed);
        let end = self.work + self.limits.work / 2;
        let own = (0..self.subject.methods.len()).filter(|it| self.subject.methods[*it].has_receiver());
        let own: Vec<usize> = own.collect();
        let movers: Vec<usize> = own.iter().copied().filter(|it| self.moved[*it]).collect();
        let states = self.extremes.all();
        let mut left = calls;
        'all: for _ in 0..TRIES {
            for (state, snapshot) in &states {
                for first in &movers {
                    if left < own.len() + 1 || self.work >= end || (self.limits.interrupted)() {
                        break 'all;
                    }
                    left -= own.len() + 1;
                    self.machine.restore(snapshot);
                    let mut object = Some(state.as_ref().clone());
                    if !self.step(*first, &mut object, &mut random, breaks) {
                        continue;
                    }
                    let middle = self.machine.snapshot();
                    for second in &own {
                        self.machine.restore(&middle);
                        self.step(*second, &mut object.clone(), &mut random, breaks);
                    }
                }
            }
        }
        self.machine.restore(&self.base);
    }
}

/// The numbers in the fields of an object, and its sizes.
fn numbers(state: &ReachedState) -> Vec<i64> {
    let object = state.image.objects.get(&state.receiver);
    let fields = object.into_iter().flat_map(|it| it.fields.iter().map(|it| &it.1));
    let sizes = state.image.objects.values().filter_map(|it| i64::try_from(it.length?).ok());
    let numbers = fields.filter_map(|it| i64::try_from(it.number()?).ok());
    numbers.chain(sizes).filter(|it| *it != 0).collect()
}

/// Some of the methods: a sequence that favours few of them goes far, since others would undo what it does.
fn favoured(methods: &[usize], random: &mut Random) -> Vec<usize> {
    if random.below(2) == 0 {
        return methods.to_vec();
    }
    (0..=random.below(2)).filter_map(|_| random.one(methods).copied()).collect()
}

/// Limit on the attempts at a composition: in many states the first call throws.
const ATTEMPTS: usize = 4;
/// Limit on the calls of a walk before a composition.
const LONGEST_WALK: usize = 6;

/// Limit on the argument lists at boundaries, for a method and for a pair of methods.
const MOST_BOUNDARIES: usize = 400;

impl Explorer<'_> {
    /// Composes calls of two methods in states that calls with numbers of the code lead to, in all combinations:
    /// random numbers do not reach a minute before the end of a day.
    pub fn compose_at_boundaries(&mut self, pairs: &[(usize, usize)]) {
        let (mut random, end) = (Random::new(0), self.work + self.limits.work / 2);
        let complete = self.found.complete;
        let Some(state) = self.found.states.iter().position(|it| !it.is_large) else { return };
        let mut states: Vec<u32> = Vec::new();
        for method in 0..self.subject.methods.len() {
            let invokable = &self.subject.methods[method];
            if invokable.parameters.is_empty() || invokable.has_receiver() && !self.moved[method] {
                continue;
            }
            let types: Vec<_> = invokable.parameters.iter().map(|it| it.ty.clone()).collect();
            let from = invokable.has_receiver().then_some(state as u32);
            for arguments in self.pool.boundaries(&types, MOST_BOUNDARIES) {
                states.extend(self.call_from(from, method, &arguments));
            }
        }
        states.sort_unstable();
        states.dedup();
        for (first, second) in pairs.iter().filter(|it| self.subject.methods[it.0].has_receiver()) {
            for state in &states {
                if self.work >= end || (self.limits.interrupted)() {
                    break;
                }
                self.machine.restore(&self.base);
                let Some(one) = self.random_arguments(*first, &mut random) else { break };
                let Some(two) = self.random_arguments(*second, &mut random) else { break };
                if let Some(middle) = self.call_from(Some(*state), *first, &one) {
                    self.call_from(Some(middle), *second, &two);
                }
                self.call_from(Some(*state), *second, &two);
            }
        }
        self.found.complete = complete;
        self.machine.restore(&self.base);
    }

    /// Composes calls of two methods in random states: one after the other, the second alone, and both in the other
    /// order. Axioms are checked against these compositions, too.
    pub fn compose(&mut self, pairs: &[(usize, usize)], each: usize, seed: u64) {
        let mut random = Random::new(seed);
        let (complete, end) = (self.found.complete, self.work + self.limits.work / 2);
        let methods = 0..self.subject.methods.len();
        let movers: Vec<usize> =
            methods.filter(|it| self.moved[*it] && self.subject.methods[*it].has_receiver()).collect();
        let extremes = self.reach_extremes();
        for (first, second) in pairs {
            let mut composed = 0;
            for _ in 0..each * ATTEMPTS {
                if composed >= each || self.work >= end || (self.limits.interrupted)() {
                    break;
                }
                let makes = !self.subject.methods[*first].has_receiver();
                self.pool.few = None;
                let from = if makes { None } else { self.walk(&movers, &extremes, &mut random) };
                if !makes && from.is_none() {
                    continue;
                }
                self.machine.restore(&self.base);
                let state = from.and_then(|it| self.found.states.get(it as usize));
                self.pool.near = state.map_or_else(Vec::new, numbers);
                let Some(one) = self.random_arguments(*first, &mut random) else { break };
                self.go_to(from);
                self.vary(&mut random);
                let middle = self.call_here(from, *first, &one);
                // What observers say after the first call matters to the second.
                let state = middle.or(from).and_then(|it| self.found.states.get(it as usize));
                self.pool.near.extend(state.map_or_else(Vec::new, numbers));
                self.pool.kin = state.filter(|it| it.made.of.is_none()).map(|it| it.made.maker.clone());
                self.machine.restore(&self.base);
                let two = self.random_arguments(*second, &mut random);
                self.pool.kin = None;
                let Some(mut two) = two else { break };
                // Equal arguments make a difference.
                let is_alike = |at: usize| {
                    let types = [*first, *second].map(|it| &self.subject.methods[it].parameters[at].ty);
                    types[0] == types[1]
                };
                if random.below(2) == 0 {
                    let common = one.len().min(two.len());
                    (0..common).filter(|at| is_alike(*at)).for_each(|at| two[at] = one[at].clone());
                }
                if middle.is_some() {
                    composed += 1;
                    self.call_from(middle, *second, &two);
                }
                if from.is_some() && self.call_from(from, *second, &two).is_some_and(|it| Some(it) != from) {
                    let other = self.last_state();
                    self.call_from(other, *first, &one);
                }
            }
        }
        self.found.complete = complete;
        self.pool.few = None;
        self.pool.near.clear();
        self.machine.restore(&self.base);
    }

    /// The extreme states that challenges met, as numbered states.
    fn reach_extremes(&mut self) -> Vec<u32> {
        let all = self.extremes.all().into_iter();
        let reach = |(state, snapshot): (Rc<ReachedState>, Snapshot)| {
            self.machine.restore(&snapshot);
            self.is_large = false;
            self.reach(None, state.made.clone(), state.receiver, Some(state.image.clone()))
        };
        all.filter_map(reach).collect()
    }

    /// A random state: one that was reached, some of them extreme, or one to which a few calls with few values lead
    /// from there.
    fn walk(&mut self, movers: &[usize], extremes: &[u32], random: &mut Random) -> Option<u32> {
        let is_small =
            |it: &u32, states: &[ReachedState]| states.get(*it as usize).is_some_and(|it| !it.is_large);
        let extreme = random.one(extremes).copied().filter(|_| random.below(4) == 0);
        let begin = extreme.or_else(|| Some(random.below(self.found.states.len()) as u32));
        let mut state = begin.filter(|it| is_small(it, &self.found.states))?;
        self.pool.few = (random.below(4) > 0).then(FewValues::default);
        if self.pool.few.is_none() {
            return Some(state);
        }
        let favoured = favoured(movers, random);
        for _ in 0..random.below(LONGEST_WALK) {
            let Some(method) = random.one(&favoured).copied() else { break };
            self.pool.near = numbers(&self.found.states[state as usize]);
            self.machine.restore(&self.base);
            let Some(arguments) = self.random_arguments(method, random) else { break };
            let next = self.call_from(Some(state), method, &arguments);
            state = next.filter(|it| is_small(it, &self.found.states)).unwrap_or(state);
        }
        Some(state)
    }

    /// Makes a call in a state, or a call of a maker; returns the state that it leads to.
    fn call_from(&mut self, from: Option<u32>, method: usize, arguments: &[Arg]) -> Option<u32> {
        self.go_to(from);
        self.call_here(from, method, arguments)
    }

    /// Brings the machine into a state; none is the one before any call.
    fn go_to(&mut self, state: Option<u32>) {
        let snapshot = state.map_or(&self.base, |it| &self.forks[it as usize].snapshot).clone();
        self.machine.restore(&snapshot);
    }

    /// Makes a call in the machine's state, which is the one before it.
    fn call_here(&mut self, from: Option<u32>, method: usize, arguments: &[Arg]) -> Option<u32> {
        let before = self.found.executions.len();
        let call =
            Invocation { invokable: self.subject.methods[method].clone(), arguments: arguments.to_vec() };
        self.call(method, call, from);
        if self.found.executions.len() > before { self.last_state() } else { None }
    }

    /// The state that the last call led to.
    fn last_state(&self) -> Option<u32> {
        self.found.executions.last().and_then(|it| it.origin.to())
    }
}
