//! Tests aimed at mutants that no test notices.
//!
//! For each such mutant the original and the mutant run as one product ([`crate::versions`]): along the calls of
//! a test that reaches the mutated place, from other states of the object, and, when the states differ but no
//! assertion shows it, followed by further calls. The steps are those of constraint-based mutation testing
//! (reach, infect, propagate): the solver is asked for inputs on which the two differ, the exploration follows
//! the decisions of both, and the assertions of the test decide whether the difference can be seen.

use super::{Candidate, Job, Search};
use crate::case_writer::{CaseWriter, Draft};
use crate::driver::{Inputs, PlanDriver, Slot};
use crate::mutation::{Fate, Notice, Targets, notice};
use crate::plan::{Plan, PlanStep, Var};
use crate::versions::{Bases, Comparison, Extent, Image, Other, Product, Version, prepare};
use cupping_case::Criterion;
use cupping_coverage::GoalId;
use cupping_explore::{
    Completed, Counters, Driver, Ended, Exploration, Limits, Path, Rank, Searcher, SideCounts, Trees,
};
use cupping_machine::Snapshot;
use cupping_solve::{Answer, Query};
use cupping_term::{Model, TermId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// By how much the following limits are raised, round by round.
const EFFORTS: [usize; 3] = [1, 4, 16];
/// Tests along which a mutant is run together with the original, at most.
const MAX_ALONG: usize = 4;
/// States from which its method is called on both, at most.
const MAX_STATES: usize = 6;
/// Sides tried in one product.
const MAX_SIDES: usize = 24;
/// Different inputs tried in one product.
const MAX_INPUTS: usize = 4;
/// Calls appended to show a difference.
const MAX_CALLS: usize = 2;
/// States with a difference that is not seen yet, kept for further calls.
const MAX_HIDDEN: usize = 3;
/// Candidates that are written down only to see which mutants they notice.
const MAX_SPARE: usize = 60;
/// Work of one run of a test on a version, in microseconds of a reference machine.
const WORK_OF_RUN: u64 = 150;

/// Deep paths first: the decisions of the second run, behind the mutated place.
struct DeepestFirst;

impl Searcher for DeepestFirst {
    fn rank(&self, candidate: &cupping_explore::Candidate, counts: &SideCounts) -> Rank {
        let failed = counts.failed(candidate.site, candidate.side);
        (failed / 3, counts.taken(candidate.site, candidate.side), u32::MAX - candidate.depth)
    }
}

/// A plan with the variables and values of its inputs.
struct Attempt {
    plan: Rc<Plan>,
    slots: Rc<Vec<Slot>>,
    model: Model,
}

/// The result of running a product.
#[derive(Default)]
struct Differences {
    /// Inputs with which the states differ at the end.
    inputs: Vec<Model>,
    /// Whether all paths were run, and the states are equal on all of them.
    is_refuted: bool,
}

impl Search<'_> {
    /// Judges the tests by mutants, adds the assertions and tests that notice more of them, and says what became
    /// of each.
    pub fn aim_at_mutants(
        &mut self,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
        progress: &mut dyn FnMut(crate::session::Progress) -> bool,
    ) -> Targets {
        self.machine.restore(writer.base());
        // What people's set-ups and slow initialisers did before the tests is not done again.
        let with_initialiser = !self.is_set_up && !self.is_warm;
        let mut aim = Aim {
            targets: Targets::of(self.machine, self.map, with_initialiser),
            noticed_by: BTreeMap::new(),
            effort: 1,
            bases: Bases {
                booted: Rc::new(writer.booted().clone()),
                original: Rc::new(writer.base().clone()),
            },
            limit: self.options.budget.as_micros() as u64,
        };
        for (place, draft) in drafts.iter_mut().enumerate() {
            self.judge(&mut aim, draft, place);
        }
        self.try_spare_candidates(&mut aim, writer, drafts);
        'rounds: for effort in EFFORTS {
            aim.effort = effort;
            for at in 0..aim.targets.all.len() {
                if self.is_out_of_budget(&aim) || !progress(self.progress()) {
                    break 'rounds;
                }
                if aim.targets.is_open(at) {
                    self.aim_at(&mut aim, at, writer, drafts);
                }
            }
        }
        self.drop_superseded(&mut aim, drafts);
        self.machine.restore(&self.base);
        aim.targets
    }

    fn is_out_of_budget(&self, aim: &Aim) -> bool {
        let clock = self.options.clock.unwrap_or(self.options.budget * 2);
        self.work > aim.limit || self.started.elapsed() > clock
    }

    /// Runs a test on the open mutants that it reaches, and adds the assertions that notice more. Returns whether
    /// it notices any.
    fn judge(&mut self, aim: &mut Aim, draft: &mut Draft, place: usize) -> bool {
        if draft.is_failing {
            return false;
        }
        let reached = aim.targets.reached(self.map, &draft.coverage.hits, &draft.candidate);
        let mut is_useful = false;
        let mut only_with: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in reached {
            if !aim.targets.is_open(at) || self.is_out_of_budget(aim) {
                continue;
            }
            aim.targets.all[at].fate = Fate::Unnoticed;
            let version = aim.targets.all[at].version.clone();
            match self.notices(aim, draft, &version) {
                Some(Notice::AsItIs) => {
                    aim.credit(at, place);
                    is_useful = true;
                }
                Some(Notice::With(assertions)) => {
                    only_with.insert(at, assertions);
                }
                None => {}
            }
        }
        is_useful |= !only_with.is_empty();
        amend(aim, draft, place, only_with);
        is_useful
    }

    fn notices(&mut self, aim: &Aim, draft: &Draft, version: &Version) -> Option<Notice> {
        let (machine, influence) = (&mut *self.machine, &mut self.influence);
        let (noticed, fuel) = notice(machine, influence, &aim.bases, draft, version, &self.subject.package);
        self.work += WORK_OF_RUN + fuel / 4;
        noticed
    }

    /// Drops the tests whose coverage others have and whose mutants others notice, long ones first.
    fn drop_superseded(&mut self, aim: &mut Aim, drafts: &mut Vec<Draft>) {
        let has_other_goals = self
            .options
            .criteria
            .reported()
            .iter()
            .any(|it| !matches!(it, Criterion::Line | Criterion::Branch | Criterion::Mutation));
        if has_other_goals {
            return;
        }
        let goals: Vec<_> = drafts.iter().map(|it| self.map.covered(&it.coverage.hits)).collect();
        let mut covering: BTreeMap<GoalId, u32> = BTreeMap::new();
        let passing = |at: &usize| !drafts[*at].is_failing;
        for at in (0..drafts.len()).filter(passing) {
            goals[at].iter().for_each(|goal| *covering.entry(goal).or_default() += 1);
        }
        let mut order: Vec<usize> = (0..drafts.len()).filter(passing).collect();
        order.sort_by_key(|at| std::cmp::Reverse((drafts[*at].realized.plan.steps.len(), *at)));
        let mut dropped: BTreeSet<usize> = BTreeSet::new();
        for at in order {
            let is_covered = goals[at].iter().all(|goal| covering.get(&goal).is_some_and(|count| *count > 1));
            if !is_covered || drafts[at].candidate.remembered.is_some() {
                continue;
            }
            if self.take_over(aim, drafts, at, &dropped) {
                goals[at].iter().for_each(|goal| *covering.entry(goal).or_default() -= 1);
                dropped.insert(at);
            }
        }
        let mut place = 0;
        drafts.retain(|_| {
            place += 1;
            !dropped.contains(&(place - 1))
        });
    }

    /// Credits the mutants that a test notices to other tests; returns whether all of them have one.
    fn take_over(&mut self, aim: &mut Aim, drafts: &[Draft], from: usize, dropped: &BTreeSet<usize>) -> bool {
        let of = |(target, by): (&usize, &usize)| (*by == from).then_some(*target);
        let targets: Vec<usize> = aim.noticed_by.iter().filter_map(of).collect();
        let mut takers = Vec::new();
        for target in targets {
            let version = aim.targets.all[target].version.clone();
            let others = (0..drafts.len()).filter(|at| *at != from && !dropped.contains(at));
            let mut taker = None;
            for other in others.filter(|at| !drafts[*at].is_failing).collect::<Vec<_>>() {
                if self.is_out_of_budget(aim) {
                    return false;
                }
                let draft = &drafts[other];
                let reached = aim.targets.reaches(self.map, &draft.coverage.hits, &draft.candidate, target);
                if reached && self.notices(aim, draft, &version) == Some(Notice::AsItIs) {
                    taker = Some((target, other));
                    break;
                }
            }
            let Some(taker) = taker else { return false };
            takers.push(taker);
        }
        aim.noticed_by.extend(takers);
        true
    }

    /// Writes down candidates that were not selected, if they notice further mutants.
    fn try_spare_candidates(&mut self, aim: &mut Aim, writer: &mut CaseWriter<'_>, drafts: &mut Vec<Draft>) {
        let written: BTreeSet<(usize, u64)> = drafts.iter().map(|it| key(&it.candidate)).collect();
        let mut spare: Vec<Candidate> = std::mem::take(&mut self.candidates);
        let mut tried = 0;
        for candidate in &spare {
            if tried == MAX_SPARE || self.is_out_of_budget(aim) {
                break;
            }
            let is_failure = candidate.thrown.as_ref().is_some_and(|it| it.is_failure);
            let reached = aim.targets.reached(self.map, &candidate.hits, candidate);
            if is_failure
                || written.contains(&key(candidate))
                || !reached.iter().any(|at| aim.targets.is_open(*at))
            {
                continue;
            }
            tried += 1;
            self.try_candidate(aim, candidate, writer, drafts);
        }
        std::mem::swap(&mut self.candidates, &mut spare);
    }

    /// Adds a candidate to the tests if it notices mutants that none of them does.
    fn try_candidate(
        &mut self,
        aim: &mut Aim,
        candidate: &Candidate,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) -> bool {
        self.work += 4 * WORK_OF_RUN;
        let Some(mut draft) = writer.write(self.machine, &mut self.influence, candidate, false) else {
            return false;
        };
        let is_useful = self.judge(aim, &mut draft, drafts.len());
        if is_useful {
            drafts.push(draft);
        }
        is_useful
    }

    /// Looks for a test that notices a mutant.
    fn aim_at(
        &mut self,
        aim: &mut Aim,
        at: usize,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) -> bool {
        let version = aim.targets.all[at].version.clone();
        let mut along: Vec<Attempt> = Vec::new();
        let mut callers: Vec<cupping_machine::MethodId> = Vec::new();
        let mut order: Vec<&Candidate> = drafts.iter().map(|it| &it.candidate).collect();
        order.extend(self.candidates.iter());
        order.sort_by_key(|it| it.plan.steps.len());
        for candidate in order {
            if along.len() >= MAX_ALONG * aim.effort {
                break;
            }
            if !aim.targets.reaches(self.map, &candidate.hits, candidate, at) {
                continue;
            }
            let attempt = Attempt {
                plan: candidate.plan.clone(),
                slots: Rc::new(candidate.driver.slots.clone()),
                model: candidate.model.clone(),
            };
            let is_known = along.iter().any(|it| it.plan.calls_by_name() == attempt.plan.calls_by_name());
            callers.extend(candidate.plan.under_test().map(|it| it.method));
            if !is_known {
                along.push(attempt);
            }
        }
        if along.is_empty() {
            return false;
        }
        let mut hidden: Vec<Attempt> = Vec::new();
        let mut is_refuted = true;
        let mut from_states = self.from_states(&callers, MAX_STATES * aim.effort);
        along.append(&mut from_states);
        for attempt in along {
            if self.is_out_of_budget(aim) {
                return false;
            }
            let found = self.differences(aim, &version, &attempt);
            is_refuted &= found.is_refuted;
            for model in found.inputs {
                let attempt = Attempt { model, plan: attempt.plan.clone(), slots: attempt.slots.clone() };
                if self.try_attempt(aim, at, &attempt, writer, drafts) {
                    return true;
                }
                if hidden.len() < MAX_HIDDEN * aim.effort {
                    hidden.push(attempt);
                }
            }
        }
        if hidden.is_empty() {
            if is_refuted && callers.iter().all(|it| self.is_function(*it)) {
                aim.targets.all[at].fate = Fate::Equivalent;
            }
            return false;
        }
        self.show(aim, at, hidden, writer, drafts)
    }

    /// Whether a method depends on its arguments alone.
    fn is_function(&mut self, method: cupping_machine::MethodId) -> bool {
        let effects = self.influence.effects(self.machine, self.subject.class, method);
        effects.is_pure() && effects.uses.is_empty() && self.machine.method(method).is_static()
    }

    /// Calls of these methods from other states of the object, with free arguments.
    fn from_states(&mut self, methods: &[cupping_machine::MethodId], most: usize) -> Vec<Attempt> {
        let mut attempts = Vec::new();
        let methods: BTreeSet<_> = methods.iter().copied().collect();
        let subject = self.subject;
        let invokables = subject.under_test.iter().filter(|it| methods.contains(&it.method));
        for invokable in invokables.filter(|it| it.has_receiver()) {
            for state in 0..self.states.len() {
                if attempts.len() == most {
                    return attempts;
                }
                let known = &self.states[state];
                let (Some(receiver), class) = (known.receiver, known.class) else { continue };
                if !self.machine.is_subtype(class, invokable.class) {
                    continue;
                }
                let (plan, slots) = (known.driver.plan.clone(), known.driver.slots.clone());
                let model = known.model.clone();
                let plan = self.with_call(&plan, invokable, receiver);
                attempts.extend(plan.map(|plan| Attempt { plan, slots: Rc::new(slots), model }));
            }
        }
        attempts
    }

    /// A plan with one more call, with the first arguments that its parameters can have.
    fn with_call(
        &mut self,
        plan: &Plan,
        invokable: &Rc<crate::invokable::Invokable>,
        receiver: Var,
    ) -> Option<Rc<Plan>> {
        let class = self.subject.class;
        let assignments =
            self.provider.assignments(self.machine, &mut self.influence, invokable, Some(class));
        let assignment = assignments.first()?.clone();
        let mut plan = plan.clone();
        let mut arguments = vec![receiver];
        for (parameter, provision) in invokable.parameters.iter().zip(&assignment) {
            let var = self.provider.provide(self.machine, &mut plan, provision, parameter, Some(receiver), 0);
            arguments.push(var);
        }
        plan.call(invokable, arguments, "result");
        (plan.calls() <= self.options.max_length).then(|| Rc::new(plan))
    }

    /// Appends calls to runs whose states differ, until an assertion shows the difference.
    fn show(
        &mut self,
        aim: &mut Aim,
        at: usize,
        mut hidden: Vec<Attempt>,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) -> bool {
        let version = aim.targets.all[at].version.clone();
        let subject = self.subject;
        for _ in 0..MAX_CALLS {
            let mut next: Vec<Attempt> = Vec::new();
            for attempt in &hidden {
                let Some(receiver) = self.object_of(&attempt.plan) else { continue };
                for invokable in subject.under_test.iter().filter(|it| it.has_receiver()) {
                    if self.is_out_of_budget(aim) {
                        return false;
                    }
                    let Some(plan) = self.with_call(&attempt.plan, invokable, receiver) else { continue };
                    let longer = Attempt { plan, slots: attempt.slots.clone(), model: attempt.model.clone() };
                    for model in self.differences(aim, &version, &longer).inputs {
                        let found = Attempt { model, plan: longer.plan.clone(), slots: longer.slots.clone() };
                        if self.try_attempt(aim, at, &found, writer, drafts) {
                            return true;
                        }
                        if next.len() < MAX_HIDDEN * aim.effort {
                            next.push(found);
                        }
                    }
                }
            }
            hidden = next;
        }
        false
    }

    /// The object of the class under test on which further calls can be made.
    fn object_of(&self, plan: &Plan) -> Option<Var> {
        let PlanStep::Call { invokable, arguments, result } = plan.steps.last()? else { return None };
        if invokable.has_receiver() {
            return arguments.first().copied();
        }
        let is_maker = super::is_maker(invokable, self.subject) || invokable.is_constructor();
        result.filter(|_| is_maker)
    }

    /// Runs a product: inputs on which the original and the version end in different states.
    fn differences(&mut self, aim: &Aim, version: &Rc<Version>, attempt: &Attempt) -> Differences {
        let mut found = Differences::default();
        self.machine.restore(&aim.bases.original);
        let Ok((slots, bounds)) = prepare(self.machine, &attempt.plan, &attempt.slots) else { return found };
        let path = bounds.into_iter().fold(Path::default(), |path, bound| path.assume(bound));
        let (plan, slots, model) = (attempt.plan.clone(), Rc::new(slots), attempt.model.clone());
        let started =
            Product::start(self.machine, plan, slots, version.clone(), aim.bases.clone(), model.clone());
        let Ok(Some(product)) = started else { return found };
        let limits = Limits { decisions: 400, fuel: 200_000, offers: 4, give_ups: 2, waiting: 200 };
        let mut exploration = Exploration::new(limits);
        let (mut trees, mut counts) = (Trees::default(), SideCounts::default());
        let mut is_same = true;
        let mut done = {
            let mut tools = product_tools(self, &mut trees, &mut counts);
            Some(exploration.start(&mut tools, product, path, model))
        };
        for _ in 0..MAX_SIDES * aim.effort {
            if let Some(done) = done.take() {
                is_same &= self.compare(done, &mut found);
            }
            if found.inputs.len() >= MAX_INPUTS || self.is_out_of_budget(aim) {
                break;
            }
            let before = exploration.counters;
            let mut tools = product_tools(self, &mut trees, &mut counts);
            match exploration.step(&mut tools) {
                Some(next) => done = next,
                None => {
                    let Counters { time_outs, skipped, .. } = exploration.counters;
                    found.is_refuted = is_same && time_outs + skipped == 0;
                    break;
                }
            }
            self.account_product(before, exploration.counters);
        }
        version.remove(self.machine);
        found
    }

    fn account_product(&mut self, before: Counters, now: Counters) {
        let statistics = self.statistics.clone();
        self.account(before, now);
        self.statistics = statistics;
        self.work += WORK_OF_RUN / 4;
    }

    /// Adds inputs on which a path ends differently; returns whether there are none.
    fn compare(&mut self, done: Completed<Product>, found: &mut Differences) -> bool {
        let Some((original, mutated)) = done.driver.ends() else { return false };
        let is_end = |it: &Ended| matches!(it, Ended::Returned(_) | Ended::Threw(_));
        if !is_end(original) {
            return false;
        }
        if !is_end(mutated) {
            found.inputs.push(done.model);
            return false;
        }
        let is_initialiser = done.driver.version().initialises.is_some();
        let mut is_same = true;
        for extent in [Extent::Result, Extent::State] {
            // A mutant of the initialiser leaves another state before the test already.
            if extent == Extent::State && is_initialiser {
                return false;
            }
            let (original, mutated) = done.driver.images(self.machine, extent);
            match Image::compare(self.machine, &done.model, original, mutated.as_ref()) {
                Comparison::Different => {
                    found.inputs.push(done.model);
                    return false;
                }
                Comparison::Alike(pairs) => match self.tell_apart(&done, &pairs) {
                    Answer::Sat(model) => {
                        found.inputs.push(model);
                        return false;
                    }
                    Answer::Unsat { .. } => {}
                    Answer::Unknown(_) => is_same = false,
                },
                Comparison::Same => {}
                Comparison::Unknown => is_same = false,
            }
        }
        is_same
    }

    /// Asks for inputs of a path on which one of these pairs differs.
    fn tell_apart(&mut self, done: &Completed<Product>, pairs: &[(TermId, Other)]) -> Answer {
        let terms = self.machine.terms_mut();
        let mut differs = |(a, b): &(TermId, Other)| {
            let b = match b {
                Other::Term(b) => *b,
                Other::Constant(bits) => terms.constant(terms.sort(*a), *bits),
            };
            terms.ne(*a, b)
        };
        let differ: Vec<_> = pairs.iter().map(&mut differs).collect();
        let mut assertions = done.path.condition();
        assertions.push(terms.any(&differ));
        let query = Query { assertions: &assertions, hint: Some(&done.model) };
        self.solver.solve(self.machine.terms_mut(), &query)
    }

    /// Makes a test of inputs on which a mutant behaves differently, if its assertions show that.
    fn try_attempt(
        &mut self,
        aim: &mut Aim,
        at: usize,
        attempt: &Attempt,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) -> bool {
        let Some(candidate) = self.follow(&aim.bases.original, attempt) else { return false };
        self.try_candidate(aim, &candidate, writer, drafts);
        aim.targets.all[at].fate == Fate::Noticed
    }

    /// Runs a plan on the original with these inputs, as an exploration would.
    fn follow(&mut self, base: &Snapshot, attempt: &Attempt) -> Option<Candidate> {
        self.machine.restore(base);
        let (slots, _) = prepare(self.machine, &attempt.plan, &attempt.slots).ok()?;
        self.machine.restore(base);
        let mut driver = PlanDriver::new(attempt.plan.clone());
        let (mut path, mut model) = (Path::default(), attempt.model.clone());
        loop {
            let mut bounds = Vec::new();
            let inputs = Inputs::Again { slots: &slots };
            if !driver.enter_next(self.machine, &inputs, &mut bounds).ok()? {
                return None;
            }
            path = bounds.into_iter().fold(path, |path, bound| path.assume(bound));
            self.machine.adopt_model(&model);
            driver.adopt(self.machine, &model);
            let is_last = driver.next + 1 == driver.plan.steps.len();
            let mut exploration = Exploration::new(Limits::default());
            let mut tools = tools!(self);
            let done = exploration.start(&mut tools, driver, path, model);
            self.account_product(Counters::default(), exploration.counters);
            if is_last {
                return self.candidate_of(done);
            }
            if !matches!(done.driver.ended, Some(Ended::Returned(_))) {
                return None;
            }
            (driver, path, model) = (done.driver, done.path, done.model);
        }
    }

    /// A completed path as a candidate that keeps its inputs; `None` if it cannot be a test of behaviour.
    fn candidate_of(&mut self, done: Completed<PlanDriver>) -> Option<Candidate> {
        let ended = done.driver.ended.clone()?;
        let invokable = done.driver.plan.under_test()?.clone();
        let thrown = match &ended {
            Ended::Threw(exception) => {
                Some(crate::exceptions::Thrown::of(self.machine, *exception, &invokable))
            }
            Ended::Returned(_) => None,
            Ended::Halted(_) | Ended::TooManyDecisions => return None,
        };
        let job = Job::of(invokable);
        if thrown.as_ref().is_some_and(|it| it.is_failure) || self.withhold(&job, &done, thrown.as_ref()) {
            return None;
        }
        let control = self.control(&done);
        Some(Candidate {
            hits: self.machine.hits_under(&done.model),
            pairs: Rc::default(),
            plan: done.driver.plan.clone(),
            driver: done.driver,
            path: done.path,
            model: done.model,
            ended,
            thrown,
            is_pure: false,
            leaf: None,
            control,
            remembered: None,
            is_aimed: true,
        })
    }
}

