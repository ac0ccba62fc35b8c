//! Two versions of the code run side by side along the same calls. The searches for tests that detect mutants
//! ([`super::mutants`]) and for differences between programs ([`super::differences`]) are built on it.

mod attempt;
mod calls;

use super::{Search, is_application};
use crate::versions::{Alternative, Bases, Comparand, Product, prepare};
pub(super) use attempt::Attempt;
use cupping_explore::{
    CompletedPath, Counters, Exploration, ExplorationLimits, Path, Rank, Searcher, SideCounts, Trees,
};
use cupping_solve::{Answer, Query};
use cupping_term::TermId;
use std::rc::Rc;

/// Work of one run of a test on a version, in microseconds of a reference machine.
pub(super) const WORK_OF_RUN: u64 = 150;
/// Limit on the states from which a method is called on both versions.
pub(super) const MAX_STATES: usize = 6;
/// Calls appended to show a difference of states.
pub(super) const MAX_CALLS: usize = 2;
/// Limit on the states with an unobserved difference that are kept for further calls.
pub(super) const MAX_HIDDEN: usize = 3;

/// Deep paths first: those with decisions of the second run, after the mutated place.
struct DeepestFirst;

impl Searcher for DeepestFirst {
    fn rank(&self, candidate: &cupping_explore::Candidate, counts: &SideCounts) -> Rank {
        let failed = counts.failed(candidate.site, candidate.side);
        (failed / 3, counts.taken(candidate.site, candidate.side), u32::MAX - candidate.depth)
    }
}

/// How far a product is explored.
#[derive(Clone, Copy)]
pub(in crate::search) struct ProductLimits {
    /// Number of sides that are tried.
    sides: usize,
    /// Number of times that a side is tried again.
    offers: u32,
}

impl ProductLimits {
    /// The search for some difference.
    pub(in crate::search) fn some(sides: usize) -> ProductLimits {
        ProductLimits { sides, offers: 4 }
    }

    /// All paths, unless there are more than this.
    pub(in crate::search) fn all(sides: usize) -> ProductLimits {
        ProductLimits { sides, offers: u32::MAX }
    }
}

impl Search<'_> {
    /// Explores a product within limits. `judge` receives each completed path and decides after each
    /// step whether to continue. Returns whether all paths were run.
    pub(in crate::search) fn explore_product(
        &mut self,
        bases: &Bases,
        version: Rc<dyn Alternative>,
        attempt: &Attempt,
        within: ProductLimits,
        mut judge: impl FnMut(&mut Self, Option<CompletedPath<Product>>) -> bool,
    ) -> bool {
        self.machine.restore(&bases.original);
        let Ok((slots, bounds)) = prepare(self.machine, &attempt.plan, &attempt.slots) else { return false };
        let path = bounds.into_iter().fold(Path::default(), |path, bound| path.assume(bound));
        let (plan, slots, model) = (attempt.plan.clone(), Rc::new(slots), attempt.model.clone());
        let started =
            Product::start(self.machine, plan, slots, version.clone(), bases.clone(), model.clone());
        let Ok(Some(product)) = started else { return false };
        let limits = ExplorationLimits {
            decisions: 400,
            fuel: 200_000,
            offers: within.offers,
            shared_offers: within.offers,
            give_ups: 2,
            waiting: within.sides.max(200),
            repeats_decisions: true,
            ..ExplorationLimits::default()
        };
        let mut exploration = Exploration::new(limits);
        let (mut trees, mut counts) = (Trees::default(), SideCounts::default());
        let mut is_whole = false;
        let mut done = {
            let mut tools = product_tools(self, &mut trees, &mut counts);
            Some(exploration.start(&mut tools, product, path, model))
        };
        self.account_product(Counters::default(), exploration.counters);
        for _ in 0..within.sides {
            if !judge(self, done.take()) {
                break;
            }
            let before = exploration.counters;
            let mut tools = product_tools(self, &mut trees, &mut counts);
            match exploration.step(&mut tools) {
                Some(next) => done = next,
                None => {
                    let Counters { time_outs, skipped, .. } = exploration.counters;
                    is_whole = time_outs + skipped == 0;
                    break;
                }
            }
            self.account_product(before, exploration.counters);
        }
        version.remove(self.machine);
        is_whole
    }

    /// Charges the work of a product.
    pub(in crate::search) fn account_product(&mut self, before: Counters, now: Counters) {
        let statistics = self.statistics.clone();
        self.account(before, now);
        self.statistics = statistics;
        self.work += WORK_OF_RUN / 4;
    }

    /// Asks for inputs of a path on which one of these pairs differs.
    pub(in crate::search) fn tell_apart(
        &mut self,
        done: &CompletedPath<Product>,
        pairs: &[(TermId, Comparand)],
    ) -> Answer {
        let differ = self.pairs_differ(pairs);
        self.on_path(done, differ)
    }

    /// The condition that one of these pairs differs.
    pub(in crate::search) fn pairs_differ(&mut self, pairs: &[(TermId, Comparand)]) -> TermId {
        let terms = self.machine.terms_mut();
        let mut differs = |(a, b): &(TermId, Comparand)| {
            let b = match b {
                Comparand::Term(b) => *b,
                Comparand::Constant(bits) => terms.constant(terms.sort(*a), *bits),
            };
            // Floats are compared as by `Double.equals`.
            if terms.sort(*a).is_float() {
                let (a, b) = (terms.canonical_bits(*a), terms.canonical_bits(b));
                return terms.ne(a, b);
            }
            terms.ne(*a, b)
        };
        let differ: Vec<_> = pairs.iter().map(&mut differs).collect();
        terms.any(&differ)
    }

    /// Asks for inputs of a path that also satisfy a condition.
    pub(in crate::search) fn on_path(&mut self, done: &CompletedPath<Product>, condition: TermId) -> Answer {
        let mut assertions = done.path.condition();
        assertions.push(condition);
        let query = Query { assertions: &assertions, hint: Some(&done.model) };
        self.solver.solve(self.machine.terms_mut(), &query)
    }
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
        under_test: &is_application,
    }
}
