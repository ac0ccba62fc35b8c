//! Combines pairs from two halves: a run after which the definition is live, and a call that reaches the use.
//! Deduction and search find only some of the many pairs of a large class, but nearly all of their halves.

use crate::analysis::SequenceSource;
use crate::deduce::CallableKind;
use crate::exercised_pairs::CodeOffset;
use crate::halves::{Combination, Half, Probe};
use crate::run::AnalysisRun;
use cupping_generate::{Hint, Interest, Invokable, PlannedCall, Progress};
use cupping_machine::{MethodId, Site};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// Limit on the states from which a pair is tried.
const TRIES: u8 = 12;
/// Number of calls kept with the same uses.
const ALIKE: usize = 3;
/// Limit on the choices of references for a method on a new object.
const ALTERNATIVES: usize = 2;

impl AnalysisRun<'_, '_> {
    /// Combines halves, those with the fewest calls first, with this much work. Returns whether nothing is left to
    /// combine.
    pub(crate) fn combine(&mut self, work: u64, progress: &mut dyn FnMut(Progress) -> bool) -> bool {
        let mut combination = std::mem::take(&mut self.combination);
        let limit = self.bench.work() + work;
        let mut is_ended = false;
        while !is_ended && !self.is_over(limit) {
            let new = self.analysis.tests.iter().skip(combination.divided);
            combination.waiting.extend(new.map(|(candidate, _)| Rc::new(candidate.clone())));
            combination.divided = self.analysis.tests.len();
            self.divide(&mut combination, limit);
            let found = self.cross(&mut combination, limit, progress);
            if !found && combination.waiting.is_empty() {
                is_ended = !self.probe(&mut combination, limit) && !self.is_over(limit);
            }
        }
        self.combination = combination;
        is_ended
    }

    /// Whether the work, or the clock, has run out.
    pub(crate) fn is_over(&self, limit: u64) -> bool {
        self.bench.work() > limit || self.analysis.account.stop.is_due()
    }

    /// Explores methods on new objects that have open definitions or uses that no half has, up to the first that gives
    /// runs. Returns whether there was one, or the work ended.
    fn probe(&mut self, combination: &mut Combination, limit: u64) -> bool {
        if combination.probing.is_none() {
            combination.probing = Some(self.probes());
        }
        let wanted = self.wanted_methods(combination);
        while let Some(probe) = combination.probing.as_mut().and_then(VecDeque::pop_front) {
            if !wanted.contains(&probe.method.method) {
                continue;
            }
            let call = |invokable: &Rc<Invokable>, alternative| PlannedCall {
                invokable: invokable.clone(),
                arguments: vec![Hint::Any; invokable.parameters.len()],
                alternative,
            };
            let calls = [call(&probe.maker, 0), call(&probe.method, probe.alternative)];
            let mut kept = 0;
            let seen = &mut combination.probed;
            let paths = self.bench.attempt(&calls, &mut |_, recorded| {
                let is_new = recorded.iter().filter(|pair| seen.insert(**pair)).count() > 0;
                kept += 1;
                if is_new || kept <= ALIKE { Interest::Also } else { Interest::No }
            });
            combination.waiting.extend(paths.into_iter().map(Rc::new));
            if !combination.waiting.is_empty() || self.is_over(limit) {
                return true;
            }
        }
        false
    }

    /// All methods on new objects.
    fn probes(&self) -> VecDeque<Probe> {
        let of_kind = |kind: CallableKind| {
            let all = self.analysis.invokables.iter().zip(&self.analysis.kinds);
            all.filter(move |(_, its)| **its == kind).map(|(invokable, _)| invokable.clone())
        };
        let makers: Vec<Rc<Invokable>> = of_kind(CallableKind::Constructor).collect();
        let methods: Vec<Rc<Invokable>> = of_kind(CallableKind::OnObject).collect();
        let mut probes = VecDeque::new();
        for alternative in 0..ALTERNATIVES {
            for maker in &makers {
                for method in &methods {
                    probes.push_back(Probe { maker: maker.clone(), method: method.clone(), alternative });
                }
            }
        }
        probes
    }

    /// The methods with open definitions or uses that no half has, and their callers.
    fn wanted_methods(&self, combination: &Combination) -> BTreeSet<MethodId> {
        let halves = &combination.halves;
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
        let mut open: Vec<usize> = wanted.iter().copied().collect();
        while let Some(method) = open.pop() {
            let callers = self.analysis.graph.callers[method].iter().map(|(caller, _)| *caller);
            open.extend(callers.filter(|caller| wanted.insert(*caller)));
        }
        wanted.into_iter().map(|method| self.analysis.flat.methods[method].method).collect()
    }

    /// Divides waiting runs into calls: one half per kind of state, and a few per kind of use.
    fn divide(&mut self, combination: &mut Combination, limit: u64) {
        let mut parts = Vec::new();
        while !self.is_over(limit)
            && let Some(candidate) = combination.waiting.pop_front()
        {
            parts.extend(self.bench.parts(&candidate));
        }
        parts.sort_by_key(|part| part.calls);
        let Combination { halves, alike, places, .. } = combination;
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
                let count = alike.entry((places.clone(), of)).or_default();
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
                halves.push(Half { part, defined, used, crossed: 0 });
            }
        }
    }

    /// Tries each call on each state that may contribute something new; returns whether a run was found.
    fn cross(
        &mut self,
        combination: &mut Combination,
        limit: u64,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> bool {
        let Combination { halves, tries, .. } = combination;
        let mut by_use: BTreeMap<CodeOffset, Vec<usize>> = BTreeMap::new();
        for (number, half) in halves.iter().enumerate() {
            half.used.iter().for_each(|usage| by_use.entry(*usage).or_default().push(number));
        }
        let mut is_found = false;
        for head in 0..halves.len() {
            let crossed = halves[head].crossed;
            if crossed == halves.len() || halves[head].defined.is_empty() {
                continue;
            }
            if self.is_over(limit) || !progress(self.progress()) {
                break;
            }
            // The pairs that each call may exercise.
            let mut hopes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for definition in &halves[head].defined {
                for (usage, tails) in &by_use {
                    let between = self.analysis.exercised.between(*definition, *usage);
                    let hoped = between.iter().filter(|pair| self.is_open(**pair));
                    for pair in hoped.filter(|pair| tries.get(pair).is_none_or(|tried| *tried < TRIES)) {
                        let new = tails.iter().filter(|tail| **tail >= crossed);
                        new.for_each(|tail| hopes.entry(*tail).or_default().push(*pair));
                    }
                }
            }
            hopes.retain(|tail, _| halves[*tail].part.fits(&halves[head].part));
            halves[head].crossed = halves.len();
            if hopes.is_empty() {
                continue;
            }
            let Some(spot) = self.bench.enter(&halves[head].part) else { continue };
            for (tail, pairs) in hopes {
                if self.is_over(limit) {
                    halves[head].crossed = tail;
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
                    is_found = true;
                    let calls = candidate.calls();
                    self.cover(None, calls, SequenceSource::Combined, candidate, exercised);
                }
            }
        }
        is_found
    }
}
