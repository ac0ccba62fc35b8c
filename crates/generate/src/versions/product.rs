//! The product of two versions: one plan, run on the original and then on the version.

use super::{Image, Version};
use crate::driver::{Inputs, PlanDriver, Slot};
use crate::input::make_symbolic_again;
use crate::plan::{Plan, PlanStep};
use cupping_explore::{Driver, Ended, Next};
use cupping_machine::{Machine, Snapshot, Step};
use cupping_term::{Model, TermId};
use std::rc::Rc;

/// The execution of a plan on two versions, one after the other.
#[derive(Clone)]
pub struct Product {
    /// The run in progress.
    run: PlanDriver,
    /// The inputs' variables, the same in both runs.
    slots: Rc<Vec<Slot>>,
    version: Rc<Version>,
    /// The state before the plan.
    base: Rc<Snapshot>,
    model: Rc<Model>,
    /// How the run on the original ended.
    original: Option<Rc<(Ended, Option<Image>)>>,
    /// How the run on the version ended.
    mutated: Option<Ended>,
}

/// Chooses the variables of a plan's inputs: those of the given slots, and new ones for further inputs. Also
/// returns the bounds of their values. The machine's state is changed.
///
/// # Errors
/// An input cannot be created.
pub fn prepare(machine: &mut Machine, plan: &Plan, known: &[Slot]) -> Step<(Vec<Slot>, Vec<TermId>)> {
    let mut slots = known.to_vec();
    slots.resize(plan.variables.len(), Slot::default());
    let mut bounds = Vec::new();
    for step in &plan.steps {
        if let PlanStep::Input { input, var } = step {
            let name = plan.variables[*var].name.clone();
            let made = make_symbolic_again(machine, input, &name, &slots[*var].symbols)?;
            slots[*var].symbols = made.symbols;
            bounds.extend(made.bounds);
        }
    }
    Ok((slots, bounds))
}

impl Product {
    /// Enters the first invocation on the original, with the inputs of this model.
    ///
    /// # Errors
    /// An input cannot be created, or the invocation cannot be entered.
    pub fn start(
        machine: &mut Machine,
        plan: Rc<Plan>,
        slots: Rc<Vec<Slot>>,
        version: Rc<Version>,
        base: Rc<Snapshot>,
        model: Model,
    ) -> Step<Option<Product>> {
        machine.restore(&base);
        let run = PlanDriver::new(plan);
        let model = Rc::new(model);
        let mut product = Product { run, slots, version, base, model, original: None, mutated: None };
        let is_entered = product.enter(machine)?;
        Ok(is_entered.then_some(product))
    }

    /// How both runs ended; `None` if a run was not completed.
    pub fn ends(&self) -> Option<(&Ended, &Ended)> {
        Some((&self.original.as_ref()?.0, self.mutated.as_ref()?))
    }

    /// The image of the end of the run on the original.
    pub fn original(&self) -> Option<&Image> {
        self.original.as_ref()?.1.as_ref()
    }

    /// The image of the end of the run on the version, where the machine is.
    pub fn mutated(&self, machine: &Machine) -> Option<Image> {
        Image::of(machine, &self.run, self.mutated.as_ref()?)
    }

    fn enter(&mut self, machine: &mut Machine) -> Step<bool> {
        let slots = self.slots.clone();
        let entered = self.run.enter_next(machine, &Inputs::Again { slots: &slots }, &mut Vec::new())?;
        let model = self.model.clone();
        machine.adopt_model(&model);
        self.run.adopt(machine, &model);
        Ok(entered)
    }

    /// Starts the run on the version.
    fn enter_version(&mut self, machine: &mut Machine) -> Next {
        let fuel = machine.fuel();
        machine.restore(&self.base);
        machine.set_fuel(fuel);
        self.version.install(machine);
        self.run = PlanDriver::new(self.run.plan.clone());
        match self.enter(machine) {
            Ok(true) => Next::Run,
            _ => Next::Complete,
        }
    }
}

impl Driver for Product {
    fn advance(&mut self, machine: &mut Machine, ended: Ended) -> Next {
        let returned = self.run.finish_call(&ended);
        if returned && !self.run.is_done() {
            match self.enter(machine) {
                Ok(true) => return Next::Run,
                Ok(false) => {}
                Err(_) => return Next::Complete,
            }
        }
        if self.original.is_none() {
            let is_comparable = matches!(ended, Ended::Returned(_) | Ended::Threw(_));
            let image = Image::of(machine, &self.run, &ended);
            self.original = Some(Rc::new((ended, image)));
            return if is_comparable { self.enter_version(machine) } else { Next::Complete };
        }
        self.mutated = Some(ended);
        Next::Complete
    }

    fn adopt(&mut self, machine: &mut Machine, model: &Model) {
        self.model = Rc::new(model.clone());
        self.run.adopt(machine, model);
        if self.original.is_some() {
            self.version.install(machine);
        } else {
            self.version.remove(machine);
        }
    }
}
