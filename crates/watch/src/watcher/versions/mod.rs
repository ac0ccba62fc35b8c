//! Compares what a call does with what the code of an earlier version does in its place.
//!
//! A test has values, and its triple fits calls with these values only. If there is an earlier version with which the
//! suite passes, more can be said of other values: on forks of the state before the call, the call runs once as it is
//! and once with the earlier bodies of the methods that have changed. Behind it, the code that the tests have after
//! such a call runs, and the values that it hands to assertions are recorded ([`observation`]). A difference in these
//! values, or an exception in one of the runs, is one that the tests would see. The method to blame is the one whose
//! earlier body alone takes the difference away.

mod assertions;
mod border;
mod initializers;
pub(super) mod knowledge;
mod observation;
mod observers;
mod question;
mod rendering;

use super::changed_call::ChangedCall;
use super::running_call::RunningCall;
use super::state::WatcherState;
use crate::binding::Binding;
use crate::branch::{Branch, Restriction};
use crate::shape::Shape;
use cupping_machine::{Addr, Machine, MethodId, Value};
use observation::{Observation, Wanted};

/// Limit on the conditions that follow one call, and on the changed methods among which the one to blame is sought.
const MOST_CONDITIONS: usize = 8;
const MOST_SUSPECTS: usize = 16;
/// The first calls of a method that are always compared, and the sampling interval for the rest.
const FIRST_CALLS: u32 = 100;
const SAMPLE_INTERVAL: u32 = 64;
/// Number of comparisons of a method after which those that run nothing changed are no longer made each time.
const PATIENCE: u32 = 20;

impl WatcherState {
    /// Compares a call that begins with what the earlier version does.
    pub(super) fn compare_versions(
        &mut self,
        machine: &mut Machine,
        running: &RunningCall,
    ) -> Option<ChangedCall> {
        self.options.earlier.as_ref()?;
        let method = running.call.method;
        let (calls, idle) = self.versions.visits.entry(method).or_default();
        *calls += 1;
        let is_due = *calls <= FIRST_CALLS && *idle < PATIENCE || calls.is_multiple_of(SAMPLE_INTERVAL);
        if !is_due {
            return None;
        }
        let (calls, idle) = (*calls as usize, *idle);
        self.prepare(machine);
        let conditions = self.conditions_after(machine, running, calls);
        let is_at_border = self.is_at_border(machine, running);
        let wanted = |asks| Wanted { is_at_border, conditions: &conditions, asks };
        let now = self.observe(machine, running, &[], wanted(false))?;
        let suspects = self.suspects(machine, &now);
        let idle = if suspects.is_empty() { idle + 1 } else { 0 };
        self.versions.visits.insert(method, (calls as u32, idle));
        if suspects.is_empty() {
            return None;
        }
        let now = self.observe(machine, running, &[], wanted(true))?;
        let suspects = self.suspects(machine, &now);
        if suspects.len() > MOST_SUSPECTS {
            return None;
        }
        let all = self.changed_methods(machine);
        if suspects.iter().any(|it| !all.contains(it)) {
            return None;
        }
        let earlier = self.observe(machine, running, &all, wanted(true))?;
        let has_hashes = suspects.iter().any(|it| observation::is_hash_code(machine, *it));
        let (place, difference) = earlier.difference(&now, has_hashes)?;
        let culprit = self.culprit(machine, running, wanted(true), &suspects, (&earlier, &all));
        let branch = place.and_then(|it| Some(conditions.get(it)?.0));
        let is_new_exception = earlier.has_returned() && !now.has_returned();
        Some(ChangedCall { culprit, branch, difference, is_new_exception })
    }

    /// The changed methods that were entered.
    fn suspects(&self, machine: &Machine, observed: &Observation) -> Vec<MethodId> {
        observed.entered.iter().copied().filter(|it| self.is_replaced(machine, *it)).collect()
    }

    /// The one method whose earlier body makes the call behave as before, or without which it does not.
    fn culprit(
        &self,
        machine: &mut Machine,
        running: &RunningCall,
        wanted: Wanted<'_>,
        suspects: &[MethodId],
        (earlier, all): (&Observation, &[MethodId]),
    ) -> Option<MethodId> {
        if let [one] = suspects {
            return Some(*one);
        }
        let has_hashes = suspects.iter().any(|it| observation::is_hash_code(machine, *it));
        let is_as_before = |machine: &mut Machine, with: &[MethodId]| {
            let observed = self.observe(machine, running, with, wanted);
            observed.is_some_and(|it| earlier.difference(&it, has_hashes).is_none())
        };
        let mending: Vec<MethodId> =
            suspects.iter().copied().filter(|it| is_as_before(machine, &[*it])).collect();
        if let [one] = mending[..] {
            return Some(one);
        }
        let without = |of: MethodId| all.iter().copied().filter(|it| *it != of).collect::<Vec<_>>();
        let breaking: Vec<MethodId> =
            suspects.iter().copied().filter(|it| !is_as_before(machine, &without(*it))).collect();
        if let [one] = breaking[..] { Some(one) } else { None }
    }

