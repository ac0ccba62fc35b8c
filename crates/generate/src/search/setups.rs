//! Runs set-ups given by people: every sequence starts with the objects that they leave (thesis §7.4).

use super::Search;
use crate::corpus::{Literals, Rebuild};
use crate::driver::{Inputs, PlanDriver};
use crate::plan::{Plan, Var};
use crate::setup::Prelude;
use cupping_explore::{InvocationEnd, Path};
use cupping_term::Model;
use std::rc::Rc;

/// Fuel of one invocation of a set-up.
const FUEL: u64 = 50_000_000;

impl Search<'_> {
    /// Runs the set-ups; returns whether one of them leaves an object of the class under test.
    ///
    /// # Errors
    /// A set-up cannot be run; the text says why.
    pub(super) fn set_up(&mut self) -> Result<bool, String> {
        let guidance = self.options.guidance.clone();
        let mut is_set_up = false;
        for prelude in guidance.preludes() {
            is_set_up |=
                self.begin_with(prelude).map_err(|why| format!("--setup {}: {why}", prelude.name))?;
        }
        Ok(is_set_up)
    }

    fn begin_with(&mut self, prelude: &Prelude) -> Result<bool, String> {
        self.machine.restore(&self.base);
        let access = self.options.filter.access;
        let mut rebuild = Rebuild::new(self.machine, self.subject, access, Literals::Fixed);
        for step in &prelude.steps {
            rebuild.step(step)?;
        }
        let objects: Vec<Var> = prelude.objects.iter().filter_map(|id| rebuild.var(*id)).collect();
        let mut plan: Plan = rebuild.plan;
        plan.setup = plan.steps.len();
        let mut driver = PlanDriver::new(Rc::new(plan));
        while !driver.is_done() {
            // There are no symbols: all its values are fixed.
            match driver.call_concrete(self.machine, &Inputs::Symbolic, FUEL) {
                Ok(None | Some((_, true))) => {}
                Ok(Some((InvocationEnd::Threw(exception), _))) => {
                    return Err(self.machine.describe_throwable(exception));
                }
                Ok(Some((ended, _))) => return Err(format!("{ended:?}")),
                Err(trap) => return Err(self.machine.describe_trap(&trap)),
            }
        }
        driver.ended = None;
        let mut is_ours = false;
        for object in objects {
            let Some(held) = driver.object(object) else { continue };
            if !self.machine.is_subtype(self.machine.class_of(held), self.subject.class) {
                continue;
            }
            is_ours = true;
            let snapshot = self.machine.snapshot();
            self.add_state(driver.clone(), Path::default(), Model::new(), Some(object), None, 0);
            self.machine.restore(&snapshot);
        }
        Ok(is_ours)
    }
}
