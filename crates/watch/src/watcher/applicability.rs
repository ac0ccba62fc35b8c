//! Selects the branches that apply to a call: shapes and bounds of the arguments first, then the precondition
//! on a fork.

use super::active_branch::{ActiveBranch, Search};
use super::limits::{FIRST_CALLS, SAMPLE_INTERVAL};
use super::method_knowledge::MethodTriples;
use super::plans::PlanValues;
use super::state::{WatcherState, triple_of};
use crate::binding::{Binding, TraceStep};
use crate::branch::{Branch, Restriction};
use crate::conditions::Truth;
use crate::conditions::past;
use crate::object_copy::CopiedObjects;
use crate::old_value::OldValue;
use cupping_contract::{CompiledSpecifications, CompiledTriple, Method};
use cupping_machine::{Addr, Machine, MethodId, Value};
use std::collections::BTreeSet;

impl WatcherState {
    /// Checks whether a branch applies; `None` if it does not.
    pub(super) fn check_branch(
        &mut self,
        machine: &mut Machine,
        place: usize,
        branch: usize,
        arguments: &[Value],
    ) -> Option<ActiveBranch> {
        // Branches that consist only of predicates are for calls to which no test applies.
        if self.branches[branch].property.is_some() {
            return None;
        }
        // The rest of a test after a call that is as it was only serves to compare versions.
        let is_replaced = |it: &BTreeSet<Method>| it.contains(&self.triple(branch).target);
        if self.branches[branch].is_long && !self.options.replaced.as_ref().is_some_and(is_replaced) {
            return None;
        }
        // During a call of its class, an object may be in an intermediate state.
        if self.branches[branch].is_always && is_within_nest(machine) {
            return None;
        }
        // What a suite's call depends on is known exactly; its arguments as a whole only serve for assumed ranges.
        let of_suite = self.branches[branch].dependence.as_ref();
        let assumed = match of_suite.map(|it| it.fit(machine, arguments).is_some()) {
            Some(true) => false,
            Some(false) if !self.fits(machine, branch, arguments)? => return None,
            Some(false) => true,
            None => self.fits(machine, branch, arguments)?,
        };
        let case = self.branches[branch].case;
        if !self.class(machine, case) {
            return None;
        }
        self.plan(machine, branch);
        let compiled = self.compiled.clone();
        let triple = triple_of(&compiled, &self.branches[branch]);
        let traces = self.branches[branch].bindings.iter().enumerate();
        let traces: Vec<Search> = traces
            .filter(|(_, binding)| matches!(binding, Binding::Trace(..)))
            .map(|(variable, _)| Search { variable, at: Some(0), met: None })
            .collect();
        let mut found = ActiveBranch { assumed, traces, ..ActiveBranch::new(place, branch) };
        let stored = self.stored(branch, arguments);
        found.truth = self.precondition(machine, &found, triple, arguments, &stored);
        if found.truth == Truth::Fails {
            return None;
        }
        if let Some(wider) = &self.branches[branch].wider {
            let matched = wider.fit(machine, arguments);
            found.excused = matched.is_none();
            found.matched = matched.unwrap_or_default();
        }
        if !(triple.old.is_empty() && triple.modifies.is_empty()) {
            if self.read_past(machine, &mut found, arguments) {
                return Some(found);
            }
            for name in triple.old.iter().chain(triple.modifies.iter().map(|(name, _)| name)) {
                let bindings = &self.branches[branch].bindings;
                let Some(class) = &self.classes[case] else { continue };
                let kept = self.aside(machine, |machine| {
                    let mut made = CopiedObjects::default();
                    let variables: Vec<Value> = bindings
                        .iter()
                        .map(|it| it.value(machine, arguments, None, &[], &mut made).unwrap_or_default())
                        .collect();
                    past(machine, class, name, &variables)
                });
                match kept {
                    Ok(kept) => found.past.push(kept),
                    Err(why) => {
                        found.past.push(OldValue::default());
                        found.note = format!(
                            "an old value cannot be read: {}",
                            why.lines().next().unwrap_or_default()
                        );
                    }
                }
            }
        }
        Some(found)
    }

