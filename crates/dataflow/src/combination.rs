//! Combines pairs from two halves: a run after which the definition is live, and a call that reaches the use.
//! Deduction and search find only some of the many pairs of a large class, but nearly all of their halves.

use crate::analysis::SequenceSource;
use crate::deduce::CallableKind;
use crate::exercised_pairs::CodeOffset;
use crate::run::AnalysisRun;
use cupping_generate::{CallPart, Candidate, Hint, Interest, Invokable, PlannedCall, Progress};
use cupping_machine::Site;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Limit on the states from which a pair is tried.
const TRIES: u8 = 12;
/// Number of calls kept with the same uses.
const ALIKE: usize = 3;
/// Limit on the choices of references for a method on a new object.
const ALTERNATIVES: usize = 2;
/// Probing may use the inverse of this number of the work.
const PROBING: u64 = 3;

/// A part of a run, with the positions of its definitions and uses.
struct Half {
    part: CallPart,
    defined: BTreeSet<CodeOffset>,
    used: BTreeSet<CodeOffset>,
}

impl AnalysisRun<'_, '_> {
    /// Combines halves, those with the fewest calls first, with this much work. `more` are further runs that are not
    /// kept for any pair.
    pub(crate) fn combine(
        &mut self,
        more: Vec<Candidate>,
        work: u64,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) {
        let limit = self.bench.work() + work;
        let kept = self.analysis.tests.iter().map(|(candidate, _)| candidate.clone());
        let candidates: Vec<Rc<Candidate>> = kept.chain(more).map(Rc::new).collect();
        let mut halves = self.halves(&candidates, limit);
        let probed = self.probe(&halves, work / PROBING);
        halves.extend(self.halves(&probed, limit));
        let mut tries: FxHashMap<usize, u8> = FxHashMap::default();
        // The state after a combined run is also a starting point.
        while !halves.is_empty() && !self.is_over(limit) {
            let found = self.cross(&halves, &mut tries, limit, progress);
            if found.is_empty() {
                break;
            }
            let new = self.halves(&found, limit);
            halves.retain(|half| !half.used.is_empty());
            halves.iter_mut().for_each(|half| half.defined.clear());
            halves.extend(new);
        }
    }

    /// Whether the work, or the clock, has run out.
    pub(crate) fn is_over(&self, limit: u64) -> bool {
        self.bench.work() > limit || self.analysis.account.stop.is_due()
    }

    /// Explores paths of methods on new objects, for methods with open definitions or uses that no half has.
    fn probe(&mut self, halves: &[Half], work: u64) -> Vec<Rc<Candidate>> {
        let known: BTreeSet<CodeOffset> =
            halves.iter().flat_map(|h| h.defined.iter().chain(&h.used)).copied().collect();
        let mut wanted: BTreeSet<usize> = BTreeSet::new();
        for pair in (0..self.analysis.pairs.len()).filter(|pair| self.is_open(*pair)) {
            let pair = &self.analysis.pairs[pair];
            for access in [pair.definition, pair.usage].map(|access| &self.analysis.accesses.all[access]) {
                let body = &self.analysis.flat.methods[access.method];
                if !access.places().any(|at| known.contains(&(access.method, body.instructions[at].pc))) {
                    wanted.insert(access.method);
                }
            }
        }
        // Their callers too.
        let mut open: Vec<usize> = wanted.iter().copied().collect();
        while let Some(method) = open.pop() {
            let callers = self.analysis.graph.callers[method].iter().map(|(caller, _)| *caller);
            open.extend(callers.filter(|caller| wanted.insert(*caller)));
        }
        let of_kind = |kind: CallableKind| {
            let all = self.analysis.invokables.iter().zip(&self.analysis.kinds);
            all.filter(move |(_, its)| **its == kind).map(|(invokable, _)| invokable.clone())
        };
        let makers: Vec<Rc<Invokable>> = of_kind(CallableKind::Constructor).collect();
        let flat = &self.analysis.flat;
        let methods: Vec<Rc<Invokable>> = of_kind(CallableKind::OnObject)
            .filter(|invokable| flat.method(invokable.method).is_some_and(|method| wanted.contains(&method)))
            .collect();
        let call = |invokable: &Rc<Invokable>, alternative| PlannedCall {
            invokable: invokable.clone(),
            arguments: vec![Hint::Any; invokable.parameters.len()],
            alternative,
        };
        let limit = self.bench.work() + work;
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        for (alternative, maker) in (0..ALTERNATIVES).flat_map(|a| makers.iter().map(move |maker| (a, maker)))
        {
            for method in &methods {
                if self.is_over(limit) {
                    return found;
                }
                let calls = [call(maker, 0), call(method, alternative)];
                let mut kept = 0;
                let paths = self.bench.attempt(&calls, &mut |_, recorded| {
                    let is_new = recorded.iter().filter(|pair| seen.insert(**pair)).count() > 0;
                    kept += 1;
                    if is_new || kept <= ALIKE { Interest::Also } else { Interest::No }
                });
                found.extend(paths.into_iter().map(Rc::new));
            }
        }
        found
    }

