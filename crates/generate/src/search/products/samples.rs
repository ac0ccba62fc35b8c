//! Sequences with other inputs and a call or two more.
//!
//! Where a product asks the solver for inputs, a sample just has some. Texts and arrays may be long, and any number may
//! be one that the code names.

use super::super::Search;
use super::{Attempt, WORK_OF_RUN};
use crate::candidate::Candidate;
use crate::driver::{Slot, run_concrete};
use crate::input::{Input, Symbols, fixed};
use crate::invokable::Invokable;
use crate::mutation::Vocabulary;
use crate::plan::{Plan, PlanStep, Var};
use crate::versions::{Extent, Image};
use cupping_explore::InvocationEnd;
use cupping_term::Model;
use std::rc::Rc;

/// Calls that are added to a sequence, at most.
const MAX_ADDED: usize = 4;
/// Length up to which texts and arrays are not cut.
const SHORT: usize = 4;
/// Fuel that a run without symbols uses in a microsecond.
pub(in crate::search) const FUEL_OF_MICROSECOND: u64 = 10;

/// Sequences that are varied, and what is tried in them.
pub(in crate::search) struct Samples {
    /// The values that are tried.
    pub(in crate::search) vocabulary: Vocabulary,
    /// The sequences.
    pub(in crate::search) all: Vec<Attempt>,
}

impl Search<'_> {
    /// A sequence with other inputs, and perhaps further calls.
    pub(in crate::search) fn sample(&mut self, samples: &mut Samples, shape: usize) -> Attempt {
        let known = samples.all[shape].clone();
        let mut longer = (*known.plan).clone();
        let added = samples.vocabulary.below(2) * (1 + samples.vocabulary.below(MAX_ADDED));
        for _ in 0..added {
            longer = self.with_any_call(&mut samples.vocabulary, &longer).unwrap_or(longer);
        }
        with_other_inputs(&known, longer, &mut samples.vocabulary, NewInputs::Vary)
    }

    /// Whether the last call of a plan is one of those under test.
    pub(in crate::search) fn ends_under_test(&self, plan: &Plan) -> bool {
        matches!(plan.steps.last(), Some(PlanStep::Call { invokable, .. })
            if self.subject.under_test.iter().any(|it| it.method == invokable.method))
    }

    /// A plan with another call on its object.
    pub(in crate::search) fn with_any_call(
        &mut self,
        vocabulary: &mut Vocabulary,
        plan: &Plan,
    ) -> Option<Plan> {
        let receiver = self.object_of(plan)?;
        let subject = self.subject;
        let class = self.machine.load_descriptor(&plan.variables[receiver].ty.descriptor()).ok()?;
        let machine = &*self.machine;
        let is_callable = |it: &&Rc<Invokable>| it.has_receiver() && machine.is_subtype(class, it.class);
        let callable: Vec<_> = subject.under_test.iter().filter(is_callable).collect();
        let invokable = *callable.get(vocabulary.below(callable.len()))?;
        self.with_call_on(vocabulary, plan, receiver, invokable)
    }

    /// A plan with a call of this method on an object, with any of the arguments that are known for it.
    pub(in crate::search) fn with_call_on(
        &mut self,
        vocabulary: &mut Vocabulary,
        plan: &Plan,
        receiver: Var,
        invokable: &Rc<Invokable>,
    ) -> Option<Plan> {
        let class = Some(self.subject.class);
        let assignments = self.provider.assignments(self.machine, &mut self.influence, invokable, class);
        let at = vocabulary.below(assignments.len());
        let longer = self.with_call_of(plan, invokable, receiver, assignments.get(at)?)?;
        if longer.has_folder() {
            return None;
        }
        let mut longer = (*longer).clone();
        link(&mut longer, plan.steps.len(), vocabulary);
        Some(longer)
    }

    /// Runs a candidate from the current state: its result, its final state, and the fuel used; `None` if it
    /// does not end.
    pub(in crate::search) fn ends_of(
        &mut self,
        candidate: &Candidate,
        fuel: u64,
    ) -> Option<([Option<Image>; 2], u64)> {
        let slots = &candidate.driver.slots;
        let run = run_concrete(self.machine, &candidate.plan, slots, &candidate.model, false, fuel);
        let taken = fuel.saturating_sub(self.machine.fuel());
        self.work += WORK_OF_RUN / 3 + taken / FUEL_OF_MICROSECOND;
        let (driver, ended) = run
            .ok()
            .filter(|(_, ended)| matches!(ended, InvocationEnd::Returned(_) | InvocationEnd::Threw(_)))?;
        let image = |extent| Image::of(self.machine, &driver, &ended, extent);
        Some(([image(Extent::Result), image(Extent::State)], taken))
    }
}

/// What becomes of inputs that a longer sequence adds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::search) enum NewInputs {
    /// All have other values than those that they are made with.
    Vary,
    /// Some have those.
    Keep,
}

/// The inputs of a longer sequence: some as they were, others not.
pub(in crate::search) fn with_other_inputs(
    known: &Attempt,
    mut longer: Plan,
    vocabulary: &mut Vocabulary,
    added: NewInputs,
) -> Attempt {
    let Attempt { plan, slots, model } = known;
    // At least one existing input keeps or changes its value.
    let share = 1 + vocabulary.below(3);
    for step in longer.steps.iter_mut().skip(plan.setup) {
        let PlanStep::Input { input, var } = step else { continue };
        let none = Symbols::default();
        let symbols = slots.get(*var).map_or(&none, |slot| &slot.symbols);
        let can_stay = added == NewInputs::Keep || *var < plan.variables.len();
        *input = match can_stay && vocabulary.below(4) >= share {
            true => fixed(input, symbols, model),
            false => vocabulary.another(input, symbols, model),
        };
    }
    let slots = Rc::new(vec![Slot::default(); longer.variables.len()]);
    Attempt { plan: Rc::new(longer), slots, model: Model::default() }
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

/// A half of a text or an array.
#[derive(Clone, Copy)]
pub(in crate::search) enum Part {
    First,
    Second,
}

/// A plan with half a text or array in this step; `None` if it is short, or a text that people know.
pub(in crate::search) fn halved(plan: &Plan, at: usize, part: Part, vocabulary: &Vocabulary) -> Option<Plan> {
    let mut plan = plan.clone();
    let PlanStep::Input { input, .. } = plan.steps.get_mut(at)? else { return None };
    match input {
        Input::Text(text) if text.len() > SHORT && !vocabulary.is_natural(text) => cut(text, part),
        Input::Elements(_, elements) if elements.len() > SHORT => cut(elements, part),
        _ => return None,
    }
    Some(plan)
}

fn cut<T>(all: &mut Vec<T>, part: Part) {
    let middle = all.len() / 2;
    match part {
        Part::First => all.truncate(middle),
        Part::Second => drop(all.drain(..middle)),
    }
}
