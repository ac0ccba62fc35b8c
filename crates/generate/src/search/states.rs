//! States of objects: which of them are extended, and by what.

use super::{Job, Search, USUAL_LENGTH, is_maker};
use crate::driver::PlanDriver;
use crate::influence::Effects;
use crate::invokable::Invokable;
use crate::plan::{Plan, PlanStep, Var};
use crate::redundancy::{Extent, redundant};
use crate::sequences::{Fate, Relevance, Skip};
use crate::subsume::Admission;
use cupping_explore::{Completed, Path};
use cupping_machine::{ClassId, InitState, Kind, MethodId, Snapshot, Value};
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;

/// An object under test at the end of a path.
pub(super) struct State {
    pub(super) snapshot: Rc<Snapshot>,
    pub(super) driver: PlanDriver,
    pub(super) path: Path,
    pub(super) model: Model,
    pub(super) receiver: Var,
    pub(super) class: ClassId,
    pub(super) calls: usize,
}

/// States kept at most.
const MAX_STATES: usize = 4000;

impl Search<'_> {
    /// Whether a job's invocation lies on a candidate sequence to a method of which something is uncovered. Where nothing
    /// is, all are alike.
    pub(super) fn leads_on(&mut self, job: &Job) -> bool {
        let Some(state) = job.state else { return true };
        let calls = self.states[state].calls;
        let longest = if self.is_long { self.options.max_length } else { self.usual_length() };
        self.is_relevant(job.invokable.method, longest.saturating_sub(calls + 1))
    }

    /// Calls of a sequence that is tried before all longer ones.
    pub(super) fn usual_length(&self) -> usize {
        self.options.max_length.min(USUAL_LENGTH)
    }

    /// Whether an invocation with so many after it leads to something uncovered.
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

    /// The methods of which something is uncovered.
    fn open_methods(&mut self) -> Vec<MethodId> {
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

    /// The state after an invocation that returned becomes one to extend.
    pub(super) fn extend(&mut self, job: &Job, done: Completed<PlanDriver>, gained: bool) {
        let receiver = match job.receiver {
            Some(receiver) => receiver,
            None if self.makes_objects(&job.invokable) => {
                match done.driver.plan.steps.last().and_then(PlanStep::defines) {
                    Some(var) => var,
                    None => return,
                }
            }
            None => return,
        };
        let Some(object) = done.driver.slots[receiver].value.map(Value::as_ref).filter(|o| *o != 0) else {
            return;
        };
        let class = self.machine.class_of(object);
        let is_let_in = self.options.filter.allows(self.machine, &job.invokable);
        if !is_let_in || !self.machine.is_subtype(class, self.subject.class) {
            return;
        }
        let effects = self.influence.effects(self.machine, class, job.invokable.method);
        let last = job.receiver.is_some().then(|| (effects.clone(), job.invokable.method));
        if job.receiver.is_some() && effects.is_pure() {
            self.tell(&done.driver.plan, Fate::Unchanged);
            return;
        }
        // In classes of the JDK only accesses of the class itself are recorded.
        if !self.options.exhaustive
            && !self.machine.class(self.subject.class).from_jdk
            && let Some(call) =
                redundant(self.machine, &mut self.influence, &done.driver, Extent::Prefix(receiver))
        {
            self.statistics.redundant_states += 1;
            self.tell(&done.driver.plan, Fate::Redundant(call));
            return;
        }
        self.add_state(done.driver, done.path, done.model, receiver, last, gained as u32);
    }

    /// Whether what an invocation makes is an object to call methods on.
    fn makes_objects(&self, invokable: &Invokable) -> bool {
        if self.is_set_up {
            return self.subject.is_set_up && is_maker(invokable, self.subject);
        }
        is_maker(invokable, self.subject) || invokable.is_constructor()
    }

    pub(super) fn add_state(
        &mut self,
        driver: PlanDriver,
        path: Path,
        model: Model,
        receiver: Var,
        last: Option<(Rc<Effects>, MethodId)>,
        bonus: u32,
    ) {
        let calls = driver.plan.calls();
        let full = self.states.len() >= MAX_STATES && !self.options.exhaustive;
        if full || calls >= self.options.max_length {
            return;
        }
        let Some(receiver_value) = driver.slots[receiver].value else { return };
        let mut roots = vec![receiver_value];
        roots.extend(self.static_roots());
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
        let class = self.machine.class_of(receiver_value.as_ref());
        let snapshot = Rc::new(self.machine.snapshot());
        let at = self.states.len();
        let plan = driver.plan.clone();
        self.states.push(State { snapshot, driver, path, model, receiver, class, calls });
        for invokable in self.steps.clone() {
            // Without any invocation it was a constant that held the object.
            let is_shared = calls == 0 && plan.setup == 0;
            if let Some(why) = self.skip(&invokable, class, (calls, is_shared), last.as_ref()) {
                if let Some(story) = &mut self.story {
                    story.skip(&plan, &invokable, why);
                }
                continue;
            }
            let cost = (calls as u32 * 10).saturating_sub(bonus * 6);
            self.push_jobs(Some(at), &invokable, Some(self.states[at].receiver), cost);
        }
    }

    /// Why an invocation is not tried on an object of this class after so many calls, the last of them this one.
    fn skip(
        &mut self,
        invokable: &Invokable,
        class: ClassId,
        (calls, is_shared): (usize, bool),
        last: Option<&(Rc<Effects>, MethodId)>,
    ) -> Option<Skip> {
        // What only sets up is of use where it leads on.
        let only_sets_up = !self.is_under_test(invokable);
        if only_sets_up
            && !(self.options.filter.allows(self.machine, invokable)
                && self.is_relevant(invokable.method, self.options.max_length.saturating_sub(calls + 1)))
        {
            return Some(Skip::LeadsNowhere);
        }
        let effects = self.influence.effects(self.machine, class, invokable.method);
        // Tests that change what a constant refers to disturb each other.
        if is_shared && effects.defines_of(self.machine, class) {
            return Some(Skip::SharedConstant);
        }
        // What the last invocation does not influence was tried before it. As a step to further states it still
        // counts, in one of the two orders.
        let (last, method) = last?;
        if last.influences(&effects) || effects.is_step_after(last, invokable.method < *method) {
            return None;
        }
        Some(if effects.is_pure() { Skip::NoInfluence } else { Skip::PartialOrder })
    }

    pub(super) fn tell(&mut self, plan: &Plan, fate: Fate) {
        if let Some(story) = &mut self.story {
            story.state(plan, fate);
        }
    }

    /// The static fields of the class under test that code can change.
    fn static_roots(&self) -> Vec<Value> {
        if self.machine.init_state(self.subject.class) != InitState::Initialized {
            return Vec::new();
        }
        let class = self.machine.class(self.subject.class);
        let fields = class.fields.iter().filter(|f| f.is_static() && f.access & 0x10 == 0);
        fields
            .filter(|f| f.kind == Kind::Reference)
            .filter_map(|f| self.machine.static_field(class.id, &f.name))
            .map(Value::concrete)
            .collect()
    }
}