    /// The calls of runs: one per kind of state, and a few per kind of use.
    fn halves(&mut self, candidates: &[Rc<Candidate>], limit: u64) -> Vec<Half> {
        let mut places: FxHashMap<Site, Option<CodeOffset>> = FxHashMap::default();
        let mut parts = Vec::new();
        for candidate in candidates {
            if self.is_over(limit) {
                break;
            }
            parts.extend(self.bench.parts(candidate));
        }
        parts.sort_by_key(|part| part.calls);
        let mut seen: BTreeMap<(BTreeSet<CodeOffset>, usize), usize> = BTreeMap::new();
        let mut halves = Vec::new();
        for part in parts {
            let machine = self.bench.machine();
            let exercised = &self.analysis.exercised;
            let mut of = |sites: &BTreeSet<(u32, Site)>| -> BTreeSet<CodeOffset> {
                let place = |site| *places.entry(site).or_insert_with(|| exercised.place(machine, site));
                sites.iter().map(|(_, site)| *site).filter_map(place).collect()
            };
            let (mut defined, mut used) = (of(&part.defined), of(&part.used));
            if !part.returned {
                defined.clear();
            }
            let method = used.iter().next().map_or(usize::MAX, |place| place.0);
            let mut is_known = |places: &BTreeSet<CodeOffset>, of: usize| {
                let count = seen.entry((places.clone(), of)).or_default();
                *count += 1;
                *count > ALIKE
            };
            if !defined.is_empty() && is_known(&defined, usize::MAX - 1) {
                defined.clear();
            }
            if !used.is_empty() && is_known(&used, method) {
                used.clear();
            }
            if !defined.is_empty() || !used.is_empty() {
                halves.push(Half { part, defined, used });
            }
        }
        halves
    }

    /// Tries each call on each state that may contribute something new; returns the successful runs.
    fn cross(
        &mut self,
        halves: &[Half],
        tries: &mut FxHashMap<usize, u8>,
        limit: u64,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Vec<Rc<Candidate>> {
        let mut found = Vec::new();
        let mut by_use: BTreeMap<CodeOffset, Vec<usize>> = BTreeMap::new();
        for (number, half) in halves.iter().enumerate() {
            half.used.iter().for_each(|usage| by_use.entry(*usage).or_default().push(number));
        }
        for head in halves.iter().filter(|half| !half.defined.is_empty()) {
            if self.is_over(limit) || !progress(self.progress()) {
                break;
            }
            // The pairs that each call may exercise.
            let mut hopes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for definition in &head.defined {
                for (usage, tails) in &by_use {
                    let between = self.analysis.exercised.between(*definition, *usage);
                    let hoped = between.iter().filter(|pair| self.is_open(**pair));
                    for pair in hoped.filter(|pair| tries.get(pair).is_none_or(|tried| *tried < TRIES)) {
                        tails.iter().for_each(|tail| hopes.entry(*tail).or_default().push(*pair));
                    }
                }
            }
            hopes.retain(|tail, _| halves[*tail].part.fits(&head.part));
            if hopes.is_empty() {
                continue;
            }
            let Some(spot) = self.bench.enter(&head.part) else { continue };
            for (tail, pairs) in hopes {
                if self.is_over(limit) {
                    break;
                }
                if !pairs.iter().any(|pair| self.is_open(*pair)) {
                    continue;
                }
                pairs.iter().for_each(|pair| *tries.entry(*pair).or_default() += 1);
                let (mut exercised, analysis) = (BTreeSet::new(), &*self.analysis);
                let candidate = self.bench.splice(&spot, &halves[tail].part, &mut |machine, recorded| {
                    exercised = analysis.exercised.pairs(machine, recorded);
                    exercised.iter().any(|pair| analysis.is_open(*pair))
                });
                if let Some(candidate) = candidate {
                    found.push(Rc::new(candidate.clone()));
                    let calls = candidate.calls();
                    self.cover(None, calls, SequenceSource::Combined, candidate, exercised);
                }
            }
        }
        found
    }
}
