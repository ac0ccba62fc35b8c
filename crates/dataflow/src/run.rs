//! Runs the layers of the analysis on the pairs of a class, in turns, until nothing is open or the budget is spent.

use crate::analysis::{Analysis, DataflowOptions, PairVerdict, Reason, SequenceSource, statically};
use crate::confirmation::Confirmer;
use crate::deduce::{
    CallableKind, Composer, Deduction, DeductionEnd, Memory, PairBudget, Sequence, SequenceOutcome,
    SeveralObjects,
};
use crate::frontier::Frontier;
use crate::halves::Combination;
use crate::invariants::Search;
use crate::objects::ObjectsMade;
use crate::schedule::{Layer, Schedule};
use crate::solving::solver_config;
use crate::tree_rounds::TreeRounds;
use cupping_generate::{Candidate, Progress, Workbench};
use cupping_solve::Solver;
use cupping_term::{TermId, VarIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Limit on the tree nodes of a class kept for display.
const KEPT_NODES: usize = 200_000;

/// Analyses a class on a workbench opened with [`crate::open`].
pub fn analyse(
    bench: &mut Workbench<'_>,
    options: &DataflowOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Analysis {
    let mut analysis = statically(bench, options);
    run(bench, options, &mut analysis, progress);
    analysis
}

/// Decides as many pairs as possible.
pub fn run(
    bench: &mut Workbench<'_>,
    options: &DataflowOptions,
    analysis: &mut Analysis,
    progress: &mut dyn FnMut(Progress) -> bool,
) {
    let schedule = Schedule::new(analysis.account.left());
    let mut run = AnalysisRun {
        bench,
        options,
        analysis,
        solver: Solver::new(solver_config(options.budget)),
        composer: Composer::default(),
        memory: Memory::default(),
        several_objects: None,
        invariants: None,
        confirmer: Confirmer::default(),
        kept: 0,
        own_work: 0,
        after_exceptions: BTreeMap::new(),
        rounds: TreeRounds::new(options.limits),
        frontier: Frontier::default(),
        combination: Combination::default(),
        objects: ObjectsMade::default(),
    };
    if options.forward {
        run.take_turns(schedule, progress);
    } else {
        let all = run.analysis.account.left();
        run.turn(Layer::Trees, all, progress);
    }
    run.end_rounds();
    run.add_after_exceptions();
    run.objects.explain(run.analysis);
}

/// The part of the budget kept for pairs that only an exception reaches, in percent; the layers share the rest.
const OF_EXCEPTIONS: u64 = 10;

/// The part of the budget that the search for invariants may take, in percent.
const OF_INVARIANTS: u64 = 12;

pub(crate) struct AnalysisRun<'r, 's> {
    pub(crate) bench: &'r mut Workbench<'s>,
    pub(crate) options: &'r DataflowOptions,
    pub(crate) analysis: &'r mut Analysis,
    solver: Solver,
    composer: Composer,
    memory: Memory,
    /// What holds of the object between calls, once that was searched for.
    invariants: Option<Vec<TermId>>,
    /// For pairs of static variables; made when first needed.
    several_objects: Option<Option<SeveralObjects>>,
    confirmer: Confirmer,
    kept: usize,
    /// Work on trees, excluding solver and machine, in microseconds.
    pub(crate) own_work: u64,
    /// Sequences that continue after a call that throws, by the pairs that they exercise.
    pub(crate) after_exceptions: BTreeMap<usize, (Vec<String>, Candidate)>,
    pub(crate) rounds: TreeRounds,
    pub(crate) frontier: Frontier,
    pub(crate) combination: Combination,
    pub(crate) objects: ObjectsMade,
}

/// Cost of a tree and of each node.
const PER_TREE: u64 = 150;
const PER_NODE: u64 = 40;

impl AnalysisRun<'_, '_> {
    pub(crate) fn is_open(&self, pair: usize) -> bool {
        self.analysis.is_open(pair)
    }

    pub(crate) fn progress(&self) -> Progress {
        let decided = (0..self.analysis.pairs.len()).filter(|p| !self.is_open(*p)).count();
        Progress {
            paths: 0,
            tests: self.analysis.tests.len(),
            branches: decided as u32,
            all_branches: self.analysis.pairs.len() as u32,
            mutants: None,
            left: Duration::ZERO,
        }
    }

    /// Gives turns to the layers until nothing is open, no work is left, or all layers have ended.
    fn take_turns(&mut self, mut schedule: Schedule, progress: &mut dyn FnMut(Progress) -> bool) {
        let mut runs = 0;
        let kept = self.analysis.account.part(OF_EXCEPTIONS);
        let reserve = |run: &Self| if run.has_refuted_for_returns() { kept } else { 0 };
        while self.has_open()
            && self.analysis.account.left() > reserve(self)
            && !self.analysis.account.stop.is_due()
        {
            // What is new is combined at once: as a rule, that costs little and decides many pairs.
            let is_new = self.analysis.tests.len() > runs && schedule.is_worthwhile(Layer::Combination);
            let next = if is_new { Some(schedule.turn_of(Layer::Combination)) } else { schedule.next() };
            let Some((layer, work)) = next else { break };
            runs = self.analysis.tests.len();
            let undecided = self.undecided();
            let work = work.min(self.analysis.account.left());
            let (is_ended, work) = self.turn(layer, work, progress);
            // A layer that does nothing is not asked again.
            let is_ended = is_ended || work == 0;
            schedule.record(layer, undecided.saturating_sub(self.undecided()), work, is_ended);
            match layer {
                // It has seen its own runs.
                Layer::Combination if is_ended => runs = self.analysis.tests.len(),
                Layer::Search => schedule.resume(Layer::Combination),
                _ => {}
            }
        }
        let work = kept.min(self.analysis.account.left());
        self.turn(Layer::Chase, work, progress);
    }

    /// One turn of a layer with this much work; returns whether the layer has nothing left to do, and the work
    /// that the turn took, which is charged.
    fn turn(&mut self, layer: Layer, work: u64, progress: &mut dyn FnMut(Progress) -> bool) -> (bool, u64) {
        let before = self.spent();
        let is_ended = match layer {
            Layer::Trees => self.deduce(work, progress),
            Layer::Chase => !self.options.chase || self.chase(work, progress),
            Layer::Combination => self.combine(work, progress),
            Layer::Search => {
                self.search(work, progress);
                true
            }
        };
        let work = self.spent() - before;
        self.analysis.account.charge(work);
        (is_ended, work)
    }

    /// Pairs that are open, or that only a sequence after an exception may exercise.
    fn undecided(&self) -> usize {
        (0..self.analysis.pairs.len())
            .filter(|pair| self.is_open(*pair) || self.needs_exception(*pair))
            .count()
    }

    /// Whether there are pairs that no calls that return exercise, but perhaps calls after an exception.
    fn has_refuted_for_returns(&self) -> bool {
        (0..self.analysis.pairs.len()).any(|pair| !self.is_open(pair) && self.needs_exception(pair))
    }

    fn has_open(&self) -> bool {
        (0..self.analysis.pairs.len()).any(|pair| self.is_open(pair))
    }

    /// Decides the pairs for which only sequences that continue after an exception are known.
    fn add_after_exceptions(&mut self) {
        for (pair, (calls, candidate)) in std::mem::take(&mut self.after_exceptions) {
            let analysis = &mut *self.analysis;
            if !matches!(analysis.verdicts[pair], PairVerdict::Covered { .. }) {
                analysis.verdicts[pair] = PairVerdict::Covered { calls, by: SequenceSource::AfterException };
                analysis.tests.push((candidate, vec![pair]));
            }
        }
    }

    /// The cost of deduction so far.
    pub(crate) fn spent(&self) -> u64 {
        self.solver.work() + self.bench.work() + self.own_work
    }

    pub(crate) fn needs_own(&self, pair: usize) -> bool {
        let by_other =
            matches!(self.analysis.verdicts[pair], PairVerdict::Covered { by: SequenceSource::Sequence, .. });
        self.options.each && by_other
    }

    pub(crate) fn deduce_one(
        &mut self,
        number: usize,
        depth: usize,
        tried: &mut PairBudget,
        limit: u64,
        statics: &[(VarIndex, u64)],
    ) -> Option<DeductionEnd> {
        let Analysis {
            accesses,
            pairs,
            verdicts,
            exercised,
            trees,
            summaries,
            kinds,
            invokables,
            variables,
            terms,
            account,
            ..
        } = &mut *self.analysis;
        let (pair, stop) = (pairs[number].clone(), account.stop);
        let mut taken = BTreeSet::new();
        let mut is_open =
            |pair: usize| matches!(verdicts[pair], PairVerdict::Inconclusive(_)) && taken.insert(pair);
        let mut found = Vec::new();
        let (bench, confirmer) = (&mut *self.bench, &mut self.confirmer);
        let of_bench = bench.work() + limit.saturating_sub(self.solver.work());
        let mut confirm = |sequence: &Sequence| {
            confirmer.confirm(
                bench,
                sequence,
                invokables,
                exercised,
                number,
                of_bench,
                &mut is_open,
                &mut found,
            )
        };
        let mut deduction = Deduction {
            terms,
            solver: &mut self.solver,
            accesses,
            variables,
            summaries,
            kinds,
            statics,
            invariants: self.invariants.as_deref().unwrap_or_default(),
            composer: &mut self.composer,
            memory: &mut self.memory,
            limits: self.options.limits,
            limit,
            stop,
        };
        let (tree, ended) = deduction.deduce(&pair, depth, tried, &mut confirm);
        self.own_work += PER_TREE + PER_NODE * tree.nodes.len() as u64;
        if self.kept + tree.nodes.len() <= KEPT_NODES {
            self.kept += tree.nodes.len();
            trees.insert(number, tree);
        }
        for (names, candidate, exercised) in found {
            let is_own = exercised.contains(&number) && matches!(ended, Some(DeductionEnd::Confirmed(_)));
            self.cover(is_own.then_some(number), names, SequenceSource::Sequence, candidate, exercised);
        }
        match ended {
            Some(DeductionEnd::Contradiction) if pair.is_static => {
                Some(self.deduce_for_several_objects(number, limit, statics))
            }
            ended => ended,
        }
    }

    /// Whether a pair of a static variable, which calls on one object cannot exercise, is refuted for calls on several.
    fn deduce_for_several_objects(
        &mut self,
        number: usize,
        limit: u64,
        statics: &[(VarIndex, u64)],
    ) -> DeductionEnd {
        let Analysis { accesses, pairs, summaries, kinds, variables, terms, account, flat, .. } =
            &mut *self.analysis;
        let several = self
            .several_objects
            .get_or_insert_with(|| SeveralObjects::of(terms, flat, variables, summaries, kinds));
        let Some(several) = several else { return DeductionEnd::Contradiction };
        let limits = self.options.limits;
        let mut deduction = Deduction {
            terms,
            solver: &mut self.solver,
            accesses,
            variables,
            summaries: &several.summaries,
            kinds,
            statics,
            invariants: &[],
            composer: &mut several.composer,
            memory: &mut several.memory,
            limits,
            limit,
            stop: account.stop,
        };
        // Such a sequence is not run: the chase and the search make several objects.
        let mut tried = PairBudget::new(&limits);
        let mut confirm = |_: &Sequence| SequenceOutcome::Known;
        let (tree, ended) = deduction.deduce(&pairs[number], limits.depth, &mut tried, &mut confirm);
        self.own_work += PER_TREE + PER_NODE * tree.nodes.len() as u64;
        match ended {
            Some(DeductionEnd::Contradiction) => DeductionEnd::Contradiction,
            _ => DeductionEnd::GivenUp(
                "calls on one object cannot exercise it; on several objects they may".to_owned(),
            ),
        }
    }

    /// Searches for invariants, once, after short sequences have decided what they can. What is known about states is
    /// deduced anew with them.
    pub(crate) fn find_invariants(&mut self) {
        // Objects that others change need not satisfy them.
        if self.invariants.is_some() || self.analysis.has_other_objects {
            return;
        }
        let limit = self.solver.work() + self.analysis.account.part(OF_INVARIANTS);
        let Analysis { flat, variables, summaries, kinds, terms, account, .. } = &mut *self.analysis;
        let stop = account.stop;
        let solver = &mut self.solver;
        let mut search = Search { terms, solver, flat, variables, summaries, kinds, limit, stop };
        let found = search.run();
        if !found.is_empty() {
            self.memory = Memory::default();
        }
        self.invariants = Some(found);
    }

    /// Records the result of the deduction for a pair.
    pub(crate) fn end(&mut self, number: usize, ended: DeductionEnd) {
        if !self.is_open(number) {
            return;
        }
        let class = self.analysis.flat.class;
        let is_abstract = self.bench.machine().class(class).is_abstract();
        let analysis = &*self.analysis;
        let pair = &analysis.pairs[number];
        let is_other =
            !analysis.accesses.all[pair.definition].on_this || !analysis.accesses.all[pair.usage].on_this;
        let definer = &analysis.flat.methods[analysis.accesses.all[pair.definition].method];
        let is_nested = analysis.flat.is_nested(definer);
        let has_maker = analysis.kinds.contains(&CallableKind::Constructor);
        let may_be_others = !pair.is_static && analysis.has_other_objects;
        let why = match ended {
            DeductionEnd::Confirmed(_) => return,
            // Deduction begins after the initialisers.
            DeductionEnd::Contradiction if pair.is_initial && pair.is_used_initially => {
                "no run of the static initialisers was recorded that exercises it".to_owned()
            }
            DeductionEnd::Contradiction if is_nested => "the definition is in a nested class".to_owned(),
            DeductionEnd::Contradiction if is_other => {
                "definition or use is on an object other than the receiver of the call".to_owned()
            }
            // Its subclasses may do more than the anonymous ones.
            DeductionEnd::Contradiction if !pair.is_static && is_abstract => {
                "the class is abstract, and its subclasses may do more".to_owned()
            }
            DeductionEnd::Contradiction if !has_maker => "no constructor or factory can be called".to_owned(),
            DeductionEnd::Contradiction if may_be_others => {
                "objects may exist that no constructor of a sequence created".to_owned()
            }
            DeductionEnd::Contradiction => {
                self.analysis.verdicts[number] = PairVerdict::Infeasible(Reason::Contradiction);
                return;
            }
            DeductionEnd::GivenUp(why) => format!("{why}{}", self.open_summaries(number)),
        };
        self.analysis.verdicts[number] = PairVerdict::Inconclusive(why);
    }

    /// What remains unknown about the methods of a pair.
    fn open_summaries(&self, pair: usize) -> String {
        let analysis = &*self.analysis;
        let of = |access: usize| analysis.accesses.all[access].method;
        let pair = &analysis.pairs[pair];
        let methods = [of(pair.definition), of(pair.usage)];
        let mut texts = Vec::new();
        for summary in &analysis.summaries {
            let Some(method) = analysis.flat.method(summary.method) else { continue };
            if methods.contains(&method) && !summary.open.is_empty() {
                texts.push(format!("{}: {}", analysis.flat.methods[method].name, summary.open.join(", ")));
            }
        }
        if texts.is_empty() { String::new() } else { format!(" ({})", texts.join("; ")) }
    }

    /// Whether a run exercises pairs of this class only by calls: it stores to none of its fields itself, and
    /// creates no object of a superclass, which shares code.
    fn is_of_class(&mut self, candidate: &Candidate) -> bool {
        let flat = &self.analysis.flat;
        let machine = self.bench.machine();
        let above: Vec<Arc<str>> =
            flat.hierarchy.iter().skip(1).map(|class| machine.class(*class).name.clone()).collect();
        !candidate.fields_set().any(|field| flat.by_field.contains_key(&field))
            && !candidate.constructed().any(|class| above.iter().any(|it| **it == *class))
    }

    /// Records a run and its pairs. `own` is the pair for which it was deduced.
    pub(crate) fn cover(
        &mut self,
        own: Option<usize>,
        calls: Vec<String>,
        by: SequenceSource,
        candidate: Candidate,
        exercised: BTreeSet<usize>,
    ) {
        if !self.is_of_class(&candidate) {
            return;
        }
        let mut kept = Vec::new();
        let catches = candidate.catches();
        for pair in exercised {
            // Deduction assumes that all calls return.
            if catches && self.analysis.verdicts[pair] != PairVerdict::Infeasible(Reason::NoClearPath) {
                self.after_exceptions.entry(pair).or_insert_with(|| (calls.clone(), candidate.clone()));
                continue;
            }
            if matches!(self.analysis.verdicts[pair], PairVerdict::Infeasible(_)) {
                self.analysis.refuted.push((pair, calls.clone()));
                self.analysis.verdicts[pair] = PairVerdict::Inconclusive(String::new());
            }
            if Some(pair) == own || self.is_open(pair) {
                let by = if Some(pair) == own { SequenceSource::Deduction } else { by };
                self.analysis.verdicts[pair] = PairVerdict::Covered { calls: calls.clone(), by };
                kept.push(pair);
            }
        }
        if !kept.is_empty() {
            // The pair that a test is for comes first.
            kept.sort_by_key(|pair| Some(*pair) != own);
            self.analysis.tests.push((candidate, kept));
        }
    }

    /// The values of mutable static variables at the start of a sequence.
    pub(crate) fn statics(&mut self) -> Vec<(VarIndex, u64)> {
        self.bench.reset();
        let machine = self.bench.machine();
        let analysis = &*self.analysis;
        let mut values = Vec::new();
        for (nth, variable) in analysis.flat.variables.iter().enumerate().filter(|(_, v)| v.is_static) {
            let symbol = analysis.variables.values[nth];
            let mask = analysis.terms.variable(symbol).sort.mask();
            let Some(bits) = machine.static_field(variable.class, &variable.name) else { continue };
            // For references, only null or non-null matters here.
            let bits = if variable.is_scalar() { bits & mask } else { u64::from(bits != 0) << 30 };
            values.push((symbol, bits));
            if let (Some(length), true) = (analysis.variables.lengths[nth], bits != 0) {
                let array = machine.static_field(variable.class, &variable.name).unwrap_or(0);
                values.push((length, u64::from(machine.array_length(array as u32))));
            }
        }
        values
    }

    /// Runs the search of `cupping generate` with this much work. Combination gets what it finds.
    fn search(&mut self, work: u64, progress: &mut dyn FnMut(Progress) -> bool) {
        let account = &self.analysis.account;
        let budget = Duration::from_micros(work).min(self.options.search.budget);
        let clock = account.clock();
        let mut candidates = self.bench.search(budget, clock, progress);
        candidates.retain(|candidate| self.is_of_class(candidate));
        candidates.sort_by_key(|c| c.plan.calls());
        let class = self.bench.machine().class(self.analysis.flat.class).name.clone();
        for candidate in candidates {
            if candidate.plan.calls() > 1 && candidate.constructed().any(|it| *it == *class) {
                self.objects.note_object();
            }
            let machine = self.bench.machine();
            let found = self.analysis.exercised.pairs(machine, &candidate.pairs);
            let calls = candidate.calls();
            self.cover(None, calls, SequenceSource::Search, candidate.clone(), found);
            self.combination.add(candidate);
        }
    }
}
