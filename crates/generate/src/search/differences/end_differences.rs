//! Finds different ends of two versions along the same calls, with symbolic arguments.

use super::super::Search;
use super::super::products::{Attempt, ProductLimits};
use super::opponent::Opponent;
use crate::versions::{Comparison, Extent, Image, Product};
use cupping_explore::{CompletedPath, InvocationEnd};
use cupping_solve::Answer;
use cupping_term::Model;

/// Sides tried in one product.
const MAX_SIDES: usize = 40;
/// Maximal factor for further tries with more effort: terms of deeper paths are larger.
const MAX_DEPTH: usize = 4;
/// Inputs of one product that are tried.
const MAX_INPUTS: usize = 6;

/// Inputs of a product on which the ends differ.
#[derive(Default)]
pub(super) struct Ends {
    /// A difference in the result, or in how the last call ended.
    pub(super) results: Vec<Model>,
    /// A difference in the state only.
    pub(super) states: Vec<Model>,
    pub(super) paths: usize,
    pub(super) is_same: bool,
}

impl Search<'_> {
    /// Runs a product.
    pub(super) fn ends(&mut self, opponent: &Opponent<'_>, attempt: &Attempt, effort: usize) -> Ends {
        let sides = MAX_SIDES * effort.min(MAX_DEPTH);
        self.ends_within(opponent, attempt, ProductLimits::some(sides), Extent::State)
    }

    /// Runs a product within these limits, and compares the results of its runs and more.
    pub(super) fn ends_within(
        &mut self,
        opponent: &Opponent<'_>,
        attempt: &Attempt,
        limits: ProductLimits,
        extent: Extent,
    ) -> Ends {
        let mut ends = Ends { is_same: true, ..Ends::default() };
        let version = opponent.version.clone();
        let is_whole = self.explore_product(&opponent.bases, version, attempt, limits, |search, done| {
            if let Some(done) = done {
                search.compare_ends(done, extent, &mut ends);
            }
            ends.results.len() < MAX_INPUTS && !search.is_out_of_work(opponent)
        });
        ends.is_same &= is_whole;
        ends
    }

    /// Adds inputs on which a path ends differently.
    fn compare_ends(&mut self, done: CompletedPath<Product>, most: Extent, ends: &mut Ends) {
        let is_end = |it: &InvocationEnd| matches!(it, InvocationEnd::Returned(_) | InvocationEnd::Threw(_));
        let Some((original, other)) = done.driver.ends() else {
            ends.is_same = false;
            return;
        };
        if !is_end(original) {
            ends.is_same = false;
            return;
        }
        ends.paths += 1;
        // With another clock or another seed, the versions may end otherwise.
        ends.is_same &= self.machine.registers().volatile_reads == 0;
        if !is_end(other) {
            ends.is_same = false;
            ends.results.push(done.model);
            return;
        }
        let (printed, by_other) = done.driver.printed(self.machine);
        // Other inputs of the path may print something else.
        ends.is_same &= printed.is_empty();
        if *printed != *by_other {
            ends.is_same = false;
            ends.results.push(done.model);
            return;
        }
        for extent in [Extent::Result, most] {
            let (original, other) = done.driver.images(self.machine, extent);
            let differing = match Image::compare(self.machine, &done.model, original, other.as_ref()) {
                Comparison::Different => Some(done.model.clone()),
                Comparison::Alike { pairs, is_complete } => match self.tell_apart(&done, &pairs) {
                    Answer::Sat(model) => Some(model),
                    Answer::Unsat { .. } => {
                        ends.is_same &= is_complete;
                        None
                    }
                    Answer::Unknown(_) => {
                        ends.is_same = false;
                        None
                    }
                },
                Comparison::Same => None,
                Comparison::Unknown => {
                    ends.is_same = false;
                    None
                }
            };
            let Some(model) = differing else { continue };
            ends.is_same = false;
            match extent {
                Extent::Result => ends.results.push(model),
                _ if ends.states.len() < MAX_INPUTS => ends.states.push(model),
                _ => {}
            }
            return;
        }
    }
}