    /// Captures old values by reading, if possible.
    fn read_past(&self, machine: &mut Machine, found: &mut ActiveBranch, arguments: &[Value]) -> bool {
        let plans = self.plans[found.branch].as_ref().and_then(|it| it.past.as_ref());
        let Some(plans) = plans else { return false };
        let bindings = &self.branches[found.branch].bindings;
        let given = PlanValues { bindings, arguments, result: Value::default(), active: None };
        let mut past = Vec::with_capacity(plans.len());
        for (plan, kind) in plans {
            let Some(value) = self.read(machine, plan, given) else { return false };
            past.push(OldValue::plain(*kind, value));
        }
        found.past = past;
        true
    }

    /// Whether to check predicates on this call: always on the first calls of a method, then on a sample.
    pub(super) fn samples_predicates(&mut self, method: MethodId) -> bool {
        let number = self.predicate_calls.entry(method).or_default();
        *number += 1;
        *number <= FIRST_CALLS || number.is_multiple_of(SAMPLE_INTERVAL)
    }

    /// The test predicates expected of a call to which no test applies: those that hold before it or concern its
    /// result, each once.
    pub(super) fn predicates(
        &mut self,
        machine: &mut Machine,
        tested: &MethodTriples,
        arguments: &[Value],
    ) -> Vec<ActiveBranch> {
        let mut found: Vec<ActiveBranch> = Vec::new();
        for (place, at) in tested.branches.iter().enumerate() {
            let branch = &self.branches[*at];
            let (case, triple) = (branch.case, branch.triple);
            if branch.property.is_none() || !self.class(machine, case) {
                continue;
            }
            let active = ActiveBranch { truth: Truth::Fails, ..ActiveBranch::new(place, *at) };
            let known = found.iter().find(|it| {
                (self.branches[it.branch].case, self.branches[it.branch].triple) == (case, triple)
            });
            if known.is_some() || self.holds_before(machine, &active, arguments) {
                found.push(active);
            }
        }
        found
    }

    /// Whether a test's condition holds before the call. A condition on the result cannot be evaluated then.
    fn holds_before(&self, machine: &mut Machine, active: &ActiveBranch, arguments: &[Value]) -> bool {
        let branch = &self.branches[active.branch];
        let triple = self.triple(active.branch);
        if branch.uses_result || triple.is_new {
            return branch.property.is_some();
        }
        let (Some(post), Some(class)) = (&triple.post, &self.classes[branch.case]) else { return false };
        let held = self.aside(machine, |machine| {
            let Ok(mut values) = variables(machine, branch, active, arguments, &triple.post_names) else {
                return Truth::Fails;
            };
            // There is no result yet, and the condition does not read it.
            values.push(Value::default());
            let parameters = class.method(post).map_or(0, |it| machine.method(it).parameters.len());
            values.truncate(parameters);
            let answer = class.ask(machine, post, &values);
            Truth::of_assertions(machine, answer)
        });
        held == Truth::Holds
    }

    /// The known results of the nested triples in the precondition.
    pub(super) fn stored(&self, branch: usize, arguments: &[Value]) -> Vec<Value> {
        let triple = self.triple(branch);
        let case = self.branches[branch].case;
        let result = |inner: &usize| {
            let receiver = self.receiver_of(branch, *inner, arguments);
            let known = receiver.and_then(|it| self.results.get(&(case, *inner, it)));
            Value::boolean(known.copied().unwrap_or(false))
        };
        triple.pre_nested.iter().map(result).collect()
    }