/// The state of the search for tests that notice mutants.
struct Aim {
    targets: Targets,
    /// The test to which each noticed mutant is credited, by their places.
    noticed_by: BTreeMap<usize, usize>,
    bases: Bases,
    /// See [`EFFORTS`].
    effort: usize,
    /// Work beyond which nothing is started.
    limit: u64,
}

impl Aim {
    fn credit(&mut self, target: usize, draft: usize) {
        self.targets.all[target].fate = Fate::Noticed;
        self.noticed_by.insert(target, draft);
    }
}

/// Adds the fewest assertions that notice these mutants, those that notice most first.
fn amend(aim: &mut Aim, draft: &mut Draft, place: usize, mut only_with: BTreeMap<usize, Vec<usize>>) {
    let mut added: BTreeSet<usize> = BTreeSet::new();
    while !only_with.is_empty() {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        only_with.values().flatten().for_each(|it| *counts.entry(*it).or_default() += 1);
        let best = counts.iter().max_by_key(|(at, count)| (**count, std::cmp::Reverse(**at)));
        let Some((best, _)) = best else { break };
        let best = *best;
        added.insert(best);
        let mut noticed = Vec::new();
        only_with.retain(|target, assertions| {
            let is_noticed = assertions.contains(&best);
            if is_noticed {
                noticed.push(*target);
            }
            !is_noticed
        });
        noticed.into_iter().for_each(|target| aim.credit(target, place));
    }
    let unchanged = std::mem::take(&mut draft.unchanged).into_iter().enumerate();
    let (chosen, rest): (Vec<_>, Vec<_>) = unchanged.partition(|(at, _)| added.contains(at));
    draft.case.assertions.extend(chosen.into_iter().map(|(_, it)| it));
    draft.unchanged = rest.into_iter().map(|(_, it)| it).collect();
}

fn key(candidate: &Candidate) -> (usize, u64) {
    (Rc::as_ptr(&candidate.plan) as usize, candidate.path.signature())
}

/// The parts of the search that a product needs. Its decisions must not be counted as those of tests.
fn product_tools<'s>(
    search: &'s mut Search<'_>,
    trees: &'s mut Trees,
    counts: &'s mut SideCounts,
) -> cupping_explore::Tools<'s> {
    cupping_explore::Tools {
        machine: search.machine,
        solver: search.solver,
        trees,
        counts,
        searcher: &DeepestFirst,
        under_test: &super::is_application,
    }
}
