//! Runs of products: inputs on which a mutant and the original end in different states.

use super::super::is_application;
use super::{Aim, Attempt, MAX_INPUTS, MAX_SIDES, Search, WORK_OF_RUN};
use crate::versions::{Alternative, Bases, Comparison, Extent, Image, Other, Product, Version, prepare};
use cupping_explore::{
    CompletedPath, Counters, Exploration, InvocationEnd, Limits, Path, Rank, Searcher, SideCounts, Trees,
};
use cupping_solve::{Answer, Query};
use cupping_term::{Model, TermId};
use std::rc::Rc;

/// Deep paths first: the decisions of the second run, behind the mutated place.
struct DeepestFirst;

impl Searcher for DeepestFirst {
    fn rank(&self, candidate: &cupping_explore::Candidate, counts: &SideCounts) -> Rank {
        let failed = counts.failed(candidate.site, candidate.side);
        (failed / 3, counts.taken(candidate.site, candidate.side), u32::MAX - candidate.depth)
    }
}

/// The result of running a product.
#[derive(Default)]
pub(super) struct Differences {
    /// Inputs with which the states differ at the end.
    pub(super) inputs: Vec<Model>,
    /// Whether all paths were run, and the states are equal on all of them.
    pub(super) is_refuted: bool,
}

impl Search<'_> {
    /// Runs a product: inputs on which the original and the version end in different states.
    pub(super) fn differences(&mut self, aim: &Aim, version: &Rc<Version>, attempt: &Attempt) -> Differences {
        let mut found = Differences::default();
        let mut is_same = true;
        let sides = MAX_SIDES * aim.effort;
        let is_whole = self.explore_product(&aim.bases, version.clone(), attempt, sides, |search, done| {
            if let Some(done) = done {
                is_same &= search.compare(done, &mut found);
            }
            found.inputs.len() < MAX_INPUTS && !search.is_out_of_budget(aim)
        });
        found.is_refuted = is_whole && is_same;
        found
    }

    /// Explores a product, up to a number of sides. `judge` is given each completed path, and says after each step
    /// whether to go on. Returns whether all paths were run.
    pub(in crate::search) fn explore_product(
        &mut self,
        bases: &Bases,
        version: Rc<dyn Alternative>,
        attempt: &Attempt,
        sides: usize,
        mut judge: impl FnMut(&mut Self, Option<CompletedPath<Product>>) -> bool,
    ) -> bool {
        self.machine.restore(&bases.original);
        let Ok((slots, bounds)) = prepare(self.machine, &attempt.plan, &attempt.slots) else { return false };
        let path = bounds.into_iter().fold(Path::default(), |path, bound| path.assume(bound));
        let (plan, slots, model) = (attempt.plan.clone(), Rc::new(slots), attempt.model.clone());
        let started =
            Product::start(self.machine, plan, slots, version.clone(), bases.clone(), model.clone());
        let Ok(Some(product)) = started else { return false };
        let limits =
            Limits { decisions: 400, fuel: 200_000, offers: 4, shared_offers: 4, give_ups: 2, waiting: 200 };
        let mut exploration = Exploration::new(limits);
        let (mut trees, mut counts) = (Trees::default(), SideCounts::default());
        let mut is_whole = false;
        let mut done = {
            let mut tools = product_tools(self, &mut trees, &mut counts);
            Some(exploration.start(&mut tools, product, path, model))
        };
        for _ in 0..sides {
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

    pub(super) fn account_product(&mut self, before: Counters, now: Counters) {
        let statistics = self.statistics.clone();
        self.account(before, now);
        self.statistics = statistics;
        self.work += WORK_OF_RUN / 4;
    }

    /// Adds inputs on which a path ends differently; returns whether there are none.
    pub(super) fn compare(&mut self, done: CompletedPath<Product>, found: &mut Differences) -> bool {
        let Some((original, mutated)) = done.driver.ends() else { return false };
        let is_end = |it: &InvocationEnd| matches!(it, InvocationEnd::Returned(_) | InvocationEnd::Threw(_));
        if !is_end(original) {
            return false;
        }
        if !is_end(mutated) {
            found.inputs.push(done.model);
            return false;
        }
        let is_initialiser = done.driver.version().has_own_base();
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
                Comparison::Alike { pairs, is_complete } => match self.tell_apart(&done, &pairs) {
                    Answer::Sat(model) => {
                        found.inputs.push(model);
                        return false;
                    }
                    Answer::Unsat { .. } => is_same &= is_complete,
                    Answer::Unknown(_) => is_same = false,
                },
                Comparison::Same => {}
                Comparison::Unknown => is_same = false,
            }
        }
        is_same
    }

    /// Asks for inputs of a path on which one of these pairs differs.
    pub(in crate::search) fn tell_apart(
        &mut self,
        done: &CompletedPath<Product>,
        pairs: &[(TermId, Other)],
    ) -> Answer {
        let terms = self.machine.terms_mut();
        let mut differs = |(a, b): &(TermId, Other)| {
            let b = match b {
                Other::Term(b) => *b,
                Other::Constant(bits) => terms.constant(terms.sort(*a), *bits),
            };
            // Floats differ as `Double.equals` tells them apart.
            if terms.sort(*a).is_float() {
                let (a, b) = (terms.canonical_bits(*a), terms.canonical_bits(b));
                return terms.ne(a, b);
            }
            terms.ne(*a, b)
        };
        let differ: Vec<_> = pairs.iter().map(&mut differs).collect();
        let mut assertions = done.path.condition();
        assertions.push(terms.any(&differ));
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
