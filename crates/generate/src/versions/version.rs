//! A version of a program.

use super::alternative::Alternative;
use super::bases::{Bases, FUEL};
use crate::plan::Plan;
use cupping_classfile::Code;
use cupping_machine::{ClassId, Machine, MethodId, Snapshot};
use std::cell::OnceCell;
use std::rc::Rc;

/// A program in which one method has another body.
#[derive(Debug)]
pub struct Version {
    /// The method.
    pub method: MethodId,
    /// Its body.
    pub body: Code,
    /// The class whose initialiser the method is. Tests of this version start from their own state.
    pub initialises: Option<ClassId>,
    /// The state before every test, if the class was initialised by this version; `None` if that failed.
    initialised: OnceCell<Option<Rc<BaseState>>>,
}

/// A state; its own type only because snapshots cannot be displayed.
struct BaseState(Rc<Snapshot>);

impl std::fmt::Debug for BaseState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Initialised")
    }
}

impl Alternative for Version {
    fn base(&self, machine: &mut Machine, bases: &Bases) -> Option<Rc<Snapshot>> {
        Version::base(self, machine, bases)
    }

    fn install(&self, machine: &mut Machine) {
        Version::install(self, machine);
    }

    fn remove(&self, machine: &mut Machine) {
        Version::remove(self, machine);
    }

    fn plan(&self, _: &mut Machine, plan: &Rc<Plan>) -> Option<Rc<Plan>> {
        Some(plan.clone())
    }

    fn has_own_base(&self) -> bool {
        self.initialises.is_some()
    }
}

impl Version {
    /// A version with this body for a method; `initialises` names the class if the method is its initialiser.
    pub fn new(method: MethodId, body: Code, initialises: Option<ClassId>) -> Version {
        Version { method, body, initialises, initialised: OnceCell::new() }
    }

    /// The state from which tests of this version start; `None` if the class cannot be initialised. The
    /// machine's state is changed.
    pub fn base(&self, machine: &mut Machine, bases: &Bases) -> Option<Rc<Snapshot>> {
        let Some(class) = self.initialises else { return Some(bases.original.clone()) };
        let initialised = self.initialised.get_or_init(|| {
            machine.restore(&bases.booted);
            machine.set_fuel(FUEL);
            let is_initialised = self.on(machine, |machine| machine.initialize_class_now(class).is_ok());
            is_initialised.then(|| Rc::new(BaseState(Rc::new(machine.snapshot()))))
        });
        initialised.as_ref().map(|it| it.0.clone())
    }

    /// Makes the machine run this version. Invocations that are under way are not affected.
    pub fn install(&self, machine: &mut Machine) {
        machine.replace_code(self.method, Some(self.body.clone()));
    }

    /// Makes the machine run the original again.
    pub fn remove(&self, machine: &mut Machine) {
        machine.replace_code(self.method, None);
    }

    /// Does something on this version.
    pub fn on<R>(&self, machine: &mut Machine, act: impl FnOnce(&mut Machine) -> R) -> R {
        self.install(machine);
        let result = act(machine);
        self.remove(machine);
        result
    }
}
