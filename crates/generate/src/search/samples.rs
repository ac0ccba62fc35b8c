//! Sequences with other inputs and further calls.
//!
//! A product asks the solver for inputs on which two versions differ; a sample is just run on both. Its texts and
//! arrays may be long, which a product cannot afford. The searches for tests that detect mutants
//! ([`super::mutants`]) and for differences between programs ([`super::differences`]) use them.

mod reduction;

use super::Search;
use super::products::{Attempt, WORK_OF_RUN};
use crate::candidate::Candidate;
use crate::driver::{Slot, run_concrete};
use crate::input::{Symbols, fixed};
use crate::invokable::Invokable;
use crate::mutation::Vocabulary;
use crate::plan::{Plan, PlanStep, Var};
use crate::versions::{Extent, Image};
use cupping_explore::InvocationEnd;
use cupping_term::Model;
pub(super) use reduction::Reduction;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Limit on the sequences that are varied.
const MAX_SEQUENCES: usize = 200;
/// Calls that are added to a sequence, at most.
const MAX_ADDED: usize = 4;
/// Fuel that a run without symbols uses in a microsecond.
pub(super) const FUEL_OF_MICROSECOND: u64 = 10;

/// The sequences that are varied, and the values that they are tried with.
pub(super) struct Samples {
    /// The values that are tried.
    pub vocabulary: Vocabulary,
    /// The sequences.
    pub all: Vec<Attempt>,
    known: BTreeSet<Vec<cupping_machine::MethodId>>,
}

/// The end of a sample's run: images of two extents, and the fuel that it took.
pub(super) struct SampleEnd {
    pub images: [Option<Image>; 2],
    pub fuel: u64,
}

impl Samples {
    /// No sequences yet.
    pub fn new(vocabulary: Vocabulary) -> Samples {
        Samples { vocabulary, all: Vec::new(), known: BTreeSet::new() }
    }

    /// Whether another sequence can be added, up to a part of the limit in quarters.
    fn has_room(&self, quarters: usize) -> bool {
        self.all.len() < MAX_SEQUENCES * quarters / 4
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
    /// A sequence with other inputs, and perhaps further calls.
    pub(super) fn sample(&mut self, samples: &mut Samples, at: usize) -> Attempt {
        let Attempt { plan, slots, model } = samples.all[at].clone();
        let mut longer = (*plan).clone();
        let added = samples.vocabulary.below(2) * (1 + samples.vocabulary.below(MAX_ADDED));
        for _ in 0..added {
            longer = self.with_any_call(samples, &longer).unwrap_or(longer);
        }
        let known = plan.variables.len();
        // At least one existing input keeps or changes its value; new inputs have none yet.
        let share = 1 + samples.vocabulary.below(3);
        for step in longer.steps.iter_mut().skip(plan.setup) {
            let PlanStep::Input { input, var } = step else { continue };
            let none = Symbols::default();
            let symbols = slots.get(*var).map_or(&none, |slot| &slot.symbols);
            *input = match *var < known && samples.vocabulary.below(4) >= share {
                true => fixed(input, symbols, &model),
                false => samples.vocabulary.another(input, symbols, &model),
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

    /// A plan with another call on its object.
    fn with_any_call(&mut self, samples: &mut Samples, plan: &Plan) -> Option<Plan> {
        let receiver = self.object_of(plan)?;
        let subject = self.subject;
        let class = self.machine.load_descriptor(&plan.variables[receiver].ty.descriptor()).ok()?;
        let machine = &*self.machine;
        let is_callable = |it: &&Rc<Invokable>| it.has_receiver() && machine.is_subtype(class, it.class);
        let callable: Vec<_> = subject.under_test.iter().filter(is_callable).collect();
        let invokable = *callable.get(samples.vocabulary.below(callable.len()))?;
        let assignments =
            self.provider.assignments(self.machine, &mut self.influence, invokable, Some(subject.class));
        let at = samples.vocabulary.below(assignments.len());
        let longer = self.with_call_of(plan, invokable, receiver, assignments.get(at)?)?;
        if longer.has_folder() {
            return None;
        }
        let mut longer = (*longer).clone();
        link(&mut longer, plan.steps.len(), &mut samples.vocabulary);
        Some(longer)
    }

    /// Makes the calls of a plan with the inputs of a sample from the current state; `None` if they do not end.
    pub(super) fn ends_of_sample(
        &mut self,
        sample: &Attempt,
        plan: &Rc<Plan>,
        extents: [Extent; 2],
        fuel: u64,
    ) -> Option<SampleEnd> {
        let Attempt { slots, model, .. } = sample;
        let run = run_concrete(self.machine, plan, slots, model, false, fuel);
        let taken = fuel.saturating_sub(self.machine.fuel());
        self.work += WORK_OF_RUN / 3 + taken / FUEL_OF_MICROSECOND;
        let (driver, ended) = run
            .ok()
            .filter(|(_, ended)| matches!(ended, InvocationEnd::Returned(_) | InvocationEnd::Threw(_)))?;
        let images = extents.map(|extent| Image::of(self.machine, &driver, &ended, extent));
        Some(SampleEnd { images, fuel: taken })
    }
}

/// In half of the cases, passes an argument of an earlier call to the last call too: a key that was put is
/// looked up.
fn link(plan: &mut Plan, known: usize, vocabulary: &mut Vocabulary) {
    let given: Vec<Var> = plan.steps[..known].iter().filter_map(input_of).collect();
    let new: Vec<Var> = plan.steps[known..].iter().filter_map(input_of).collect();
    for var in new {
        let ty = &plan.variables[var].ty;
        let alike: Vec<Var> = given.iter().copied().filter(|it| plan.variables[*it].ty == *ty).collect();
        if alike.is_empty() || vocabulary.below(2) == 0 {
            continue;
        }
        let other = alike[vocabulary.below(alike.len())];
        let renamed = |it: Var| Some(if it == var { other } else { it });
        for step in &mut plan.steps[known..] {
            let is_use = input_of(step) != Some(var);
            if let Some(linked) = step.renamed(&renamed).filter(|_| is_use) {
                *step = linked;
            }
        }
    }
    plan.drop_unused_inputs();
}

fn input_of(step: &PlanStep) -> Option<Var> {
    match step {
        PlanStep::Input { var, .. } => Some(*var),
        _ => None,
    }
}
