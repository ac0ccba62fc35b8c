//! Object states: which are extended, and by which invocations.

use super::{Job, Search, USUAL_LENGTH};
use crate::driver::PlanDriver;
use crate::influence::{Effects, FieldReference};
use crate::invokable::Invokable;
use crate::plan::{Plan, PlanStep, Var};
use crate::redundancy::{Extent, redundant};
use crate::sequences::{Fate, Relevance, SkipReason};
use crate::subsumption::Admission;
use cupping_case::TEST_FOLDER;
use cupping_coverage::is_hit;
use cupping_explore::{CompletedPath, Path};
use cupping_machine::{Addr, ClassId, InitState, Kind, MethodId, Snapshot, Value};
use cupping_term::Model;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// An object under test at the end of a path, or the class itself after static methods have changed its
/// static fields.
pub(super) struct EndState {
    pub(super) snapshot: Rc<Snapshot>,
    pub(super) driver: PlanDriver,
    pub(super) path: Path,
    pub(super) model: Model,
    /// The object; `None` for the class itself.
    pub(super) receiver: Option<Var>,
    pub(super) class: ClassId,
    pub(super) calls: usize,
    /// Minimum cost of an invocation from here.
    pub(super) cost: u32,
}

/// Limit on the calls after which static methods are called again.
const MAX_STATIC_CALLS: usize = 5;
/// Limit on the objects on which a whole chain of calls is made; see [`Search::push_chain`].
const MAX_CHAINS: usize = 2;
/// The cost of a call on the object under test, and of one that only creates an argument.
const CALLS: [u32; 2] = [10, 3];
/// The cost of the n-th state after the same calls, times the square root of n.
const SAME_CALLS: u32 = 3;
/// Limit on the states kept.
const MAX_STATES: usize = 4000;

