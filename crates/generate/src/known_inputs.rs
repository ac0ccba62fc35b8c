//! Inputs of calls that were found on other states. To explore the paths of a call costs many times what it takes to
//! run it, and most paths of most calls depend on the arguments more than on the state.

use crate::driver::{PlanDriver, Slot};
use crate::plan::{Plan, Var};
use cupping_machine::MethodId;
use cupping_term::{Model, VarIndex};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Inputs kept for a call with certain references.
const KEPT: usize = 12;

/// The inputs of a call along one path.
pub(crate) struct PathInputs {
    pub slots: Vec<Slot>,
    pub model: Rc<Model>,
}

/// A method, and a choice of references.
pub(crate) type CallChoice = (MethodId, usize);

/// The inputs of calls, by method and choice of references.
#[derive(Default)]
pub(crate) struct KnownInputs {
    pub of: FxHashMap<CallChoice, Vec<Known>>,
}

/// The inputs of a call along one path.
#[derive(Clone)]
pub(crate) struct Known {
    /// The steps that make the call, with variables numbered from the first new one.
    pub steps: u64,
    pub slots: Vec<Slot>,
    /// The values of the symbols, in the order of the slots.
    pub values: Vec<u64>,
}

impl KnownInputs {
    /// Keeps the inputs of a call on a state.
    pub fn keep(
        &mut self,
        of: CallChoice,
        from: &PlanDriver,
        plan: &Plan,
        (slots, model): (&[Slot], &Model),
    ) {
        let slots = &slots[from.slots.len()..];
        let values: Vec<u64> = symbols(slots).map(|symbol| model.get(symbol)).collect();
        let of = self.of.entry(of).or_default();
        if of.len() < KEPT && of.iter().all(|known| known.values != values) {
            of.push(Known { steps: new_steps(from, plan), slots: slots.to_vec(), values });
        }
    }
}

/// A hash of the steps of a plan after those of a state. Variables of the state are all
/// the same: beside new ones, a call takes the object only.
pub(crate) fn new_steps(from: &PlanDriver, plan: &Plan) -> u64 {
    let (old, first) = (from.plan.steps.len(), from.slots.len());
    let moved = |var: Var| Some(var.checked_sub(first).map_or(0, |new| new + 1));
    let steps: Vec<_> = plan.steps[old..].iter().map(|step| step.renamed(&moved)).collect();
    let mut hasher = FxHasher::default();
    format!("{steps:?}").hash(&mut hasher);
    hasher.finish()
}

fn symbols(slots: &[Slot]) -> impl Iterator<Item = VarIndex> + '_ {
    slots.iter().flat_map(|slot| slot.symbols.length.iter().chain(&slot.symbols.values)).copied()
}
