//! Determines the outcome of a call from its postconditions, its path, and its nested triples.

use super::active_branch::ActiveBranch;
use super::applicability::{missing, variables};
use super::blame::{Blame, BlamedCall, BrokenTriple};
use super::inner_call::InnerCall;
use super::plans::PlanValues;
use super::running_call::RunningCall;
use super::state::{Note, PendingPostcondition, WatcherState, triple_of};
use crate::conditions::Truth;
use crate::conditions::push_past;
use crate::outcome::{Example, WatchOutcome};
use crate::path::{RETURNED, THREW};
use cupping_contract::CompiledTriple;
use cupping_machine::{Addr, CallEnd, Kind, Machine, Value, WatchedCall};
use std::collections::BTreeSet;

impl WatcherState {
    pub(super) fn left(&mut self, machine: &mut Machine, call: WatchedCall, how: CallEnd) {
        let Some(at) = self.running.iter().rposition(|it| it.call == call) else { return };
        let mut running = self.running.remove(at);
        let thread = running.thread;
        let has_failed = self.judge(machine, &mut running, how);
        let mut strays = std::mem::take(&mut running.strays);
        if strays.is_empty() && !running.tested.branches.is_empty() && running.tested_ways() == 0 {
            strays.push(InnerCall { method: call.method, site: running.site });
        }
        for outer in self.running[..at].iter_mut().filter(|it| it.thread == thread) {
            outer.add_strays(&strays);
        }
        if has_failed {
            // Callers are not blamed for the failure of a call.
            for outer in self.running[..at].iter_mut().filter(|it| it.thread == thread) {
                outer.failed_inside = true;
            }
        }
        for object in std::mem::take(&mut running.pinned) {
            self.unpin(machine, object);
        }
        self.spare.push(running);
    }

