//! Trials of richer inputs: calls of existing tests, with other arguments and one or two more calls.
//!
//! A product asks the solver for inputs; a trial just runs some, on the original and on the mutants that it
//! reaches. Texts and arrays may be long, and one trial may distinguish many mutants from the original. Trials
//! that infect a mutant, or reach one for the first time, are varied further. A successful trial is shortened
//! before it is written down.

use super::super::products::Attempt;
use super::shapes::MAX_SHAPES;
use super::{FUEL_OF_MICROSECOND, MutantSearch, Search, WORK_OF_RUN};
use crate::candidate::Candidate;
use crate::case_writer::{CaseWriter, Draft};
use crate::driver::{Slot, run_concrete};
use crate::input::{Input, Symbols, fixed};
use crate::invokable::Invokable;
use crate::mutation::{Fate, Vocabulary};
use crate::plan::{Plan, PlanStep, Var};
use crate::versions::{Comparison, Extent, Image};
use cupping_explore::InvocationEnd;
use cupping_machine::Kind;
use cupping_term::Model;
use std::rc::Rc;

/// Trials without a find until the next sequence has its turn, multiplied by the effort.
const PATIENCE: usize = 60;
/// Limit on the mutants on which one trial runs, and the least share of them; mutants that were tried least
/// come first.
const MAX_JUDGED: usize = 40;
const JUDGED_PART: usize = 3;
/// Limit on the sequences that are tried with whole tables and alphabets.
const MAX_WHOLE: usize = 40;
/// Calls that are added to a sequence, at most.
const MAX_ADDED: usize = 4;
/// Limit on the runs by which one trial is shortened.
const MAX_REDUCTIONS: usize = 16;
/// Length up to which texts and arrays are not cut.
const SHORT: usize = 4;
/// Fuel of a trial, and fuel of a mutant in addition to five times that of the original.
const FUEL: [u64; 2] = [300_000, 20_000];

