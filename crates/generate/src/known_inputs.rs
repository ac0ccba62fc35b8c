//! Inputs of calls that were found on other states. To explore the paths of a call costs many times what it costs to run
//! it, and most paths of most calls depend on the arguments more than on the state.

use crate::continuation::{Continuation, SequenceState};
use crate::driver::Slot;
use crate::input::Symbols;
use crate::invokable::Invokable;
use crate::path_inputs::PathInputs;
use crate::plan::{Plan, Var};
use crate::workbench::Workbench;
use cupping_machine::{Machine, MethodId};
use cupping_term::{Model, VarIndex};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Inputs kept for a call with certain references.
const KEPT: usize = 12;

/// A method, and a choice of references.
type CallChoice = (MethodId, usize);

/// The inputs of calls, by method and choice of references.
#[derive(Default)]
pub(crate) struct KnownInputs {
    of: FxHashMap<CallChoice, Vec<Known>>,
}

/// The inputs of a call along one path.
#[derive(Clone)]
struct Known {
    /// The steps that make the call, with variables numbered from the first new one.
    steps: u64,
    slots: Vec<Slot>,
    /// The values of the symbols, in the order of the slots.
    values: Vec<u64>,
}

impl KnownInputs {
    /// Keeps the inputs of a call on a state.
    pub fn keep(&mut self, of: CallChoice, from: &SequenceState, plan: &Plan, found: &PathInputs) {
        let slots = &found.slots[from.driver.slots.len()..];
        let values: Vec<u64> = symbols(slots).map(|symbol| found.model.get(symbol)).collect();
        let of = self.of.entry(of).or_default();
        if of.len() < KEPT && of.iter().all(|known| known.values != values) {
            of.push(Known { steps: new_steps(from, plan), slots: slots.to_vec(), values });
        }
    }
}

impl Workbench<'_> {
    /// Makes a call on a state with the inputs that were found for it on other states, at most so many; `None` if there
    /// are none.
    /// Unlike [`Workbench::continuations`], this explores no paths.
    pub fn known_continuations(
        &mut self,
        from: &SequenceState,
        invokable: &Rc<Invokable>,
        alternative: usize,
        most: usize,
    ) -> Option<Vec<Continuation>> {
        let chosen = alternative.checked_sub(from.others())?;
        let known = self.known_inputs.of.get(&(invokable.method, chosen))?.clone();
        let (plan, object) = self.plan_of_call(from, invokable, alternative)?;
        self.long_calls.begin(false);
        let steps = new_steps(from, &plan);
        let mut found = Vec::new();
        for known in known.into_iter().filter(|known| known.steps == steps).take(most) {
            let mut model = Model::new();
            let mut values = known.values.iter();
            let mut slots = from.driver.slots.clone();
            for slot in &known.slots {
                let machine = self.machine();
                let symbols = renewed(machine, &slot.symbols, &mut values, &mut model)?;
                slots.push(Slot { symbols, ..slot.clone() });
            }
            let inputs = PathInputs { slots, model: Rc::new(model) };
            found.extend(self.continuation(from, &plan, invokable, &inputs, object));
        }
        Some(found)
    }
}

/// A hash of the steps of a plan after those of a state. Variables of the state are all
/// the same: beside new ones, a call takes the object only.
fn new_steps(from: &SequenceState, plan: &Plan) -> u64 {
    let (old, first) = (from.driver.plan.steps.len(), from.driver.slots.len());
    let moved = |var: Var| Some(var.checked_sub(first).map_or(0, |new| new + 1));
    let steps: Vec<_> = plan.steps[old..].iter().map(|step| step.renamed(&moved)).collect();
    let mut hasher = FxHasher::default();
    format!("{steps:?}").hash(&mut hasher);
    hasher.finish()
}

fn symbols(slots: &[Slot]) -> impl Iterator<Item = VarIndex> + '_ {
    slots.iter().flat_map(|slot| slot.symbols.length.iter().chain(&slot.symbols.values)).copied()
}

/// New symbols of the same sorts with these values: a sequence may make the call twice.
fn renewed<'v>(
    machine: &mut Machine,
    symbols: &Symbols,
    values: &mut impl Iterator<Item = &'v u64>,
    model: &mut Model,
) -> Option<Symbols> {
    let mut renew = |symbol: VarIndex| {
        let sort = machine.terms().variable(symbol).sort;
        let term = machine.terms_mut().new_variable("input", sort);
        let own = machine.terms().as_variable(term)?;
        model.set(own, *values.next()?);
        Some(own)
    };
    let length = match symbols.length {
        Some(symbol) => Some(renew(symbol)?),
        None => None,
    };
    let values = symbols.values.iter().map(|symbol| renew(*symbol)).collect::<Option<_>>()?;
    Some(Symbols { length, values })
}