    /// Determines the outcomes of a call that has ended; returns whether it failed a test.
    fn judge(&mut self, machine: &mut Machine, running: &mut RunningCall, how: CallEnd) -> bool {
        running.step(if matches!(how, CallEnd::Threw(_)) { THREW } else { RETURNED });
        let row = running.row;
        let mut given = std::mem::take(&mut self.given);
        let active = std::mem::take(&mut running.active);
        let has_triples = !running.tested.branches.is_empty();
        let mut conclusive = false;
        let mut path_of: Option<usize> = None;
        let mut by_path = None;
        let mut others = Vec::new();
        let compiled = self.compiled.clone();
        for it in &active {
            let is_always = self.branches[it.branch].is_always;
            let same_way = is_always || running.mask >> it.place & 1 != 0;
            let triple = triple_of(&compiled, &self.branches[it.branch]);
            let mut truth = it.truth.clone();
            if matches!(truth, Truth::Open(_)) && it.traces.iter().any(|search| search.met.is_some()) {
                let stored = self.stored(it.branch, &running.arguments);
                truth = self.precondition(machine, it, triple, &running.arguments, &stored);
            }
            if truth == Truth::Fails {
                continue;
            }
            let unsure = self.branches[it.branch].unsure;
            // Then the state before the call does not determine which path it takes.
            if unsure.is_some() && !same_way {
                continue;
            }
            // Such a triple does not apply to calls that throw.
            let is_returning = compiled.cases[self.branches[it.branch].case].is_returning;
            if is_returning && matches!(how, CallEnd::Threw(_)) && triple.throws.is_none() {
                continue;
            }
            let mut post = self.postcondition(machine, it, triple, running, how);
            if post == Truth::Fails {
                let why = match unsure {
                    _ if running.failed_inside
                        && (is_always || self.branches[it.branch].origin.is_some()) =>
                    {
                        Some("a call that it made failed its test")
                    }
                    Some(why) => Some(why),
                    None if it.excused && triple.throws.is_none() && matches!(how, CallEnd::Returned(_)) => {
                        Some("the test asserts this of a different state")
                    }
                    None => {
                        let has_holes = self.branches[it.branch].has_holes(true);
                        has_holes.then_some("some of the test's objects could not be copied")
                    }
                };
                post = why.map_or(post, |why| Truth::Open(why.into()));
            }
            let is_certain = truth == Truth::Holds && !it.assumed;
            if post == Truth::Fails && is_certain && self.branches[it.branch].origin.is_some() {
                post = match self.blame(machine, BrokenTriple { active: it, triple, running, how }) {
                    Blame::Callee => post,
                    Blame::Other(call) => {
                        others.push(BlamedCall::of(call, it.branch));
                        Truth::Open("a method that it calls is to blame".into())
                    }
                    Blame::Nobody(why) => Truth::Open(why.into()),
                };
            }
            let is_nested =
                self.nested.contains(&(self.branches[it.branch].case, self.branches[it.branch].triple));
            match (truth, it.assumed) {
                (Truth::Holds, false) => {
                    conclusive = true;
                    let (outcome, note) = match post {
                        Truth::Holds if same_way => (WatchOutcome::Success, Note::default()),
                        Truth::Holds => (WatchOutcome::PathAnomaly, "the postcondition holds".into()),
                        Truth::Open(why) if same_way => (WatchOutcome::PathSuccess, why.into()),
                        Truth::Open(why) => (WatchOutcome::PathAnomaly, why.into()),
                        Truth::Fails => (
                            WatchOutcome::FailedTest,
                            self.why_failed(machine, triple, how, self.branches[it.branch].origin.is_some())
                                .into(),
                        ),
                    };
                    if is_nested && let Some(receiver) = running.arguments.first() {
                        let key = (self.branches[it.branch].case, self.branches[it.branch].triple);
                        let holds = !matches!(outcome, WatchOutcome::FailedTest);
                        self.results.insert((key.0, key.1, receiver.as_ref()), holds);
                        self.resolve(key, receiver.as_ref(), holds);
                    }
                    let waits = !triple.post_nested.is_empty() && outcome != WatchOutcome::FailedTest;
                    if waits && let Some(receiver) = running.arguments.first() {
                        let case = self.branches[it.branch].case;
                        let open = triple.post_nested.iter().map(|inner| (case, *inner)).collect();
                        let example = self.example(machine, running, Some(it.branch), how, String::new());
                        let receiver = receiver.as_ref();
                        let key = (case, self.branches[it.branch].triple);
                        self.pending.push(PendingPostcondition { key, receiver, open, row, example });
                        continue;
                    }
                    given.push((outcome, Some(it.branch), note));
                }
                (truth, assumed) => {
                    if same_way && path_of.is_none() {
                        path_of = Some(it.branch);
                        let why = match (truth, post) {
                            (_, Truth::Fails) if assumed => {
                                "by an assumed range; its postcondition does not hold here".into()
                            }
                            _ if assumed => "by an assumed range".into(),
                            (Truth::Open(why), _) => why.into(),
                            _ => Note::default(),
                        };
                        by_path = Some((WatchOutcome::PathSuccess, Some(it.branch), why));
                    } else if assumed && !same_way {
                        self.refine(machine, it.branch, running);
                    }
                }
            }
        }
        // With a conclusive precondition the other candidates add nothing.
        given.extend(by_path.filter(|_| !conclusive));
        let is_asked = !conclusive && !running.failed_inside;
        let mut broken = if is_asked { self.broken(machine, running, how, &mut others) } else { Vec::new() };
        let has_failed = |it: &(WatchOutcome, Option<usize>, Note)| it.0 == WatchOutcome::FailedTest;
        if others.is_empty() && !given.iter().chain(&broken).any(has_failed) {
            broken.extend(self.changed(running, &mut others));
        }
        let is_broken = !broken.is_empty();
        given.extend(broken);
        if has_triples && !conclusive && path_of.is_none() && !is_broken {
            let ways = running.tested_ways();
            let same: Option<usize> = (0..running.tested.branches.len()).find(|it| ways >> it & 1 != 0);
            let has_open = !active.is_empty();
            let (outcome, branch, note) = match same {
                _ if running.tested.exhaustive && !has_open && !running.is_other_value => {
                    (WatchOutcome::IncorrectCall, None, "no precondition holds".into())
                }
                Some(place) => {
                    let branch = running.tested.branches[place];
                    self.widen(machine, branch, running);
                    (
                        WatchOutcome::PathSuccess,
                        Some(branch),
                        "no triple applies, but control took the path of this test".into(),
                    )
                }
                None => (WatchOutcome::UntestedPath, None, "no triple applies".into()),
            };
            let note: Note = match &running.nearest {
                Some(nearest) => format!("{note}; {nearest}").into(),
                None => note,
            };
            if outcome == WatchOutcome::UntestedPath {
                self.untested_ways.count(running.call.method, &running.way);
            }
            given.push((outcome, branch, note));
        }
        let is_failed = given.iter().any(|(outcome, ..)| *outcome == WatchOutcome::FailedTest);
        let has_failed = is_failed || !others.is_empty();
        for blamed in others {
            self.blame_other(machine, running, blamed, how);
        }
        for (outcome, branch, note) in given.drain(..) {
            self.count_outcome(machine, running, outcome, branch, how, note);
        }
        // Reuse the memory.
        self.given = given;
        running.active = active;
        has_failed
    }