impl Search<'_> {
    /// Whether a job's invocation lies on a candidate sequence to a method with uncovered goals. If nothing
    /// is uncovered, all jobs are alike.
    pub(super) fn leads_on(&mut self, job: &Job) -> bool {
        let is_apart = job.caller.is_some() || job.chain.is_some();
        let Some(state) = job.state.filter(|_| !is_apart) else { return true };
        let calls = self.states[state].calls;
        let longest = if self.is_long { self.options.max_length } else { self.usual_length() };
        self.is_relevant(job.invokable.method, longest.saturating_sub(calls + 1))
    }

    /// Length of sequences that are tried before all longer ones.
    pub(super) fn usual_length(&self) -> usize {
        self.options.max_length.min(USUAL_LENGTH)
    }

    /// Whether an invocation followed by this many others can lead to something uncovered.
    pub(super) fn is_relevant(&mut self, method: MethodId, left: usize) -> bool {
        if self.options.exhaustive {
            return true;
        }
        let covered = self.goals.len();
        if self.relevance.0 != covered {
            let open = self.open_methods();
            let targets = self.universe.calls(|invokable, effects| {
                self.is_under_test(invokable) && open.iter().any(|method| effects.runs.contains(method))
            });
            self.relevance = (covered, Relevance::new(&self.universe, &targets));
        }
        let relevance = &self.relevance.1;
        relevance.is_empty() || relevance.leads_on(method, left)
    }

    /// The methods with uncovered goals.
    pub(super) fn open_methods(&mut self) -> Vec<MethodId> {
        if let Some(aim) = &self.aim {
            return aim.methods.iter().copied().collect();
        }
        let mut open = Vec::new();
        for class in self.map.classes() {
            let mut unhit: BTreeSet<usize> = class.unhit(&self.hits).map(|(method, _)| method).collect();
            let wanted = class.requirements.iter().filter(|it| {
                it.goal.is_some_and(|goal| {
                    !self.goals.contains(goal) && !self.is_given_up(&self.map.goals()[goal.0 as usize])
                })
            });
            unhit.extend(wanted.map(|it| it.method));
            let Ok(id) = self.machine.load(&class.name) else { continue };
            let methods = self.machine.class(id).methods.iter().copied();
            open.extend(methods.filter(|method| unhit.contains(&self.machine.method(*method).index)));
        }
        open
    }

    /// Adds the state after an invocation that returned.
    pub(super) fn extend(&mut self, job: &Job, done: CompletedPath<PlanDriver>, gained: bool) {
        if job.in_world {
            return self.keep_world(job, done, gained);
        }
        if job.is_on_result() {
            return;
        }
        let receiver = match job.receiver {
            Some(receiver) => receiver,
            None if self.makes_objects(&job.invokable) => {
                match done.driver.plan.steps.last().and_then(PlanStep::defines) {
                    Some(var) => var,
                    None => return,
                }
            }
            None => return self.extend_class(job, done, gained),
        };
        let Some(object) = done.driver.object(receiver) else { return };
        let class = self.class_of(object);
        let is_let_in = self.options.filter.allows(self.machine, &job.invokable);
        if !is_let_in || !self.is_under_test_class(object) {
            return;
        }
        self.extend_result(job, &done, object, gained);
        let on = if job.caller.is_some() { job.invokable.class } else { class };
        let effects = self.influence.effects(self.machine, on, job.invokable.method);
        let last = job.receiver.is_some().then(|| (effects.clone(), job.invokable.method));
        if job.receiver.is_some() && effects.is_pure() {
            self.tell(&done.driver.plan, Fate::Unchanged);
            return;
        }
        // In JDK classes, only accesses by the class itself are recorded.
        if !self.options.exhaustive
            && job.caller.is_none()
            && !self.machine.class(self.subject.class).from_jdk
            && let Some(call) =
                redundant(self.machine, &mut self.influence, &done.driver, Extent::Prefix(receiver))
        {
            self.statistics.redundant_states += 1;
            self.tell(&done.driver.plan, Fate::Redundant(call));
            return;
        }
        self.add_state(done.driver, done.path, done.model, Some(receiver), last, gained as u32);
    }

    /// The class of an object under test; for an anonymous subclass, the class that it extends.
    fn class_of(&self, object: Addr) -> ClassId {
        let class = self.machine.class_of(object);
        let known = self.machine.class(class);
        let extended = known.super_class.filter(|above| known.file.is_none() && known.host == Some(*above));
        extended.unwrap_or(class)
    }

    /// Adds the state of another object under test that an invocation returned, such as a changed copy.
    fn extend_result(&mut self, job: &Job, done: &CompletedPath<PlanDriver>, object: Addr, gained: bool) {
        let is_own = job.receiver.is_some() && job.caller.is_none();
        let is_own = is_own && !self.options.exhaustive && !self.is_set_up;
        let result = done.driver.plan.steps.last().and_then(PlanStep::defines).filter(|_| is_own);
        let Some(result) = result else { return };
        let Some(made) = done.driver.object(result) else { return };
        if made == object || !self.is_under_test_class(made) {
            return;
        }
        self.add_state(
            done.driver.clone(),
            done.path.clone(),
            done.model.clone(),
            Some(result),
            None,
            gained as u32,
        );
    }

    /// Whether an object is one of the class under test.
    pub(super) fn is_under_test_class(&self, object: Addr) -> bool {
        self.machine.is_subtype(self.machine.class_of(object), self.subject.class)
    }

    /// Adds the state after a static method that set static fields.
    fn extend_class(&mut self, job: &Job, done: CompletedPath<PlanDriver>, gained: bool) {
        let effects = self.influence.effects(self.machine, self.subject.class, job.invokable.method);
        let sets = self.shared_by(&effects).next().is_some();
        if sets && job.invokable.is_static && !self.options.exhaustive {
            let last = Some((effects, job.invokable.method));
            self.add_state(done.driver, done.path, done.model, None, last, gained as u32);
        }
    }

    /// The static fields that these effects change and tests restore: those that are set, and collections that are
    /// read by whoever changes collections.
    fn shared_by<'e>(&'e self, effects: &'e Effects) -> impl Iterator<Item = &'e FieldReference> {
        let set = effects.defines.iter().filter(|field| self.is_shared(field));
        let read = effects.uses.iter().filter(|field| {
            field.class == self.subject.class && self.registries.contains(&(field.index as usize))
        });
        set.chain(read.filter(|_| !effects.changes.is_empty()))
    }

    /// Whether a field is a static field that tests restore.
    fn is_shared(&self, field: &FieldReference) -> bool {
        field.class == self.subject.class && self.shared.contains(&(field.index as usize))
    }

    /// Whether an invocation creates an object to call methods on.
    fn makes_objects(&self, invokable: &Invokable) -> bool {
        if self.is_set_up {
            return self.subject.is_set_up && self.subject.is_maker(invokable);
        }
        self.subject.is_maker(invokable) || invokable.is_constructor()
    }

    pub(super) fn add_state(
        &mut self,
        driver: PlanDriver,
        path: Path,
        model: Model,
        receiver: Option<Var>,
        last: Option<(Rc<Effects>, MethodId)>,
        bonus: u32,
    ) {
        let calls = driver.plan.calls();
        let full = self.states.len() >= MAX_STATES && !self.options.exhaustive;
        if full || calls >= self.options.max_length {
            return;
        }
        let receiver_value = receiver.and_then(|receiver| driver.slots[receiver].value);
        if receiver.is_some() && receiver_value.is_none() {
            return;
        }
        let mut roots: Vec<(Kind, Value)> =
            receiver_value.iter().map(|value| (Kind::Reference, *value)).collect();
        roots.extend(self.static_roots());
        roots.extend(self.files_root());
        let seen =
            self.seen.admit(self.machine, self.solver, &roots, (&path, &model), self.options.subsumption);
        self.statistics.isomorphic_states = self.seen.isomorphic;
        self.statistics.subsumed_states = self.seen.subsumed;
        let fate = match seen {
            Admission::New => Fate::Extended,
            Admission::Isomorphic => Fate::Isomorphic,
            Admission::Subsumed => Fate::Subsumed,
        };
        self.tell(&driver.plan, fate);
        if seen != Admission::New {
            return;
        }
        self.statistics.states += 1;
        let class = receiver_value.map_or(self.subject.class, |value| self.class_of(value.as_ref()));
        let snapshot = Rc::new(self.machine.snapshot());
        let at = self.states.len();
        let plan = driver.plan.clone();
        let cost = self.cost_of_calls(&plan, receiver);
        self.states.push(EndState { snapshot, driver, path, model, receiver, class, calls, cost });
        let cost = cost.saturating_sub(bonus * 6);
        self.push_static(at, &plan, cost);
        let Some(object) = receiver else { return };
        if calls == 1 && last.is_none() && self.chains_begun < MAX_CHAINS && !self.options.exhaustive {
            self.chains_begun += 1;
            self.chains += 1;
            self.push_chain(at, object, 0);
        }
        if calls > 0 {
            self.push_modifiers(at, object, cost);
        }
        for invokable in self.steps.clone() {
            // A constant holds the object without any invocation.
            let is_shared = calls == 0 && plan.setup == 0;
            if let Some(why) = self.skip(&invokable, class, (calls, is_shared), last.as_ref()) {
                if let Some(story) = &mut self.story {
                    story.skip(&plan, &invokable, why);
                }
                continue;
            }
            let bonus = if self.runs_new_override(class, invokable.method) { CALLS[0] } else { 0 };
            self.push_jobs(Some(at), &invokable, receiver, cost.saturating_sub(bonus));
        }
    }

    /// Whether a call on an object of this class runs a method that overrides the called one and has not been run: few
    /// other calls can do so.
    fn runs_new_override(&mut self, class: ClassId, method: MethodId) -> bool {
        let selected = self.machine.select(class, method);
        selected != method && {
            let probes = self.probes_of(selected);
            !probes.is_empty() && !probes.iter().any(|probe| is_hit(&self.hits, *probe))
        }
    }

    /// The cost of invocations after these calls. Among the states that the same calls lead to, later ones cost
    /// more: otherwise thousands of states of one constructor would come before the first state that is two
    /// calls away.
    pub(super) fn cost_of_calls(&mut self, plan: &Plan, receiver: Option<Var>) -> u32 {
        let [own, others] = plan.calls_of(receiver);
        let same = self.states_after.entry(plan.methods()).or_default();
        *same += 1;
        let again = SAME_CALLS * (*same - 1).isqrt();
        own as u32 * CALLS[0] + others as u32 * CALLS[1] + again
    }

    /// The minimum cost of an invocation from a state, or from the start.
    pub(super) fn cost_of(&self, state: Option<usize>) -> u32 {
        state.map_or(0, |at| self.states[at].cost)
    }

    /// After static fields have been set: schedules static methods that use them and, from the class itself,
    /// makers of objects whose methods do.
    fn push_static(&mut self, state: usize, plan: &Plan, cost: u32) {
        if self.shared.is_empty() && self.registries.is_empty()
            || self.options.exhaustive
            || self.states[state].calls > MAX_STATIC_CALLS
        {
            return;
        }
        let class = self.subject.class;
        let mut set = BTreeSet::new();
        for step in &plan.steps {
            let PlanStep::Call { invokable, .. } = step else { continue };
            let effects = self.influence.effects(self.machine, class, invokable.method);
            set.extend(self.shared_by(&effects).copied());
        }
        let mut uses =
            |it: &Invokable| !self.influence.effects(self.machine, class, it.method).uses.is_disjoint(&set);
        let subject = self.subject;
        let mut next: Vec<Rc<Invokable>> =
            subject.under_test.iter().filter(|it| it.is_static && uses(it)).cloned().collect();
        let for_objects = subject.under_test.iter().any(|it| it.has_receiver() && uses(it));
        if self.states[state].receiver.is_none() && for_objects && !self.is_set_up {
            next.extend(subject.makers.iter().filter(|it| it.is_constructor()).take(2).cloned());
        }
        for invokable in next {
            self.push_jobs(Some(state), &invokable, None, cost + 2);
        }
    }

    /// Why an invocation is not tried on an object of this class after `calls` calls, of which this was the
    /// last.
    fn skip(
        &mut self,
        invokable: &Invokable,
        class: ClassId,
        (calls, is_shared): (usize, bool),
        last: Option<&(Rc<Effects>, MethodId)>,
    ) -> Option<SkipReason> {
        // An invocation that is not under test is only useful if it leads to something uncovered.
        let only_sets_up = !self.is_under_test(invokable);
        if only_sets_up
            && !(self.options.filter.allows(self.machine, invokable)
                && self.is_relevant(invokable.method, self.options.max_length.saturating_sub(calls + 1)))
        {
            return Some(SkipReason::LeadsNowhere);
        }
        // Tests that modify the object of a constant would affect each other. Whether a call does so shows when it
        // runs; that of a setter is not worth it.
        if is_shared && self.influence.sets_own_field(self.machine, class, invokable.method) {
            return Some(SkipReason::SharedConstant);
        }
        let effects = self.influence.effects(self.machine, class, invokable.method);
        // If the last invocation does not influence this one, it was tried before the last one. As a step to
        // further states it counts in one of the two orders.
        let (last, method) = last?;
        if last.influences(&effects) || effects.is_step_after(last, invokable.method < *method) {
            return None;
        }
        Some(if effects.is_pure() { SkipReason::NoInfluence } else { SkipReason::PartialOrder })
    }

    pub(super) fn tell(&mut self, plan: &Plan, fate: Fate) {
        if let Some(story) = &mut self.story {
            story.state(plan, fate);
        }
    }

    /// A number that identifies the content of the test's folder; `None` if it is empty.
    fn files_root(&mut self) -> Option<(Kind, Value)> {
        let files = self.machine.export(TEST_FOLDER);
        if files.len() <= 1 {
            return None;
        }
        let mut hasher = rustc_hash::FxHasher::default();
        files.hash(&mut hasher);
        Some((Kind::Long, Value::concrete(hasher.finish())))
    }

    /// The mutable static fields of the class under test.
    pub(super) fn static_roots(&mut self) -> Vec<(Kind, Value)> {
        let id = self.subject.class;
        if self.machine.init_state(id) != InitState::Initialized {
            return Vec::new();
        }
        let Ok(statics) = self.machine.statics(id) else { return Vec::new() };
        let machine = &*self.machine;
        let fields = machine.class(id).fields.iter().enumerate();
        let is_state = |at: usize, field: &cupping_machine::Field| {
            field.is_static() && (!field.access.is_final() || self.registries.contains(&at))
        };
        let fields = fields.filter(|(at, field)| is_state(*at, field)).map(|it| it.1);
        let value = |field: &cupping_machine::Field| {
            let word = statics + Addr::from(field.offset);
            let shadow = machine.heap_shadow(u64::from(word) * 8);
            (field.kind, Value { bits: machine.memory().read(word), shadow })
        };
        fields.map(value).collect()
    }
}