    /// Defines what comparisons need, before the first one.
    fn prepare(&mut self, machine: &mut Machine) {
        if self.versions.constants.is_none()
            && let Some(earlier) = &self.options.earlier
        {
            let define = |(_, bytes): &(String, Vec<u8>)| machine.define_privileged(bytes).ok();
            self.versions.constants = Some(earlier.classes.iter().map(define).collect());
            self.versions.assertions = Some(self.aside(machine, assertions::AssertingMethods::of));
        }
    }

    /// The changed methods that are loaded and have an earlier body.
    fn changed_methods(&self, machine: &Machine) -> Vec<MethodId> {
        let Some(earlier) = &self.options.earlier else { return Vec::new() };
        earlier.methods.keys().filter_map(|it| loaded(machine, it)).collect()
    }

    /// Puts the earlier bodies of methods in the place of the present ones, or takes them away again.
    fn exchange(&self, machine: &mut Machine, methods: &[MethodId], is_earlier: bool) {
        let (Some(earlier), Some(constants)) = (&self.options.earlier, &self.versions.constants) else {
            return;
        };
        for method in methods {
            let bodies = earlier.methods.get(&crate::method_names::named(machine, *method));
            for body in bodies.into_iter().flatten() {
                let Some(method) = loaded(machine, &body.method) else { continue };
                match constants.get(body.constants).copied().flatten().filter(|_| is_earlier) {
                    Some(class) => machine.replace_code_with_constants(method, body.code.clone(), class),
                    None => machine.replace_code(method, None),
                }
            }
        }
    }

    /// The conditions of tests that can follow a call, with the program's objects that stand for those of the test.
    /// If there are many, each call has others.
    fn conditions_after(
        &mut self,
        machine: &mut Machine,
        running: &RunningCall,
        number: usize,
    ) -> Vec<(usize, Vec<Addr>)> {
        let all = &running.tested.branches;
        let first = number * MOST_CONDITIONS % all.len().max(1);
        let (mut found, mut known) = (Vec::new(), Vec::new());
        for branch in all.iter().cycle().skip(first).take(all.len()).copied() {
            let of = &self.branches[branch];
            let triple = self.triple(branch);
            // The time and the like need not be the same in two runs.
            let is_sure = of.origin.is_some() && of.unsure.is_none();
            let is_wanted = is_sure && of.property.is_none() && triple.post.is_some();
            let key = (of.case, of.triple);
            if !is_wanted
                || known.contains(&key)
                || !has_classes_of_test(machine, of, &running.arguments, triple.is_new)
            {
                continue;
            }
            known.push(key);
            let matched = of.wider.as_ref().map(|it| it.correspondence(machine, &running.arguments));
            if !self.class(machine, key.0) {
                continue;
            }
            found.push((branch, matched.unwrap_or_default()));
            if found.len() >= MOST_CONDITIONS {
                break;
            }
        }
        found
    }
}

/// The method of this name, if its class is loaded.
fn loaded(machine: &Machine, method: &cupping_contract::Method) -> Option<MethodId> {
    let class = machine.loaded(&method.class)?;
    let methods = &machine.class(class).methods;
    let is_it = |it: &&MethodId| {
        let of = machine.method(**it);
        *of.name == *method.name && *of.descriptor == *method.descriptor
    };
    methods.iter().find(is_it).copied()
}

/// Whether the arguments that a condition uses have the classes that they had in the test, for which its code is
/// compiled.
fn has_classes_of_test(machine: &Machine, branch: &Branch, arguments: &[Value], is_new: bool) -> bool {
    let has_class = |at: usize| {
        let Some(object) = arguments.get(at).map(|it| it.as_ref()) else { return false };
        let restriction = branch.restrictions.iter().find(|it| it.0 == at);
        let shape = match restriction {
            Some((_, Restriction::Shape(shape))) => shape,
            Some(_) => return false,
            None => return is_new && at == 0,
        };
        match shape {
            Shape::Bits(..) => true,
            Shape::Null | Shape::Any => object == 0,
            _ if object == 0 => false,
            Shape::Text(_) => machine.class_name_of(object) == "java/lang/String",
            Shape::Object(class, _)
            | Shape::Array(class, ..)
            | Shape::Elements(class, ..)
            | Shape::Some(class) => machine.class_name_of(object) == &**class,
        }
    };
    branch.bindings.iter().all(|it| match it {
        Binding::Argument(at) => has_class(*at),
        Binding::Copy(copy, root) => copy.arguments(*root).all(has_class),
        Binding::Constant(_) | Binding::Matched(_) | Binding::Static(..) => true,
        Binding::Unknown | Binding::Field(..) | Binding::Trace(..) => false,
    })
}
