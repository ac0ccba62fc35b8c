//! Inputs on which a mutant and the original end in different states.

use super::super::products::{Attempt, ProductLimits};
use super::{MAX_INPUTS, MAX_SIDES, MutantSearch, Search};
use crate::versions::{Comparison, Extent, Image, Product, Version};
use cupping_explore::{CompletedPath, InvocationEnd};
use cupping_solve::Answer;
use cupping_term::Model;
use std::rc::Rc;

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
    pub(super) fn differences(
        &mut self,
        aim: &MutantSearch,
        version: &Rc<Version>,
        attempt: &Attempt,
    ) -> Differences {
        let mut found = Differences::default();
        let mut is_same = true;
        let sides = MAX_SIDES * aim.effort;
        let within = ProductLimits::some(sides);
        let is_whole = self.explore_product(&aim.bases, version.clone(), attempt, within, |search, done| {
            if let Some(done) = done {
                is_same &= search.compare(done, &mut found);
            }
            found.inputs.len() < MAX_INPUTS && !search.is_out_of_budget(aim)
        });
        found.is_refuted = is_whole && is_same;
        found
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
            // A mutant of the initialiser changes the state even before the test.
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
}