    /// Counts an outcome, with an example while there are few.
    pub(super) fn record_outcome(&mut self, row: usize, outcome: WatchOutcome, example: Example) {
        let row = self.rows.get(row);
        if row.count(outcome, self.options.examples) {
            row.keep(outcome, example, true);
        }
    }

    pub(super) fn postcondition(
        &self,
        machine: &mut Machine,
        active: &ActiveBranch,
        triple: &CompiledTriple,
        running: &RunningCall,
        how: CallEnd,
    ) -> Truth {
        let branch = &self.branches[active.branch];
        let Some(class) = &self.classes[branch.case] else { return Truth::Open("no class".into()) };
        let kind = machine.method(running.call.method).result;
        let plan = self.plans[active.branch].as_ref().and_then(|it| it.post.as_ref());
        if let (CallEnd::Returned(result), Some(plan)) =
            (how, plan.filter(|_| active.note.is_empty() && self.witness.borrow().is_none()))
        {
            let (bindings, arguments) = (&branch.bindings[..], &running.arguments[..]);
            let given = PlanValues { bindings, arguments, result, active: Some(active) };
            if let Some(value) = self.read(machine, plan, given) {
                return Truth::of_bits(value);
            }
        }
        self.aside(machine, |machine| {
            let mut extra = Vec::new();
            match (how, &triple.throws) {
                (CallEnd::Threw(thrown), Some(expected)) => {
                    let answer = class.ask(machine, expected, &[Value::reference(thrown)]);
                    if Truth::of(machine, answer) != Truth::Holds {
                        return Truth::Fails;
                    }
                    extra.push(Value::reference(thrown));
                }
                (CallEnd::Threw(_), None) | (CallEnd::Returned(_), Some(_)) => return Truth::Fails,
                (CallEnd::Returned(value), None) if triple.is_new => {
                    let _ = value;
                    extra.push(running.arguments.first().copied().unwrap_or_default());
                }
                (CallEnd::Returned(_), None) if kind == Kind::Void => {}
                (CallEnd::Returned(value), None) => extra.push(value),
            }
            let Some(post) = &triple.post else { return Truth::Holds };
            let mut values = match variables(machine, branch, active, &running.arguments, &triple.post_names)
            {
                Ok(values) => values,
                Err(name) => return Truth::Open(missing(&self.compiled, branch, name)),
            };
            if !active.note.is_empty() {
                return Truth::Open(active.note.clone());
            }
            let all = values.clone();
            values.extend(extra);
            push_past(machine, class, triple, &all, &active.past, &mut values);
            // Assumes that the nested triples hold; the outcome waits for them if everything else holds.
            values.extend(triple.post_nested.iter().map(|_| Value::boolean(true)));
            let answer = class.ask(machine, post, &values);
            match branch.origin {
                // A predicate that cannot be evaluated is inconclusive.
                Some(_) if active.truth == Truth::Fails => Truth::of_predicate(machine, answer),
                Some(_) => Truth::of_assertions(machine, answer),
                None => Truth::of(machine, answer),
            }
        })
    }

    /// Resolves a nested triple.
    pub(super) fn resolve(&mut self, key: (usize, usize), receiver: Addr, holds: bool) {
        let mut done = Vec::new();
        for pending in &mut self.pending {
            if pending.receiver != receiver || !pending.open.contains(&key) || pending.key == key {
                continue;
            }
            if holds {
                pending.open.retain(|it| *it != key);
            }
            if !holds || pending.open.is_empty() {
                done.push((pending.row, pending.example.clone(), holds));
                pending.open.clear();
            }
        }
        self.pending.retain(|it| !it.open.is_empty());
        for (row, mut example, holds) in done {
            let outcome = if holds { WatchOutcome::Success } else { WatchOutcome::FailedTest };
            example.note = "a later call that the triple requires did not hold".into();
            self.record_outcome(row, outcome, example);
        }
    }

