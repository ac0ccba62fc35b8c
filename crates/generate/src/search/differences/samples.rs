//! Samples: sequences that run a changed method, with other inputs and further calls, on both versions.
//!
//! A product asks the solver for inputs on a path. Samples do not understand the code, but they reach what no solver
//! does: long texts, many calls, arithmetic of floats, code of the JDK. A sample on a new way through the code is
//! varied further, as is one that leaves another state. What is found is made smaller.

use super::super::Search;
use super::super::products::{Attempt, NewInputs, Samples, with_other_inputs};
use super::{Findings, Opponent};
use crate::candidate::Candidate;
use crate::case_writer::CaseWriter;
use crate::comparison::ComparisonVerdict;
use crate::input::fixed;
use crate::invokable::Invokable;
use crate::mutation::Vocabulary;
use crate::outcome::Progress;
use crate::plan::{Plan, PlanStep};
use crate::versions::{Alternative, Comparison, Extent, Image};
use cupping_explore::Signature;
use cupping_machine::{Kind, MethodId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Sequences that are varied, at most, and those that call the same.
const MAX_SEQUENCES: usize = 300;
const MAX_ALIKE: usize = 4;
/// Calls before the last one that are added, at most.
const MAX_BEFORE: usize = 4;
/// Work of a sample that cannot be run.
const WORK_OF_NONE: u64 = 30;
/// Fuel of a sample, and what the other version may take beyond five times what the original took: then the difference
/// is looked at more closely.
const FUEL: [u64; 2] = [300_000, 20_000];
/// Differences in vain, since nobody sees them, after which only some are looked at, and one in how many.
const MAX_VAIN: usize = 4;
const VAIN_TURN: usize = 24;
/// States of which the difference is not seen, kept for further calls.
const MAX_HIDDEN: usize = 4;

/// The sequences that are varied.
pub(super) struct Sampling {
    samples: Samples,
    /// The places of those that run a changed method.
    reaching: Vec<usize>,
    /// How many sequences call the same.
    alike: BTreeMap<Vec<MethodId>, usize>,
    /// Methods under test that may run a changed method.
    callers: Vec<Rc<Invokable>>,
    ways: BTreeSet<(Option<MethodId>, Signature)>,
    vain: usize,
    /// Runs whose states differ although nobody sees that, with the changed method.
    hidden: Vec<(usize, Attempt)>,
}

impl Sampling {
    fn add(&mut self, attempt: Attempt, reaches: bool) {
        let is_varied = attempt.plan.steps.iter().any(|it| matches!(it, PlanStep::Input { .. }));
        let alike = self.alike.entry(attempt.plan.methods()).or_default();
        let is_wanted = (is_varied || attempt.plan.calls() > 0) && !attempt.plan.has_folder();
        if !is_wanted || *alike >= MAX_ALIKE || self.samples.all.len() >= MAX_SEQUENCES {
            return;
        }
        *alike += 1;
        if reaches {
            self.reaching.push(self.samples.all.len());
        }
        self.samples.all.push(attempt);
    }

    /// Adds what the search has found.
    pub(super) fn learn(&mut self, fresh: &[(Candidate, BTreeSet<usize>)]) {
        for (candidate, reached) in fresh {
            self.add(Attempt::of(candidate), !reached.is_empty());
        }
    }

    /// The place of a sequence to be varied; most run a changed method.
    fn choose(&mut self) -> Option<usize> {
        if self.samples.all.is_empty() {
            return None;
        }
        let vocabulary = &mut self.samples.vocabulary;
        if self.reaching.is_empty() || vocabulary.below(5) == 0 {
            return Some(vocabulary.below(self.samples.all.len()));
        }
        // What was added last is varied as often as all others.
        let first = if vocabulary.below(2) == 0 { self.reaching.len() / 2 } else { 0 };
        let at = first + vocabulary.below(self.reaching.len() - first);
        self.reaching.get(at).copied()
    }
}

impl Search<'_> {
    /// What is varied, before anything is known.
    pub(super) fn sampling(&mut self, opponent: &Opponent<'_>) -> Sampling {
        let own: Vec<_> = self.map.classes().iter().map(|it| it.name.clone()).collect();
        let classes: Vec<_> = own.iter().filter_map(|it| self.machine.loaded(it)).collect();
        let vocabulary = Vocabulary::of(self.machine, &classes, self.options.seed);
        self.machine.restore(opponent.version.start());
        let vocabulary = opponent.version.on(self.machine, |machine| {
            let others: Vec<_> = own.iter().filter_map(|it| machine.loaded(it)).collect();
            vocabulary.extended(machine, &others)
        });
        self.machine.restore(&self.base);
        let subject = self.subject;
        let mut callers = Vec::new();
        for invokable in &subject.under_test {
            let effects = self.influence.effects(self.machine, subject.class, invokable.method);
            let is_changed = |it: &MethodId| effects.runs.contains(it) || *it == invokable.method;
            if opponent.changed.iter().flatten().any(is_changed) {
                callers.push(invokable.clone());
            }
        }
        Sampling {
            samples: Samples { vocabulary, all: Vec::new() },
            reaching: Vec::new(),
            alike: BTreeMap::new(),
            callers,
            ways: BTreeSet::new(),
            vain: 0,
            hidden: Vec::new(),
        }
    }

    /// Runs samples until this much work is done, or all changed methods show a difference. Where states differ and
    /// no result shows it, calls are appended with this effort.
    pub(super) fn compare_samples(
        &mut self,
        opponent: &mut Opponent<'_>,
        sampling: &mut Sampling,
        (limit, effort): (u64, usize),
        writer: &mut CaseWriter<'_>,
        found: &mut Findings,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) {
        let mut rounds = 0;
        if sampling.samples.all.is_empty() && self.states.is_empty() && sampling.callers.is_empty() {
            return;
        }
        while self.work < limit && !self.is_out_of_work(opponent) && found.is_open() {
            rounds += 1;
            if rounds % 64 == 0 && !progress(self.progress()) {
                return;
            }
            // Arguments are read in a state of this version.
            self.machine.restore(&self.base);
            match self.any_sample(sampling).filter(|it| self.ends_under_test(&it.plan)) {
                Some(attempt) => self.compare_sample(opponent, sampling, &attempt, writer, found),
                None => self.work += WORK_OF_NONE,
            }
        }
        for (changed, attempt) in std::mem::take(&mut sampling.hidden) {
            if matches!(found.verdicts[changed], ComparisonVerdict::Open { .. }) {
                self.reveal(opponent, changed, effort, vec![attempt], writer, found);
            }
        }
    }

    /// A sequence that was not tried before, or not with these inputs.
    fn any_sample(&mut self, sampling: &mut Sampling) -> Option<Attempt> {
        let mut attempt = match sampling.samples.vocabulary.below(4) {
            0 => self.new_sequence(sampling)?,
            1 => {
                let known = sampling.choose()?;
                self.with_calls_before(sampling, known)?
            }
            _ => {
                let known = sampling.choose()?;
                self.sample(&mut sampling.samples, known)
            }
        };
        if sampling.samples.vocabulary.below(3) == 0 {
            let plan = Rc::make_mut(&mut attempt.plan);
            sampling.samples.vocabulary.repeat(plan);
        }
        Some(attempt)
    }

    /// A call that may run a changed method, on any object that is known and with any arguments.
    fn new_sequence(&mut self, sampling: &mut Sampling) -> Option<Attempt> {
        let Sampling { samples: Samples { vocabulary, .. }, callers, .. } = sampling;
        let invokable = callers.get(vocabulary.below(callers.len()))?.clone();
        let mut known = Attempt { plan: Rc::default(), slots: Rc::default(), model: Default::default() };
        let plan = if invokable.has_receiver() {
            let state = self.states.get(vocabulary.below(self.states.len()))?;
            let (receiver, class) = (state.receiver?, state.class);
            known.plan = state.driver.plan.clone();
            known.slots = Rc::new(state.driver.slots.clone());
            known.model = state.model.clone();
            if !self.machine.is_subtype(class, invokable.class) {
                return None;
            }
            let plan = self.with_call_on(vocabulary, &known.plan, receiver, &invokable)?;
            self.with_known_object(vocabulary, &plan).unwrap_or(plan)
        } else {
            let class = Some(self.subject.class);
            let assignments = self.provider.assignments(self.machine, &mut self.influence, &invokable, class);
            let assignment = assignments.get(vocabulary.below(assignments.len()))?;
            let mut plan = Plan::default();
            let mut arguments = Vec::new();
            for (parameter, provision) in invokable.parameters.iter().zip(assignment) {
                let var = self.provider.provide(self.machine, &mut plan, provision, parameter, None, 0);
                arguments.push(var);
            }
            plan.call(&invokable, arguments, "result");
            self.with_known_object(vocabulary, &plan).unwrap_or(plan)
        };
        let is_possible = plan.calls() <= self.options.max_length && !plan.has_folder();
        is_possible.then(|| with_other_inputs(&known, plan, vocabulary, NewInputs::Keep))
    }

    /// A plan whose last call is passed, in half of the cases, another object that the search knows how to make.
    fn with_known_object(&mut self, vocabulary: &mut Vocabulary, plan: &Plan) -> Option<Plan> {
        let Some(PlanStep::Call { invokable, arguments, .. }) = plan.steps.last() else { return None };
        let first = arguments.len().checked_sub(invokable.parameters.len())?;
        let place = vocabulary.below(2 * invokable.parameters.len());
        let parameter = invokable.parameters.get(place).filter(|it| it.kind == Kind::Reference)?;
        let state = self.states.get(vocabulary.below(self.states.len()))?;
        let (object, class) = (state.receiver?, state.class);
        let (made, slots, model) =
            (state.driver.plan.clone(), state.driver.slots.clone(), state.model.clone());
        let wanted = self.machine.load_descriptor(&parameter.ty.descriptor()).ok()?;
        if !self.machine.is_subtype(class, wanted) || made.has_folder() || made.setup > 0 {
            return None;
        }
        let mut plan = plan.clone();
        let mut call = plan.steps.pop()?;
        let offset = plan.variables.len();
        plan.variables.extend(made.variables.iter().cloned());
        for step in &made.steps {
            let mut step = step.renamed(&|var| Some(var + offset))?;
            if let PlanStep::Input { input, var } = &mut step {
                *input = fixed(input, &slots[*var - offset].symbols, &model);
            }
            plan.steps.push(step);
        }
        if let PlanStep::Call { arguments, .. } = &mut call {
            arguments[first + place] = object + offset;
        }
        plan.steps.push(call);
        plan.drop_unused_inputs();
        Some(plan)
    }

    /// A sequence with further calls before its last one.
    fn with_calls_before(&mut self, sampling: &mut Sampling, known: usize) -> Option<Attempt> {
        let Samples { vocabulary, all } = &mut sampling.samples;
        let attempt = all[known].clone();
        let PlanStep::Call { invokable, arguments, .. } = attempt.plan.steps.last()?.clone() else {
            return None;
        };
        let receiver = *arguments.first().filter(|_| invokable.has_receiver())?;
        let mut plan = attempt.plan.without(attempt.plan.steps.len() - 1)?;
        let subject = self.subject;
        let class = self.machine.load_descriptor(&plan.variables.get(receiver)?.ty.descriptor()).ok()?;
        let machine = &*self.machine;
        let is_callable = |it: &&Rc<Invokable>| it.has_receiver() && machine.is_subtype(class, it.class);
        let callable: Vec<_> = subject.under_test.iter().filter(is_callable).collect();
        for _ in 0..1 + vocabulary.below(MAX_BEFORE) {
            let added = *callable.get(vocabulary.below(callable.len()))?;
            plan = self.with_call_on(vocabulary, &plan, receiver, added).unwrap_or(plan);
        }
        let plan = self.with_call_on(vocabulary, &plan, receiver, &invokable)?;
        Some(with_other_inputs(&attempt, plan, vocabulary, NewInputs::Keep))
    }

    /// Runs a sample on both versions.
    fn compare_sample(
        &mut self,
        opponent: &mut Opponent<'_>,
        sampling: &mut Sampling,
        attempt: &Attempt,
        writer: &mut CaseWriter<'_>,
        found: &mut Findings,
    ) {
        self.work += WORK_OF_NONE;
        let Some(candidate) = self.follow_to_end(&opponent.bases.original, attempt) else { return };
        let reached = self.changed_methods_of(opponent, &candidate);
        let runs_all = opponent.changed.iter().all(Option::is_some);
        if runs_all && reached.is_empty() {
            return;
        }
        for changed in &reached {
            match &mut found.verdicts[*changed] {
                ComparisonVerdict::Open { runs, .. } => *runs += 1,
                known @ ComparisonVerdict::NotRun => {
                    *known = ComparisonVerdict::Open { sequences: 1, paths: 0, runs: 1 }
                }
                ComparisonVerdict::Differs | ComparisonVerdict::Same { .. } => {}
            }
        }
        let under_test = candidate.plan.under_test().map(|it| it.method);
        let is_new = sampling.ways.insert((under_test, candidate.control));
        let differing = self.differing_extent(opponent, &candidate);
        if is_new || differing == Some(Extent::State) {
            sampling.add(Attempt::of(&candidate), !reached.is_empty());
        }
        let Some(extent) = differing else { return };
        let is_vain = sampling.vain >= MAX_VAIN;
        if is_vain && sampling.samples.vocabulary.below(VAIN_TURN) > 0 {
            return;
        }
        let smaller = if is_vain {
            None
        } else {
            self.smaller(opponent, &candidate, extent, &sampling.samples.vocabulary)
        };
        for candidate in smaller.iter().chain([&candidate]) {
            let reached = self.changed_methods_of(opponent, candidate);
            if self.try_on_both(opponent, candidate, &reached, writer, found) {
                sampling.vain = 0;
                return;
            }
        }
        sampling.vain += 1;
        if let Some(changed) = reached.first().filter(|_| sampling.hidden.len() < MAX_HIDDEN) {
            sampling.hidden.push((*changed, Attempt::of(smaller.as_ref().unwrap_or(&candidate))));
        }
    }

    /// What differs between the ends of both versions, if anything does.
    pub(super) fn differing_extent(
        &mut self,
        opponent: &Opponent<'_>,
        candidate: &Candidate,
    ) -> Option<Extent> {
        self.machine.restore(&opponent.bases.original);
        let (original, taken) = self.ends_of(candidate, FUEL[0])?;
        let version = &opponent.version;
        self.machine.restore(version.start());
        version.install(self.machine);
        let other = version.plan(self.machine, &candidate.plan).map(|plan| {
            let candidate = Candidate { plan, ..candidate.clone() };
            self.ends_of(&candidate, FUEL[1] + 5 * taken)
        });
        version.remove(self.machine);
        let Some((other, _)) = other? else { return Some(Extent::Result) };
        let mut compared = original.iter().zip(&other).zip([Extent::Result, Extent::State]);
        let differs = |(one, other): (&Option<Image>, &Option<Image>)| {
            let compared = Image::compare(self.machine, &candidate.model, one.as_ref(), other.as_ref());
            !matches!(compared, Comparison::Same | Comparison::Unknown)
        };
        compared.find(|(pair, _)| differs(*pair)).map(|(_, extent)| extent)
    }
}
