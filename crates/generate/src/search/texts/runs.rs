//! Runs sentences.

use super::WORK_OF_RUN;
use super::run::Run;
use crate::driver::{Slot, run_concrete};
use crate::plan::Plan;
use crate::search::Search;
use cupping_explore::{InvocationEnd, spent};
use cupping_machine::{Addr, MethodId};
use cupping_term::Model;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// The fuel of a run.
const FUEL: u64 = 100_000;
/// Limit on the innermost calls that tell ends by exceptions apart: in a parser, each nesting of the same rules is
/// another stack.
const MAX_ROWS: usize = 4;

impl Search<'_> {
    /// Runs a sentence from the start; `None` if it does not end.
    pub(super) fn run_sentence(&mut self, plan: &Rc<Plan>) -> Option<Run> {
        self.machine.restore(&self.base);
        let slots = vec![Slot::default(); plan.variables.len()];
        let begun = spent(self.machine);
        let run = run_concrete(self.machine, plan, &slots, &Model::default(), false, FUEL);
        self.work += WORK_OF_RUN;
        self.charge_runs(begun);
        let (driver, ended) = run.ok()?;
        let has_ended = matches!(ended, InvocationEnd::Returned(_) | InvocationEnd::Threw(_));
        let is_complete = driver.is_done() || driver.next + 1 == plan.steps.len();
        let end = match ended {
            InvocationEnd::Threw(exception) => Some(self.end_by(exception)),
            _ => None,
        };
        has_ended.then(|| Run { hits: self.machine.registers().coverage.clone(), is_complete, end })
    }

    /// A hash of an exception and the application's calls on which it was thrown.
    pub(in crate::search) fn end_by(&self, exception: Addr) -> u64 {
        let machine = &*self.machine;
        let mut rows: Vec<(MethodId, u32)> = Vec::new();
        for row in machine.stack_trace(exception) {
            let is_own = !machine.class(machine.method(row.method).class).from_jdk;
            // Deeper recursion is nothing new.
            if is_own && rows.len() < MAX_ROWS && !rows.contains(&(row.method, row.offset)) {
                rows.push((row.method, row.offset));
            }
        }
        let mut hasher = rustc_hash::FxHasher::default();
        (machine.class_of(exception), rows).hash(&mut hasher);
        hasher.finish()
    }
}
