//! Where contracts are tried: the machine, and the state before every test.

use crate::driver::{PlanDriver, Slot, run_concrete};
use crate::plan::Plan;
use cupping_explore::InvocationEnd;
use cupping_machine::{Machine, Snapshot};
use cupping_term::Model;
use std::rc::Rc;

/// Fuel of one call that is judged, and of each call that makes an object.
pub(super) const FUEL: u64 = 200_000;

/// The machine with the state before every test.
pub(super) struct Bench<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) base: &'a Snapshot,
}

impl Bench<'_> {
    /// Runs a plan from the state before every test; `None` unless all its calls return. The machine is left in the
    /// state at its end.
    pub(super) fn run(
        &mut self,
        plan: &Rc<Plan>,
        slots: &[Slot],
        model: &Model,
        fresh: bool,
    ) -> Option<(PlanDriver, InvocationEnd)> {
        self.machine.restore(self.base);
        let (driver, ended) = run_concrete(self.machine, plan, slots, model, fresh, FUEL).ok()?;
        let has_returned = matches!(ended, InvocationEnd::Returned(_)) && driver.is_done();
        has_returned.then_some((driver, ended))
    }
}
