//! Coverage of a suite, also of the subset that is finally emitted.

use crate::case_coverage::CaseCoverage;
use crate::criteria::{Criteria, GoalStatuses, tally};
use crate::explain::{ShownTrees, ways};
use cupping_case::{Case, CaseNote, CoverageBits, CoverageCount, Explanation, Suite};
use cupping_classfile::ClassFile;
use cupping_coverage::{Counter, CoverageMap, Goal, GoalId, merge};
use std::collections::BTreeSet;

/// The probes hit by each case of a suite.
#[derive(Debug, Default)]
pub struct SuiteCoverage {
    map: CoverageMap,
    criteria: Criteria,
    standings: GoalStatuses,
    /// Probes hit by class initialisation, before any case.
    initialisation: Vec<u64>,
    /// One entry per case of `cases`.
    cases: Vec<CaseCoverage>,
    /// One entry per case of `failing`.
    failing: Vec<CaseCoverage>,
}

impl SuiteCoverage {
    /// The coverage of an empty suite. The class under test is the map's first.
    pub(crate) fn new(map: CoverageMap, initialisation: Vec<u64>) -> SuiteCoverage {
        SuiteCoverage { map, initialisation, ..SuiteCoverage::default() }
    }

    /// Adds what the results of criteria need.
    pub(crate) fn with_criteria(self, criteria: Criteria, standings: GoalStatuses) -> SuiteCoverage {
        SuiteCoverage { criteria, standings, ..self }
    }

    /// The measured code.
    pub(crate) fn map(&self) -> &CoverageMap {
        &self.map
    }

    /// Adds the next of the suite's cases, or of its failing ones.
    pub(crate) fn add(&mut self, failing: bool, reached: CaseCoverage) {
        if failing { self.failing.push(reached) } else { self.cases.push(reached) }
    }

    /// Sets the suite's figures to the coverage of the emitted cases. `is_emitted` gets whether the case is
    /// failing, and its index. Without emitted cases the class is not even initialised, so nothing is
    /// covered.
    pub fn count(&self, suite: &mut Suite, is_emitted: impl Fn(bool, usize) -> bool) {
        let all = [(false, &self.cases), (true, &self.failing)].into_iter();
        let all = all.flat_map(|(failing, cases)| cases.iter().enumerate().map(move |it| (failing, it)));
        let emitted: Vec<&CaseCoverage> =
            all.filter(|(failing, (at, _))| is_emitted(*failing, *at)).map(|(_, (_, case))| case).collect();
        let mut hits = Vec::new();
        for case in &emitted {
            merge(&mut hits, &self.initialisation);
            merge(&mut hits, &case.hits);
        }
        let figures = self.map.coverage(0, &hits).map(|class| class.counters).unwrap_or_default();
        suite.lines = count(figures.lines);
        suite.branches = count(figures.branches);
        let emitted = emitted.into_iter();
        suite.criteria = tally(&self.criteria, &self.map, &self.standings, &self.initialisation, emitted);
    }

    /// Drops the cases that run none of these lines of the source file of the class under test.
    pub fn retain(&mut self, suite: &mut Suite, has: impl Fn(u32) -> bool) {
        let map = &self.map;
        let kept = |cases: &mut Vec<Case>, reached: &mut Vec<CaseCoverage>| {
            let runs: Vec<bool> = reached.iter().map(|it| lines(map, it).into_iter().any(&has)).collect();
            let (mut case, mut coverage) = (runs.iter(), runs.iter());
            cases.retain(|_| case.next() == Some(&true));
            reached.retain(|_| coverage.next() == Some(&true));
        };
        kept(&mut suite.cases, &mut self.cases);
        kept(&mut suite.failing, &mut self.failing);
    }

    /// Records for each case what it runs and detects.
    pub fn note(&self, suite: &mut Suite) {
        let all = [(false, &self.cases), (true, &self.failing)].into_iter();
        let all = all.flat_map(|(failing, cases)| cases.iter().enumerate().map(move |it| (failing, it)));
        let note = |it: &CaseCoverage| CaseNote {
            lines: lines(&self.map, it).into_iter().collect(),
            noticed: it.noticed.clone(),
        };
        suite.notes = all.map(|(failing, (at, case))| ((failing, at), note(case))).collect();
    }

    /// Branch coverage of the methods that any case enters, and their uncovered branches by method and line.
    pub fn unreached(&self) -> (CoverageCount, Vec<(String, Option<u32>)>) {
        let mut hits = self.initialisation.clone();
        for case in self.cases.iter().chain(&self.failing) {
            merge(&mut hits, &case.hits);
        }
        let Some(class) = self.map.classes().first() else { return Default::default() };
        let entered = |place: usize| {
            class.methods.iter().find(|m| m.index == place).filter(|m| m.covered_ways(&hits).is_some())
        };
        let covered = self.map.covered(&hits);
        let mut count = CoverageCount::default();
        let mut unreached = Vec::new();
        for (at, goal) in self.map.goals().iter().enumerate() {
            let Goal::Branch { class: 0, method, line, .. } = goal else { continue };
            let Some(method) = entered(*method) else { continue };
            count.total += 1;
            if covered.contains(GoalId(at as u32)) {
                count.covered += 1;
            } else {
                unreached.push((method.name.to_string(), *line));
            }
        }
        (count, unreached)
    }

    /// The explanation of the class, with the coverage of each case.
    pub(crate) fn explain(&self, file: &ClassFile, trees: ShownTrees) -> Explanation {
        let covered = |reached: &CaseCoverage| {
            let leaf = reached.leaf.and_then(|leaf| trees.place(leaf));
            CoverageBits { ways: self.ways(&reached.hits), leaf }
        };
        let cases = self.cases.iter().map(covered).collect();
        let failing = self.failing.iter().map(covered).collect();
        let initialisation = CoverageBits { ways: self.ways(&self.initialisation), leaf: None };
        Explanation { cases, failing, initialisation, ..trees.explain(file, &self.map) }
    }

    /// The control-flow edges of the class under test that the hits cover.
    fn ways(&self, hits: &[u64]) -> Vec<u64> {
        let mut covered = CoverageBits::default();
        let mut first = 0;
        for method in self.map.classes().first().into_iter().flat_map(|class| &class.methods) {
            let hit = method.covered_ways(hits).unwrap_or_default();
            (first..).zip(hit).filter(|(_, hit)| *hit).for_each(|(way, _)| covered.insert(way));
            first += ways(method);
        }
        covered.ways
    }
}

fn count(counter: Counter) -> CoverageCount {
    CoverageCount { covered: counter.covered, total: counter.total() }
}

/// The lines that a case runs in the source file of the class under test. They include the line at which an
/// exception was created, which later probes do not show.
fn lines(map: &CoverageMap, reached: &CaseCoverage) -> BTreeSet<u32> {
    let Some(first) = map.classes().first() else { return BTreeSet::new() };
    let of_file = map.classes().iter().enumerate().filter(|(_, it)| it.source_file == first.source_file);
    let mut lines = BTreeSet::new();
    for (at, class) in of_file {
        let run = class.coverage(&reached.hits).lines.into_iter();
        lines.extend(run.filter(|(_, it)| it.instructions.covered > 0).map(|(line, _)| line));
        let thrown = reached.thrown.as_ref().and_then(|(_, place)| *place).filter(|place| place.0 == at);
        let method = thrown.and_then(|(_, index, pc)| Some((class.method(index)?, pc)));
        lines.extend(method.and_then(|(method, pc)| method.line_at(pc)));
    }
    lines
}
