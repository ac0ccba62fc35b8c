//! The alternative to the original, on which the same calls run.

use super::bases::Bases;
use crate::plan::Plan;
use cupping_machine::{Machine, Snapshot};
use std::rc::Rc;

/// A version of the program with which the original can be compared call by call.
pub trait Alternative {
    /// The state from which sequences of this version start; `None` if its classes cannot be initialised. The
    /// machine's state is changed.
    fn base(&self, machine: &mut Machine, bases: &Bases) -> Option<Rc<Snapshot>>;

    /// Makes the machine run this version. Invocations that are under way are not affected.
    fn install(&self, machine: &mut Machine);

    /// Makes the machine run the original again.
    fn remove(&self, machine: &mut Machine);

    /// The same calls on this version, while that is installed; `None` if it lacks something that they need.
    fn plan(&self, machine: &mut Machine, plan: &Rc<Plan>) -> Option<Rc<Plan>>;

    /// Whether it starts from a state other than the original's: differences there are not caused by the calls.
    fn has_own_base(&self) -> bool;
}
