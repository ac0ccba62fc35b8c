//! An attempt at a sequence: the exploration of one call from the state that the calls before it left.

use crate::driver::PlanDriver;
use crate::exceptions::says_more_of_the_jvm;
use cupping_case::TEST_FOLDER;
use cupping_explore::{
    CompletedPath, Exploration, HARD, InvocationEnd, Path, SideCounts, Tools, Trees, UncoveredFirst,
};
use cupping_machine::{Machine, MethodId};
use cupping_solve::Solver;
use cupping_term::Model;

/// Fuel of all paths of a call together, about that of two longest paths: a call that hardly ends is not tried
/// again and again.
const MOST_FUEL: u64 = 4_000_000;

/// The state of an attempt at a sequence.
pub(crate) struct Trial<'a> {
    pub machine: &'a mut Machine,
    pub solver: &'a mut Solver,
    pub trees: Trees,
    pub counts: SideCounts,
}

impl Trial<'_> {
    fn tools(&mut self) -> Tools<'_> {
        Tools {
            machine: self.machine,
            solver: self.solver,
            trees: &mut self.trees,
            counts: &mut self.counts,
            searcher: &UncoveredFirst,
            under_test: &is_application,
        }
    }

    pub fn start(
        &mut self,
        exploration: &mut Exploration<PlanDriver>,
        driver: PlanDriver,
        path: &Path,
        model: &Model,
    ) -> CompletedPath<PlanDriver> {
        exploration.start(&mut self.tools(), driver, path.clone(), model.clone())
    }

    /// Returns the first accepted path, starting with this one, within a limit.
    pub fn until(
        &mut self,
        exploration: &mut Exploration<PlanDriver>,
        first: Option<CompletedPath<PlanDriver>>,
        left: &mut u32,
        accept: &mut dyn FnMut(&mut Machine, &CompletedPath<PlanDriver>) -> bool,
    ) -> Option<CompletedPath<PlanDriver>> {
        let mut done = first;
        while *left > 0 && exploration.counters.spent() < MOST_FUEL {
            *left -= 1;
            if let Some(done) = done
                && accept(self.machine, &done)
            {
                return Some(done);
            }
            // Other sequences are cheaper than sides that are hard for the solver.
            if exploration.best_rank().is_some_and(|(rank, ..)| rank == HARD) {
                return None;
            }
            done = exploration.step(&mut self.tools())?;
        }
        None
    }
}

fn is_application(machine: &Machine, method: MethodId) -> bool {
    machine.methods().get(method.0 as usize).is_some_and(|m| !machine.class(m.class).from_jdk)
}

/// Whether a path can become a test.
pub(crate) fn is_presentable(machine: &mut Machine, done: &CompletedPath<PlanDriver>) -> bool {
    if !machine.effects().escapes_so_far(TEST_FOLDER).is_empty() {
        return false;
    }
    match &done.driver.ended {
        Some(InvocationEnd::Returned(_)) => true,
        Some(InvocationEnd::Threw(exception)) => !says_more_of_the_jvm(machine, *exception),
        _ => false,
    }
}
