//! Texts that a world has already: names, numbers of orders, keys.
//!
//! A call that asks for an order by its number succeeds for the number of an order that is there.

use super::World;
use super::construction::Effort;
use super::operation::InputChoice;
use crate::input::Input;
use crate::plan::PlanStep;
use crate::search::Search;
use cupping_machine::{Addr, Field};

impl Search<'_> {
    /// Runs an operation that takes texts with those that the world has passed to parameters of the same names, or to
    /// others.
    pub(super) fn call_with_known_texts(&mut self, world: Option<usize>, operation: usize, effort: Effort) {
        let invokable = self.worlds.neighbourhood.operations[operation].invokable.clone();
        if world.is_none() || !invokable.parameters.iter().any(|it| it.ty.is_string()) {
            return;
        }
        for _ in 0..effort.again {
            let end = self.work + self.options.budget.as_micros() as u64 / effort.share;
            let Some(begun) = self.begin_operation(world, operation, InputChoice::Known) else { break };
            if self.worlds.last.is_none() {
                self.run_until_returned(begun, effort.paths, end);
            }
            if self.worlds.last.is_some() || self.is_over() {
                break;
            }
        }
    }

    /// A text that an object of a world has in a field of this name, or that was passed to a parameter of this name,
    /// the last one first; or else any that was passed. The machine is in the state of the world.
    pub(super) fn known_text(&mut self, world: Option<usize>, name: &str) -> Option<Vec<u16>> {
        let World { driver, model, objects, .. } = &self.worlds.all[world?];
        let fixed = driver.fixed_plan(model)?;
        let (mut same, mut others) = (Vec::new(), Vec::new());
        for (var, _) in objects {
            same.extend(driver.object(*var).and_then(|it| self.text_of_field(it, name)));
        }
        for step in &fixed.steps {
            let PlanStep::Call { invokable, arguments, .. } = step else { continue };
            let own = arguments.len().saturating_sub(invokable.parameters.len());
            for (parameter, argument) in invokable.parameters.iter().zip(&arguments[own..]) {
                let given = fixed.steps.iter().find_map(|step| match step {
                    PlanStep::Input { input: Input::Text(text), var } if var == argument => Some(text),
                    _ => None,
                });
                match given {
                    Some(text) if parameter.name == name => same.push(text.clone()),
                    Some(text) => others.push(text.clone()),
                    None => {}
                }
            }
        }
        if let Some(text) = same.pop() {
            return Some(text);
        }
        let at = self.worlds.below(others.len());
        others.into_iter().nth(at)
    }

    /// The text of a field of an object, by the field's name.
    fn text_of_field(&self, object: Addr, name: &str) -> Option<Vec<u16>> {
        let machine = &*self.machine;
        let class = machine.class(machine.class_of(object));
        let is_it =
            |it: &&Field| !it.is_static() && &*it.name == name && &*it.descriptor == "Ljava/lang/String;";
        let field = class.fields.iter().find(is_it)?;
        let text = machine.field_ref(object, field.offset.into());
        (text != 0).then(|| machine.string_units(text)).filter(|it| !it.is_empty())
    }
}
