//! What the cases of a suite cover together, also when only some of them are emitted in the end.

use cupping_case::{CoverageCount, Suite};
use cupping_machine::coverage::{Counter, CoverageMap, merge};

/// The probes that each case of a suite hits.
#[derive(Debug, Default)]
pub struct SuiteCoverage {
    map: CoverageMap,
    /// Those that the initialisation of the class hits, before any case.
    initialisation: Vec<u64>,
    /// Those of the suite's `cases`, one entry each, assertions included.
    cases: Vec<Vec<u64>>,
    /// Those of its `failing` cases.
    failing: Vec<Vec<u64>>,
}

impl SuiteCoverage {
    /// Coverage of a suite without cases yet. The class under test is the map's first.
    pub(crate) fn new(map: CoverageMap, initialisation: Vec<u64>) -> SuiteCoverage {
        SuiteCoverage { map, initialisation, cases: Vec::new(), failing: Vec::new() }
    }

    /// Adds the next of the suite's cases, or of its failing ones.
    pub(crate) fn add(&mut self, failing: bool, hits: Vec<u64>) {
        if failing { self.failing.push(hits) } else { self.cases.push(hits) }
    }

    /// Sets the figures of the suite to what those of its cases cover for which `is_emitted` holds; it is given
    /// whether the case is a failing one, and its place among its like. Without any, nothing runs that would
    /// initialise the class: nothing is covered.
    pub fn count(&self, suite: &mut Suite, is_emitted: impl Fn(bool, usize) -> bool) {
        let all = [(false, &self.cases), (true, &self.failing)].into_iter();
        let all = all.flat_map(|(failing, cases)| cases.iter().enumerate().map(move |it| (failing, it)));
        let mut hits = Vec::new();
        for (_, (_, case)) in all.filter(|(failing, (at, _))| is_emitted(*failing, *at)) {
            merge(&mut hits, &self.initialisation);
            merge(&mut hits, case);
        }
        let figures = self.map.coverage(0, &hits).map(|class| class.counters).unwrap_or_default();
        suite.lines = count(figures.lines);
        suite.branches = count(figures.branches);
    }
}

fn count(counter: Counter) -> CoverageCount {
    CoverageCount { covered: counter.covered, total: counter.total() }
}
