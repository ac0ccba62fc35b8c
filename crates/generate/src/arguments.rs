//! The arguments of invocations, apart from the sequences in which they were passed.

use crate::driver::PlanDriver;
use crate::invokable::Entrance;
use crate::plan::PlanStep;
use cupping_term::{Model, VarIndex};

/// The values of an input that is passed to a parameter.
struct Argument {
    parameter: usize,
    length: Option<u64>,
    values: Vec<u64>,
}

/// The arguments of an invocation that can be chosen.
pub(crate) struct Arguments(Vec<Argument>);

impl Arguments {
    /// The arguments that a path's inputs pass at a step, with the entrance of the invoked method.
    pub fn at(driver: &PlanDriver, step: usize, model: &Model) -> Option<(Entrance, Arguments)> {
        let PlanStep::Call { invokable, arguments, .. } = driver.plan.steps.get(step)? else { return None };
        let skip = usize::from(invokable.has_receiver());
        let mut found = Vec::new();
        for (parameter, var) in arguments.iter().skip(skip).enumerate() {
            let symbols = &driver.slots.get(*var)?.symbols;
            if symbols.length.is_some() || !symbols.values.is_empty() {
                let length = symbols.length.map(|it| model.get(it));
                let values = symbols.values.iter().map(|it| model.get(*it)).collect();
                found.push(Argument { parameter, length, values });
            }
        }
        Some((invokable.entrance(), Arguments(found)))
    }

    /// Passes these arguments at a step, to the variables numbered from `first` on. Returns whether any value
    /// was set.
    pub fn pass(&self, driver: &PlanDriver, step: usize, first: usize, model: &mut Model) -> bool {
        let Some(PlanStep::Call { invokable, arguments, .. }) = driver.plan.steps.get(step) else {
            return false;
        };
        let skip = usize::from(invokable.has_receiver());
        let mut is_set = false;
        for Argument { parameter, length, values } in &self.0 {
            let slot = arguments.get(parameter + skip).and_then(|var| driver.slots.get(*var));
            let Some(symbols) = slot.map(|it| &it.symbols) else { continue };
            let is_new = |it: &VarIndex| it.0 as usize >= first;
            let fits = symbols.length.is_some() == length.is_some() && symbols.values.len() == values.len();
            if !fits || !symbols.values.iter().chain(&symbols.length).all(is_new) {
                continue;
            }
            for (symbol, value) in symbols.values.iter().zip(values) {
                model.set(*symbol, *value);
            }
            if let (Some(symbol), Some(length)) = (symbols.length, length) {
                model.set(symbol, *length);
            }
            is_set = true;
        }
        is_set
    }
}
