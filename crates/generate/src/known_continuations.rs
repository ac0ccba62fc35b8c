//! Calls on a state with the inputs that are known from other states.

use crate::continuation::{Continuation, SequenceState};
use crate::driver::Slot;
use crate::input::Symbols;
use crate::invokable::Invokable;
use crate::known_inputs::{PathInputs, new_steps};
use crate::workbench::Workbench;
use cupping_machine::Machine;
use cupping_term::{Model, VarIndex};
use std::rc::Rc;

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
        let steps = new_steps(&from.driver, &plan);
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
