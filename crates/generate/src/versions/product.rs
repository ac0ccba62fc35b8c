//! The product of two versions: one plan, run on the original and then on the version.

use super::{Alternative, Bases, Extent, Image};
use crate::driver::{Inputs, PlanDriver, Slot};
use crate::input::make_symbolic_again;
use crate::plan::{Plan, PlanStep};
use cupping_explore::{Driver, DriverRequest, InvocationEnd};
use cupping_machine::{Machine, Step};
use cupping_term::{Model, TermId};
use std::rc::Rc;

/// The file descriptor of `System.out`.
const STANDARD_OUTPUT: u8 = 1;

/// The execution of a plan on two versions, one after the other.
#[derive(Clone)]
pub struct Product {
    /// The run in progress.
    run: PlanDriver,
    /// The inputs' variables, the same in both runs.
    slots: Rc<Vec<Slot>>,
    version: Rc<dyn Alternative>,
    /// The plan in the words of the version.
    translated: Rc<Plan>,
    /// The states before the plan.
    bases: Bases,
    model: Rc<Model>,
    /// How the run on the original ended.
    original: Option<Rc<OriginalEnd>>,
    /// How the run on the version ended.
    mutated: Option<InvocationEnd>,
}

/// The end of the run on the original.
struct OriginalEnd {
    ended: InvocationEnd,
    /// What was written to `System.out`.
    printed: Vec<u8>,
    result: Option<Image>,
    visible: Option<Image>,
    state: Option<Image>,
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
        version: Rc<dyn Alternative>,
        bases: Bases,
        model: Model,
    ) -> Step<Option<Product>> {
        machine.restore(&bases.original);
        version.install(machine);
        let translated = version.plan(machine, &plan);
        version.remove(machine);
        let Some(translated) = translated else { return Ok(None) };
        let run = PlanDriver::recording(plan);
        let model = Rc::new(model);
        let mut product =
            Product { run, slots, version, translated, bases, model, original: None, mutated: None };
        let is_entered = product.enter(machine)?;
        Ok(is_entered.then_some(product))
    }

    /// The version.
    pub fn version(&self) -> &dyn Alternative {
        &*self.version
    }

    /// How both runs ended; `None` if a run was not completed.
    pub fn ends(&self) -> Option<(&InvocationEnd, &InvocationEnd)> {
        Some((&self.original.as_ref()?.ended, self.mutated.as_ref()?))
    }

    /// The texts that the runs wrote to `System.out`, as they are for the inputs of the current model.
    pub fn printed(&self, machine: &Machine) -> (&[u8], Vec<u8>) {
        (self.original.as_ref().map_or(&[], |it| &it.printed), machine.written(STANDARD_OUTPUT))
    }

    /// The images of the end of the run on the original and of the run on the version, where the machine is.
    pub fn images(&self, machine: &Machine, extent: Extent) -> (Option<&Image>, Option<Image>) {
        let original = self.original.as_ref().and_then(|it| match extent {
            Extent::Result => it.result.as_ref(),
            Extent::Visible => it.visible.as_ref(),
            Extent::State => it.state.as_ref(),
        });
        let settled = &self.bases.settled;
        let mutated = self.mutated.as_ref().and_then(|it| Image::of(machine, &self.run, it, extent, settled));
        (original, mutated)
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
    fn enter_version(&mut self, machine: &mut Machine) -> DriverRequest {
        let fuel = machine.fuel();
        let Some(base) = self.version.base(machine, &self.bases) else { return DriverRequest::Complete };
        machine.restore(&base);
        machine.set_fuel(fuel);
        self.version.install(machine);
        self.run = PlanDriver::recording(self.translated.clone());
        match self.enter(machine) {
            Ok(true) => DriverRequest::Run,
            _ => DriverRequest::Complete,
        }
    }
}

impl Driver for Product {
    fn advance(&mut self, machine: &mut Machine, ended: InvocationEnd) -> DriverRequest {
        let returned = self.run.finish_call(&ended);
        if returned && !self.run.is_done() {
            match self.enter(machine) {
                Ok(true) => return DriverRequest::Run,
                Ok(false) => {}
                Err(_) => return DriverRequest::Complete,
            }
        }
        if self.original.is_none() {
            let is_comparable = matches!(ended, InvocationEnd::Returned(_) | InvocationEnd::Threw(_));
            let image = |extent| Image::of(machine, &self.run, &ended, extent, &self.bases.settled);
            let [result, visible, state] = [Extent::Result, Extent::Visible, Extent::State].map(image);
            let printed = machine.written(STANDARD_OUTPUT);
            self.original = Some(Rc::new(OriginalEnd { ended, printed, result, visible, state }));
            return if is_comparable { self.enter_version(machine) } else { DriverRequest::Complete };
        }
        self.mutated = Some(ended);
        DriverRequest::Complete
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