impl Search<'_> {
    /// Tries samples until many in a row were in vain.
    pub(super) fn try_samples(
        &mut self,
        aim: &mut MutantSearch,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        let mut left = PATIENCE * aim.effort;
        while left > 0 && !self.is_out_of_budget(aim) && !aim.shapes.all.is_empty() {
            let is_find = self.try_sample(aim, writer, drafts);
            left = if is_find { PATIENCE * aim.effort } else { left - 1 };
        }
    }

    /// Tries the most effective texts, tables of the code and alphabets, in all sequences.
    pub(super) fn try_whole_texts(
        &mut self,
        aim: &mut MutantSearch,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        let texts = aim.shapes.vocabulary.whole_texts();
        for at in 0..aim.shapes.all.len().min(MAX_WHOLE) {
            for text in &texts {
                if self.is_out_of_budget(aim) {
                    return;
                }
                let Some(attempt) = with_text(&aim.shapes.all[at], text) else { break };
                self.try_inputs(aim, &attempt, writer, drafts);
            }
        }
    }

    /// Tries one sample; returns whether it detects mutants that nothing else does.
    fn try_sample(
        &mut self,
        aim: &mut MutantSearch,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) -> bool {
        let at = aim.shapes.vocabulary.below(aim.shapes.all.len());
        let attempt = self.sample(aim, at);
        self.try_inputs(aim, &attempt, writer, drafts)
    }

    /// Tries a sequence with its inputs; returns whether it detects mutants that nothing else does.
    fn try_inputs(
        &mut self,
        aim: &mut MutantSearch,
        attempt: &Attempt,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) -> bool {
        // The last call may be one that is not under test.
        if !self.ends_under_test(&attempt.plan) {
            return false;
        }
        let Some(candidate) = self.follow(&aim.bases.original, attempt) else { return false };
        let mut open = aim.targets.reached(self.map, &candidate.hits, &candidate);
        open.retain(|at| aim.targets.is_open(*at));
        let known = aim.shapes.reached.len();
        aim.shapes.reached.extend(open.iter().copied());
        let is_new = aim.shapes.reached.len() > known;
        open.sort_by_key(|at| (aim.shapes.vain[*at], *at));
        open.truncate(MAX_JUDGED.max(open.len() / JUDGED_PART));
        let infected = self.infected(aim, &candidate, &open);
        if (is_new || !infected.is_empty()) && aim.shapes.all.len() < MAX_SHAPES {
            aim.shapes.all.push(Attempt::of(&candidate));
        }
        open.iter().for_each(|at| aim.shapes.vain[*at] += 1);
        if infected.is_empty() {
            return false;
        }
        let candidate = self.reduced(aim, candidate, &infected);
        self.try_candidate(aim, &candidate, Some(&infected), writer, drafts);
        infected.iter().any(|at| aim.targets.all[*at].fate == Fate::Noticed)
    }

    /// A sequence with other inputs, and perhaps further calls.
    fn sample(&mut self, aim: &mut MutantSearch, shape: usize) -> Attempt {
        let Attempt { plan, slots, model } = aim.shapes.all[shape].clone();
        let mut longer = (*plan).clone();
        let added = aim.shapes.vocabulary.below(2) * (1 + aim.shapes.vocabulary.below(MAX_ADDED));
        for _ in 0..added {
            longer = self.with_any_call(aim, &longer).unwrap_or(longer);
        }
        let known = plan.variables.len();
        // At least one existing input keeps or changes its value; new inputs have none yet.
        let share = 1 + aim.shapes.vocabulary.below(3);
        for step in longer.steps.iter_mut().skip(plan.setup) {
            let PlanStep::Input { input, var } = step else { continue };
            let none = Symbols::default();
            let symbols = slots.get(*var).map_or(&none, |slot| &slot.symbols);
            *input = match *var < known && aim.shapes.vocabulary.below(4) >= share {
                true => fixed(input, symbols, &model),
                false => aim.shapes.vocabulary.another(input, symbols, &model),
            };
        }
        let slots = Rc::new(vec![Slot::default(); longer.variables.len()]);
        Attempt { plan: Rc::new(longer), slots, model: Model::default() }
    }

    /// Whether the last call of a plan is one of those under test.
    fn ends_under_test(&self, plan: &Plan) -> bool {
        matches!(plan.steps.last(), Some(PlanStep::Call { invokable, .. })
            if self.subject.under_test.iter().any(|it| it.method == invokable.method))
    }

    /// A plan with another call on its object.
    fn with_any_call(&mut self, aim: &mut MutantSearch, plan: &Plan) -> Option<Plan> {
        let receiver = self.object_of(plan)?;
        let subject = self.subject;
        let class = self.machine.load_descriptor(&plan.variables[receiver].ty.descriptor()).ok()?;
        let machine = &*self.machine;
        let is_callable = |it: &&Rc<Invokable>| it.has_receiver() && machine.is_subtype(class, it.class);
        let callable: Vec<_> = subject.under_test.iter().filter(is_callable).collect();
        let invokable = *callable.get(aim.shapes.vocabulary.below(callable.len()))?;
        let assignments =
            self.provider.assignments(self.machine, &mut self.influence, invokable, Some(subject.class));
        let at = aim.shapes.vocabulary.below(assignments.len());
        let longer = self.with_call_of(plan, invokable, receiver, assignments.get(at)?)?;
        if longer.has_folder() {
            return None;
        }
        let mut longer = (*longer).clone();
        link(&mut longer, plan.steps.len(), &mut aim.shapes.vocabulary);
        Some(longer)
    }

    /// The mutants that end in a state other than the original's, or do not end.
    fn infected(&mut self, aim: &MutantSearch, candidate: &Candidate, among: &[usize]) -> Vec<usize> {
        if among.is_empty() {
            return Vec::new();
        }
        self.machine.restore(&aim.bases.original);
        let Some((original, taken)) = self.ends_of(candidate, FUEL[0]) else { return Vec::new() };
        let fuel = FUEL[1] + 5 * taken;
        let mut infected = Vec::new();
        for at in among {
            let version = aim.targets.all[*at].version.clone();
            let Some(base) = version.base(self.machine, &aim.bases) else { continue };
            self.machine.restore(&base);
            version.install(self.machine);
            let mutated = self.ends_of(candidate, fuel);
            version.remove(self.machine);
            // Effects of a mutant of the initialiser are not effects of the calls.
            let compared = if version.initialises.is_some() { 0 } else { 1 };
            let differs = mutated.is_none_or(|(mutated, _)| {
                let (one, other) = (original[compared].as_ref(), mutated[compared].as_ref());
                Image::compare(self.machine, &candidate.model, one, other) != Comparison::Same
            });
            if differs {
                infected.push(*at);
            }
        }
        infected
    }

    /// Runs a candidate from the current state: its result, its final state, and the fuel used; `None` if it
    /// does not end.
    fn ends_of(&mut self, candidate: &Candidate, fuel: u64) -> Option<([Option<Image>; 2], u64)> {
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

    /// The shortest variant found of a candidate that still infects these mutants: without unnecessary calls,
    /// with shorter texts and arrays.
    fn reduced(&mut self, aim: &MutantSearch, candidate: Candidate, infected: &[usize]) -> Candidate {
        let mut best = candidate;
        let mut tries = 0;
        let mut at = best.plan.steps.len();
        while at > best.plan.setup && tries < MAX_REDUCTIONS {
            at -= 1;
            let is_call = best.plan.steps.get(at).is_some_and(PlanStep::is_effect);
            let shorter = if is_call { best.plan.without(at) } else { None };
            if let Some(shorter) = shorter.filter(|it| it.under_test().is_some()) {
                tries += 1;
                self.take_if_infecting(aim, &mut best, shorter, infected);
            }
        }
        for at in best.plan.setup..best.plan.steps.len() {
            for part in [Part::First, Part::Second, Part::First, Part::Second] {
                let Some(shorter) = halved(&best.plan, at, part, &aim.shapes.vocabulary) else { continue };
                if tries < MAX_REDUCTIONS {
                    tries += 1;
                    self.take_if_infecting(aim, &mut best, shorter, infected);
                }
            }
        }
        best
    }

    fn take_if_infecting(
        &mut self,
        aim: &MutantSearch,
        best: &mut Candidate,
        plan: Plan,
        infected: &[usize],
    ) {
        let slots = Rc::new(best.driver.slots.clone());
        let attempt = Attempt { plan: Rc::new(plan), slots, model: best.model.clone() };
        let Some(candidate) = self.follow(&aim.bases.original, &attempt) else { return };
        if self.infected(aim, &candidate, infected).len() == infected.len() {
            *best = candidate;
        }
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

/// A sequence with all its texts replaced by this one; `None` if it has none.
fn with_text(of: &Attempt, text: &[u16]) -> Option<Attempt> {
    let Attempt { plan, slots, model } = of;
    let mut changed = (**plan).clone();
    let mut is_changed = false;
    for step in changed.steps.iter_mut().skip(plan.setup) {
        let PlanStep::Input { input, var } = step else { continue };
        let none = Symbols::default();
        let symbols = slots.get(*var).map_or(&none, |slot| &slot.symbols);
        *input = match fixed(input, symbols, model) {
            Input::Text(_) => Input::Text(text.to_vec()),
            Input::Elements(kind @ (Kind::Byte | Kind::Char), _) => {
                Input::Elements(kind, text.iter().map(|it| u64::from(*it)).collect())
            }
            other => {
                *input = other;
                continue;
            }
        };
        is_changed = true;
    }
    let slots = Rc::new(vec![Slot::default(); changed.variables.len()]);
    is_changed.then(|| Attempt { plan: Rc::new(changed), slots, model: Model::default() })
}

fn input_of(step: &PlanStep) -> Option<Var> {
    match step {
        PlanStep::Input { var, .. } => Some(*var),
        _ => None,
    }
}

/// A half of a text or an array.
#[derive(Clone, Copy)]
enum Part {
    First,
    Second,
}

/// A plan with the text or array of this step halved; `None` if it is short, or a natural text.
fn halved(plan: &Plan, at: usize, part: Part, vocabulary: &Vocabulary) -> Option<Plan> {
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