    /// The receiver of a nested triple.
    pub(super) fn receiver_of(&self, branch: usize, inner: usize, arguments: &[Value]) -> Option<Addr> {
        let compiled = &self.compiled.cases[self.branches[branch].case].triples[inner];
        match self.branches[branch].bindings.get(compiled.receiver?)? {
            Binding::Argument(at) => arguments.get(*at).map(|it| it.as_ref()),
            _ => None,
        }
    }

    /// Checks shapes, bounds and assumed ranges; `Some` says whether an assumed range was needed.
    pub(super) fn fits(&mut self, machine: &mut Machine, branch: usize, arguments: &[Value]) -> Option<bool> {
        let mut assumed = false;
        let case = self.branches[branch].case;
        for at in 0..self.branches[branch].restrictions.len() {
            let (position, restriction) = &self.branches[branch].restrictions[at];
            let value = *arguments.get(*position)?;
            match restriction {
                Restriction::Shape(shape) => {
                    if shape.fits(machine, value.bits) {
                        continue;
                    }
                    let ranges: Vec<_> =
                        self.branches[branch].assumed.iter().filter(|it| it.spot.0 == *position).collect();
                    let holds = !ranges.is_empty()
                        && ranges
                            .iter()
                            .all(|it| it.value(machine, arguments).is_some_and(|value| it.holds(value)))
                        && loosened(shape, &ranges).fits(machine, value.bits);
                    if !holds {
                        return None;
                    }
                    assumed = true;
                }
                Restriction::Within(variable, space) => {
                    if !space.contains(value) {
                        return None;
                    }
                    if !space.has_predicates() {
                        continue;
                    }
                    let (variable, space) = (*variable, space.clone());
                    if !self.class(machine, case) {
                        return None;
                    }
                    let class = self.classes[case].as_ref()?;
                    let bindings = &self.branches[branch].bindings;
                    let variables: Vec<Value> = bindings[..=variable]
                        .iter()
                        .map(|it| {
                            if let Binding::Argument(at) = it {
                                arguments.get(*at).copied().unwrap_or_default()
                            } else {
                                Value::default()
                            }
                        })
                        .collect();
                    if space.admits(machine, class, &variables) != Truth::Holds {
                        return None;
                    }
                }
            }
        }
        Some(assumed)
    }

    /// Whether the precondition holds of a triple that does not apply because of values that the precondition does
    /// not mention.
    pub(super) fn precondition_holds(
        &mut self,
        machine: &mut Machine,
        tested: &MethodTriples,
        arguments: &[Value],
    ) -> bool {
        for (place, branch) in tested.branches.iter().copied().enumerate() {
            let of = &self.branches[branch];
            let is_within = of.restrictions.iter().all(|(position, restriction)| match restriction {
                Restriction::Within(_, space) => {
                    arguments.get(*position).is_some_and(|value| space.contains(*value))
                }
                Restriction::Shape(_) => true,
            });
            let case = of.case;
            if of.origin.is_some() || !is_within || !self.class(machine, case) {
                continue;
            }
            self.plan(machine, branch);
            let compiled = self.compiled.clone();
            let triple = triple_of(&compiled, &self.branches[branch]);
            let stored = self.stored(branch, arguments);
            let active = ActiveBranch::new(place, branch);
            if self.precondition(machine, &active, triple, arguments, &stored) == Truth::Holds {
                return true;
            }
        }
        false
    }

    pub(super) fn precondition(
        &self,
        machine: &mut Machine,
        active: &ActiveBranch,
        triple: &CompiledTriple,
        arguments: &[Value],
        stored: &[Value],
    ) -> Truth {
        if triple.pre_is_true {
            return Truth::Holds;
        }
        let branch = &self.branches[active.branch];
        let Some(class) = &self.classes[branch.case] else { return Truth::Fails };
        if let Some(plan) = self.plans[active.branch].as_ref().and_then(|it| it.pre.as_ref()) {
            let given = PlanValues {
                bindings: &branch.bindings,
                arguments,
                result: Value::default(),
                active: Some(active),
            };
            if let Some(value) = self.read(machine, plan, given) {
                return Truth::of_bits(value);
            }
        }
        self.aside(machine, |machine| {
            let mut values = match variables(machine, branch, active, arguments, &triple.pre_names) {
                Ok(values) => values,
                Err(name) => return Truth::Open(missing(&self.compiled, branch, name)),
            };
            values.extend(stored);
            let answer = class.ask(machine, &triple.pre, &values);
            Truth::of(machine, answer)
        })
    }