    pub(super) fn why_failed(
        &self,
        machine: &Machine,
        triple: &CompiledTriple,
        how: CallEnd,
        is_suite: bool,
    ) -> String {
        match how {
            CallEnd::Threw(thrown) => {
                let text = machine.describe_throwable(thrown);
                format!("it threw {}", text.lines().next().unwrap_or_default())
            }
            CallEnd::Returned(_) if triple.throws.is_some() => "the expected exception was not thrown".into(),
            CallEnd::Returned(_) if is_suite => "an assertion of the test does not hold".into(),
            CallEnd::Returned(_) => "the postcondition does not hold".into(),
        }
    }

    /// Narrows a range that was too wide: the value belongs to the branch whose path was taken.
    pub(super) fn refine(&mut self, machine: &Machine, branch: usize, running: &RunningCall) {
        let ways = running.tested_ways();
        let other = (0..running.tested.branches.len()).find(|it| ways >> it & 1 != 0);
        for assumed in &mut self.branches[branch].assumed {
            let Some(value) = assumed.value(machine, &running.arguments) else { continue };
            let (low, high) = assumed.tested;
            let step = if matches!(assumed.kind, Kind::Float | Kind::Double) { 0.0 } else { 1.0 };
            if value > high {
                assumed.high = Some(value - step);
                assumed.refined = true;
            } else if value < low {
                assumed.low = Some(value + step);
                assumed.refined = true;
            }
        }
        if let Some(place) = other {
            self.widen(machine, running.tested.branches[place], running);
        }
    }

    /// Widens a range: a call outside of it took the path of its test.
    pub(super) fn widen(&mut self, machine: &Machine, branch: usize, running: &RunningCall) {
        for assumed in &mut self.branches[branch].assumed {
            let Some(value) = assumed.value(machine, &running.arguments) else { continue };
            if let Some(low) = assumed.low.filter(|low| value < *low) {
                assumed.low = Some(value.min(low));
                assumed.refined = true;
            }
            if let Some(high) = assumed.high.filter(|high| value > *high) {
                assumed.high = Some(value.max(high));
                assumed.refined = true;
            }
        }
    }

    /// Predicates of tests that took the same path that do not hold now.
    fn broken(
        &mut self,
        machine: &mut Machine,
        running: &RunningCall,
        how: CallEnd,
        others: &mut Vec<BlamedCall>,
    ) -> Vec<(WatchOutcome, Option<usize>, Note)> {
        let mut found = Vec::new();
        let mut asked = BTreeSet::new();
        let compiled = self.compiled.clone();
        for it in &running.predicates {
            let triple = triple_of(&compiled, &self.branches[it.branch]);
            let branch = &self.branches[it.branch];
            let (uses_result, has_holes) = (branch.uses_result, branch.has_holes(false));
            let goes_its_way = (running.tested_ways() | running.tested.general) >> it.place & 1 != 0;
            // A condition that held before the call must hold after every path.
            if uses_result && !goes_its_way
                || matches!(how, CallEnd::Threw(_))
                || !asked.insert((branch.case, branch.triple))
            {
                continue;
            }
            let post = self.postcondition(machine, it, triple, running, how);
            if post == Truth::Fails && !has_holes {
                match self.blame(machine, BrokenTriple { active: it, triple, running, how }) {
                    Blame::Callee => {}
                    Blame::Other(call) => {
                        others.push(BlamedCall::of(call, it.branch));
                        continue;
                    }
                    Blame::Nobody(_) => continue,
                }
                let note = match uses_result {
                    true if running.tested_ways() >> it.place & 1 != 0 => {
                        "a predicate from a test on the same path does not hold for the result"
                    }
                    true => {
                        "a predicate that tests assert of results on several paths does not hold for this result"
                    }
                    false => "a predicate of the test held before the call, but does not hold after it",
                };
                found.push((WatchOutcome::FailedTest, Some(it.branch), note.into()));
            }
        }
        found
    }

    /// Counts an outcome, with an example while there are few.
    fn count_outcome(
        &mut self,
        machine: &mut Machine,
        running: &RunningCall,
        outcome: WatchOutcome,
        branch: Option<usize>,
        how: CallEnd,
        note: Note,
    ) {
        if self.rows.get(running.row).count(outcome, self.options.examples) {
            let example = self.example(machine, running, branch, how, note.into_owned());
            let is_whole = running.before.is_some() || running.pinned.is_empty();
            self.rows.get(running.row).keep(outcome, example, is_whole);
        }
    }
}
