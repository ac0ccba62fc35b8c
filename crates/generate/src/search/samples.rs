//! Sequences with other inputs and further calls.
//!
//! A product asks the solver for inputs on which two versions differ; a sample is just run on both. Its texts and
//! arrays may be long, which a product cannot afford. The searches for tests that detect mutants
//! ([`super::mutants`]) and for differences between programs ([`super::differences`]) use them.

mod changes;
mod elements;
mod reduction;

use super::Search;
use super::products::{Attempt, WORK_OF_RUN};
use crate::candidate::Candidate;
use crate::driver::{OUT, PlanDriver, Slot, run_concrete};
use crate::exceptions::says_more_of_the_jvm;
use crate::input::{Input, Symbols, fixed};
use crate::mutation::Vocabulary;
use crate::plan::{Plan, PlanStep};
use crate::versions::{Extent, Image};
use cupping_explore::{InvocationEnd, spent};
use cupping_machine::ClassId;
use cupping_term::Model;
pub(super) use reduction::Reduction;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Changes of the calls of a sequence, at most.
const MAX_CHANGES: usize = 4;
/// Values and references that an image takes in a microsecond.
const PARTS_OF_MICROSECOND: u64 = 15;

/// The sequences that are varied, and the values that they are tried with.
pub(super) struct Samples {
    /// The values that are tried.
    pub vocabulary: Vocabulary,
    /// The sequences.
    pub all: Vec<Attempt>,
    known: BTreeSet<Vec<cupping_machine::MethodId>>,
    /// Limit on the sequences.
    most: usize,
}

/// A sample's run to its end.
pub(super) struct SampleRun {
    driver: PlanDriver,
    ended: InvocationEnd,
    /// The fuel that it took.
    pub fuel: u64,
    /// What it and the initialisers before it have written to `System.out`.
    pub written: Vec<u8>,
}

impl Samples {
    /// No sequences yet, and at most so many later.
    pub fn new(vocabulary: Vocabulary, most: usize) -> Samples {
        Samples { vocabulary, all: Vec::new(), known: BTreeSet::new(), most }
    }

    /// Whether another sequence can be added, up to a part of the limit in quarters.
    fn has_room(&self, quarters: usize) -> bool {
        self.all.len() < self.most * quarters / 4
    }

    /// Adds the sequences of these candidates, each once.
    pub fn add_candidates<'a>(&mut self, candidates: impl Iterator<Item = &'a Candidate>) {
        for candidate in candidates {
            let is_varied = candidate.plan.steps.iter().any(|it| matches!(it, PlanStep::Input { .. }));
            let is_possible = is_varied && !candidate.plan.has_folder() && self.has_room(2);
            if is_possible && self.known.insert(candidate.plan.methods()) {
                self.all.push(Attempt::of(candidate));
            }
        }
    }

    /// Adds the sequences that lead to the states of a search.
    pub fn add_states(&mut self, search: &Search<'_>) {
        for state in search.states.iter().filter(|it| it.receiver.is_some()) {
            let plan = &state.driver.plan;
            if !plan.has_folder() && self.has_room(3) && self.known.insert(plan.methods()) {
                let (slots, model) = (Rc::new(state.driver.slots.clone()), state.model.clone());
                self.all.push(Attempt { plan: plan.clone(), slots, model });
            }
        }
    }

    /// Adds a sample that should be varied further; returns whether there is room.
    pub fn add(&mut self, sample: Attempt) -> bool {
        let has_room = self.has_room(4);
        if has_room {
            self.all.push(sample);
        }
        has_room
    }
}

impl Search<'_> {
    /// A sequence with other inputs, and perhaps with changed calls.
    pub(super) fn sample(&mut self, samples: &mut Samples, at: usize) -> Attempt {
        let Attempt { plan, slots, model } = samples.all[at].clone();
        let mut longer = (*plan).clone();
        let changes = samples.vocabulary.below(2) * (1 + samples.vocabulary.below(MAX_CHANGES));
        for _ in 0..changes {
            longer = self.with_change(&mut samples.vocabulary, &longer).unwrap_or(longer);
        }
        let known = plan.variables.len();
        // At least one existing input keeps or changes its value; new inputs have none yet.
        let share = 1 + samples.vocabulary.below(3);
        // Sometimes, inputs that are equal stay so: much code does something only for equal ones.
        let mut alike = (samples.vocabulary.below(3) == 0).then(BTreeMap::<String, Input>::new);
        for step in longer.steps.iter_mut().skip(plan.setup) {
            let PlanStep::Input { input, var } = step else { continue };
            let none = Symbols::default();
            let symbols = slots.get(*var).map_or(&none, |slot| &slot.symbols);
            *input = match *var < known && samples.vocabulary.below(4) >= share {
                true => fixed(input, symbols, &model),
                false => {
                    match alike.as_mut().map(|it| it.entry(format!("{:?}", fixed(input, symbols, &model)))) {
                        Some(known) => {
                            let another = || samples.vocabulary.another(input, symbols, &model);
                            known.or_insert_with(another).clone()
                        }
                        None => samples.vocabulary.another(input, symbols, &model),
                    }
                }
            };
        }
        let slots = Rc::new(vec![Slot::default(); longer.variables.len()]);
        Attempt { plan: Rc::new(longer), slots, model: Model::default() }
    }

    /// Whether the last call of a plan is one of those under test.
    pub(super) fn ends_under_test(&self, plan: &Plan) -> bool {
        matches!(plan.steps.last(), Some(PlanStep::Call { invokable, .. })
            if self.subject.under_test.iter().any(|it| it.method == invokable.method))
    }

    /// Makes the calls of a plan with the inputs of a sample from the current state; `None` if they do not end.
    pub(super) fn run_sample(&mut self, sample: &Attempt, plan: &Rc<Plan>, fuel: u64) -> Option<SampleRun> {
        let Attempt { slots, model, .. } = sample;
        let begun = spent(self.machine);
        let run = run_concrete(self.machine, plan, slots, model, false, fuel);
        let taken = fuel.saturating_sub(self.machine.fuel());
        self.work += WORK_OF_RUN / 3;
        self.charge_run(begun);
        let (driver, ended) = run.ok().filter(|_| !self.takes_long()).filter(|(_, ended)| match ended {
            InvocationEnd::Returned(_) => true,
            InvocationEnd::Threw(exception) => !says_more_of_the_jvm(self.machine, *exception),
            _ => false,
        })?;
        Some(SampleRun { driver, ended, fuel: taken, written: self.machine.written(OUT) })
    }

    /// Images of the end of a run, in the state in which it ended.
    pub(super) fn images<const N: usize>(
        &mut self,
        run: &SampleRun,
        extents: [Extent; N],
        settled: &BTreeSet<ClassId>,
    ) -> [Option<Image>; N] {
        let images = extents.map(|extent| Image::of(self.machine, &run.driver, &run.ended, extent, settled));
        let size: usize = images.iter().flatten().map(Image::size).sum();
        self.work += size as u64 / PARTS_OF_MICROSECOND;
        images
    }
}