    /// Advances the search for objects that the arguments do not reach.
    pub(super) fn search(&mut self, place: &TraceStep, arguments: Option<&[Value]>) {
        let branches = &self.branches;
        for running in self.running.iter_mut().filter(|it| it.tested.looks) {
            for active in &mut running.active {
                for search in &mut active.traces {
                    let (Some(at), None) = (search.at, search.met) else { continue };
                    let Binding::Trace(steps, method, position) =
                        &branches[active.branch].bindings[search.variable]
                    else {
                        continue;
                    };
                    if at == steps.len() {
                        let is_there = matches!(place, TraceStep::Enter(entered) if entered == method);
                        search.met = arguments
                            .filter(|_| is_there)
                            .and_then(|it| it.get(*position))
                            .map(|it| it.as_ref());
                        search.at = search.met.map(|_| at);
                    } else {
                        search.at = (steps[at] == *place).then_some(at + 1);
                    }
                }
            }
        }
    }
}

/// Whether the class of the method that was just entered, or one of its nest, has a frame below it on the stack.
fn is_within_nest(machine: &Machine) -> bool {
    /// Frames that are looked at.
    const MOST_FRAMES: usize = 256;
    let class = |method: MethodId| &*machine.class(machine.method(method).class).name;
    fn nest(name: &str) -> &str {
        name.split('$').next().unwrap_or(name)
    }
    // The program's main class uses its objects like any other class.
    let is_main =
        |method: MethodId| machine.method(method).is_static() && &*machine.method(method).name == "main";
    let mut frames = machine.registers().frames.iter().rev().map(|it| it.code.method);
    let Some(own) = frames.next() else { return false };
    let own = nest(class(own));
    frames.take(MOST_FRAMES).any(|it| nest(class(it)) == own && !is_main(it))
}

/// The shape without the numbers that have assumed ranges.
fn loosened(shape: &crate::Shape, ranges: &[&crate::assumed_range::AssumedRange]) -> crate::Shape {
    fn at(shape: &mut crate::Shape, way: &[std::sync::Arc<str>]) {
        match (shape, way) {
            (shape, []) => *shape = crate::Shape::Any,
            (crate::Shape::Object(_, fields), [first, rest @ ..]) => {
                if let Some((_, inner)) = fields.iter_mut().find(|(name, _)| name == first) {
                    at(inner, rest);
                }
            }
            _ => {}
        }
    }
    let mut loose = shape.clone();
    ranges.iter().for_each(|it| at(&mut loose, &it.spot.1));
    loose
}

/// The values of the variables, or the index of a needed variable without a value.
pub(super) fn variables(
    machine: &mut Machine,
    branch: &Branch,
    active: &ActiveBranch,
    arguments: &[Value],
    needed: &[usize],
) -> Result<Vec<Value>, usize> {
    let mut values = Vec::with_capacity(branch.bindings.len());
    let mut made = CopiedObjects::default();
    for (at, binding) in branch.bindings.iter().enumerate() {
        let met = active.traces.iter().find(|it| it.variable == at).and_then(|it| it.met);
        match binding.value(machine, arguments, met, &active.matched, &mut made) {
            Some(value) => values.push(value),
            None if needed.contains(&at) => return Err(at),
            None => values.push(Value::default()),
        }
    }
    Ok(values)
}

pub(super) fn missing(compiled: &CompiledSpecifications, branch: &Branch, variable: usize) -> String {
    format!("{} was not found in this run", compiled.cases[branch.case].variables[variable].0)
}
