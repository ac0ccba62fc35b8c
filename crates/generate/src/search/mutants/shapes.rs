//! Sequences whose inputs are varied to detect mutants.

use super::super::products::Attempt;
use crate::case_writer::Draft;
use crate::mutation::Vocabulary;
use crate::plan::PlanStep;
use crate::search::Search;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Sequences that are varied, at most.
pub(super) const MAX_SHAPES: usize = 200;

/// The sequences that are varied, and the values that they are tried with.
pub(super) struct Shapes {
    /// The values that are tried.
    pub(super) vocabulary: Vocabulary,
    /// The sequences.
    pub(super) all: Vec<Attempt>,
    /// How often each mutant was run without success.
    pub(super) vain: Vec<u32>,
    /// The mutants that a trial has reached.
    pub(super) reached: BTreeSet<usize>,
}

impl Shapes {
    /// The sequences of tests and candidates, each once.
    pub(super) fn of(search: &Search<'_>, drafts: &[Draft], targets: usize) -> Shapes {
        let classes: Vec<_> = search.map.classes().iter().map(|it| it.name.clone()).collect();
        let classes: Vec<_> = classes.iter().filter_map(|it| search.machine.loaded(it)).collect();
        let vocabulary = Vocabulary::of(search.machine, &classes, search.options.seed);
        let written = drafts.iter().filter(|it| !it.is_failing).map(|it| &it.candidate);
        let spare = search.candidates.iter().filter(|it| it.thrown.is_none());
        let mut shapes: Vec<Attempt> = Vec::new();
        let mut known = BTreeSet::new();
        for candidate in written.chain(spare) {
            let is_varied = candidate.plan.steps.iter().any(|it| matches!(it, PlanStep::Input { .. }));
            let is_possible = is_varied && !candidate.plan.has_folder() && shapes.len() < MAX_SHAPES / 2;
            if is_possible && known.insert(candidate.plan.methods()) {
                shapes.push(Attempt::of(candidate));
            }
        }
        for state in search.states.iter().filter(|it| it.receiver.is_some()) {
            let plan = &state.driver.plan;
            if !plan.has_folder() && shapes.len() < MAX_SHAPES * 3 / 4 && known.insert(plan.methods()) {
                let (slots, model) = (Rc::new(state.driver.slots.clone()), state.model.clone());
                shapes.push(Attempt { plan: plan.clone(), slots, model });
            }
        }
        Shapes { vocabulary, all: shapes, vain: vec![0; targets], reached: BTreeSet::new() }
    }
}
