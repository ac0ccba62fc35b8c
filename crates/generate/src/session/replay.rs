//! Tests of another session, run in this one: the same calls on another JDK.

use super::{PreparedClass, Session};
use crate::corpus::{Literals, Rebuild};
use crate::driver::{Slot, run_concrete};
use crate::observe::{Volatility, observe};
use crate::options::GenerateOptions;
use crate::outcome::GenerateError;
use crate::realization::{Realization, outcome_of};
use crate::versions::{Contrast, difference};
use cupping_case::{Case, Outcome, VarId};
use cupping_explore::InvocationEnd;
use cupping_term::Model;
use std::rc::Rc;

/// Fuel of a replayed test, far more than a test takes.
const FUEL: u64 = 20_000_000;

/// A difference between a test and its replay.
#[derive(Clone, Debug)]
pub struct ReplayDifference {
    /// Index of the test.
    pub test: usize,
    /// What differs.
    pub what: Contrast,
    /// The calls with the values of this session.
    pub case: Case,
}

impl Session {
    /// Runs tests of a class that another session has found, and tells where this one shows something else.
    /// Tests that cannot be run here, or that depend on the clock or on chance, are left out.
    ///
    /// # Errors
    ///
    /// [`GenerateError::Class`].
    pub fn replay(
        &mut self,
        class: &str,
        tests: &[Case],
        options: &GenerateOptions,
    ) -> Result<Vec<ReplayDifference>, GenerateError> {
        let PreparedClass { subject, .. } = self.prepare(class, &[], options)?;
        let base = self.machine.snapshot();
        let mut differences = Vec::new();
        for (test, case) in tests.iter().enumerate().filter(|(_, it)| it.caught.is_empty()) {
            self.machine.restore(&base);
            let access = options.filter.access;
            let mut rebuild = Rebuild::new(&mut self.machine, &subject, access, Literals::Fixed);
            if case.steps.iter().any(|step| rebuild.step(step).is_err()) {
                continue;
            }
            let mut ids: Vec<Option<VarId>> = vec![None; rebuild.plan.variables.len()];
            for id in (0..case.variables.len()).map(|at| VarId(at as u32)) {
                if let Some(var) = rebuild.var(id) {
                    ids[var] = Some(id);
                }
            }
            let (plan, fresh) = (Rc::new(rebuild.plan), rebuild.fresh);
            let slots = vec![Slot::default(); plan.variables.len()];
            let run = run_concrete(&mut self.machine, &plan, &slots, &Model::new(), fresh, FUEL);
            let Ok((driver, ended)) = run else { continue };
            // A shorter test shows that an earlier call ends differently.
            if driver.next + 1 < plan.steps.len() {
                continue;
            }
            let outcome = match &ended {
                InvocationEnd::Returned(_) => Outcome::Returned,
                InvocationEnd::Threw(exception) => {
                    outcome_of(&mut self.machine, *exception, &subject.package)
                }
                InvocationEnd::Halted(_) | InvocationEnd::TooManyDecisions => continue,
            };
            let effects = self.machine.effects_at_exit();
            let mut replayed = Case { assertions: Vec::new(), outcome, effects, cause: None, ..case.clone() };
            let realized = Realization { plan, driver, ended, hits: Vec::new(), fresh, fuel: FUEL };
            let package = &subject.package;
            let (machine, influence) = (&mut self.machine, &mut self.influence);
            let compared = Volatility::Compared;
            let observed = observe(machine, influence, &mut replayed, &realized, &ids, package, compared);
            replayed.assertions.extend(observed.unchanged);
            if observed.is_volatile || self.machine.registers().volatile_reads > 0 {
                continue;
            }
            let old = (&case.outcome, case.assertions.iter());
            let what = difference(old, (&replayed.outcome, &replayed.assertions));
            if let Some(what) = what.filter(|_| replayed.danger().is_none()) {
                differences.push(ReplayDifference { test, what, case: replayed });
            }
        }
        Ok(differences)
    }
}
