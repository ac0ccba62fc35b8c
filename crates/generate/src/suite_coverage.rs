//! What the cases of a suite cover together, also when only some of them are emitted in the end.

use crate::criteria::{Criteria, Standings, tally};
use crate::explain::{ShownTrees, ways};
use crate::thrown::MapPlace;
use cupping_case::{CoverageCount, Covered, Explanation, Suite};
use cupping_classfile::ClassFile;
use cupping_coverage::{Counter, CoverageMap, Goal, GoalId, merge};
use cupping_explore::{Signature, TreeNode};
use cupping_machine::MethodId;

/// The probes that each case of a suite hits.
#[derive(Debug, Default)]
pub struct SuiteCoverage {
    map: CoverageMap,
    criteria: Criteria,
    standings: Standings,
    /// Those that the initialisation of the class hits, before any case.
    initialisation: Vec<u64>,
    /// Those of the suite's `cases`, one entry each.
    cases: Vec<Reached>,
    /// Those of its `failing` cases.
    failing: Vec<Reached>,
}

/// What a case reaches.
#[derive(Debug)]
pub(crate) struct Reached {
    /// The probes that it hits, its assertions included.
    pub hits: Vec<u64>,
    /// Its last invocation, and the ways that control took there.
    pub path: Option<(MethodId, Signature)>,
    /// Where its last invocation ended in the tree of its method, if it decided anything.
    pub leaf: Option<TreeNode>,
    /// What it threw, and where that was made.
    pub thrown: Option<(String, Option<MapPlace>)>,
}

impl SuiteCoverage {
    /// Coverage of a suite without cases yet. The class under test is the map's first.
    pub(crate) fn new(map: CoverageMap, initialisation: Vec<u64>) -> SuiteCoverage {
        SuiteCoverage { map, initialisation, ..SuiteCoverage::default() }
    }

    /// The same, which also counts for criteria.
    pub(crate) fn telling(self, criteria: Criteria, standings: Standings) -> SuiteCoverage {
        SuiteCoverage { criteria, standings, ..self }
    }

    /// What is measured.
    pub(crate) fn map(&self) -> &CoverageMap {
        &self.map
    }

    /// Adds the next of the suite's cases, or of its failing ones.
    pub(crate) fn add(&mut self, failing: bool, reached: Reached) {
        if failing { self.failing.push(reached) } else { self.cases.push(reached) }
    }

    /// Sets the figures of the suite to what those of its cases cover for which `is_emitted` holds; it is given
    /// whether the case is a failing one, and its place among its like. Without any, nothing runs that would
    /// initialise the class: nothing is covered.
    pub fn count(&self, suite: &mut Suite, is_emitted: impl Fn(bool, usize) -> bool) {
        let all = [(false, &self.cases), (true, &self.failing)].into_iter();
        let all = all.flat_map(|(failing, cases)| cases.iter().enumerate().map(move |it| (failing, it)));
        let emitted: Vec<&Reached> =
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

    /// Branches of the methods that any case enters: their figures, and those that none takes, by method and line.
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

    /// What the search knows of the class, with what each case covers.
    pub(crate) fn explain(&self, file: &ClassFile, trees: ShownTrees) -> Explanation {
        let covered = |reached: &Reached| {
            let leaf = reached.leaf.and_then(|leaf| trees.place(leaf));
            Covered { ways: self.ways(&reached.hits), leaf }
        };
        let cases = self.cases.iter().map(covered).collect();
        let failing = self.failing.iter().map(covered).collect();
        let initialisation = Covered { ways: self.ways(&self.initialisation), leaf: None };
        Explanation { cases, failing, initialisation, ..trees.explain(file, &self.map) }
    }

    /// The ways out of the instructions of the class under test that hits cover.
    fn ways(&self, hits: &[u64]) -> Vec<u64> {
        let mut covered = Covered::default();
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
