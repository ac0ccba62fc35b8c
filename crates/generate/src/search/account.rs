//! The account of work: what the search charges to the budget, in microseconds of a reference machine. It counts what
//! is done and measures no time, so that the same budget gives the same results everywhere.

use super::Search;
use crate::candidate::Candidate;
use crate::case_writer::{CaseWriter, Draft};
use crate::driver::{Inputs, PlanDriver};
use crate::realization::run_again;
use crate::work::{FUEL_OF_LONG_RUNS, FUEL_OF_MICROSECOND, work_of_paths, work_of_runs};
use cupping_explore::{Counters, spent};
use cupping_machine::Step;
use cupping_term::TermId;
use std::time::Duration;

/// The work of a path in addition to running and solving: to restore and to compare states, and to decide what becomes
/// of them.
const WORK_OF_PATH: u64 = 60;
/// The terms for symbolic arguments that the work of a path covers, and how many more are made in a microsecond. A stub
/// with many methods answers with hundreds of texts.
const TERMS_OF_PATH: u64 = 2_000;
const TERMS_OF_MICROSECOND: u64 = 3;
/// The work of writing a test down, in addition to its runs.
const WORK_OF_WRITING: u64 = 600;
/// The fuel of a run from which the work of writing a test down is estimated before.
const DEAR: u64 = 300_000;
/// The share of the budget up to which such a test keeps its place.
const DEAR_SHARE: u32 = 4;
/// How often a test runs until it is written down, roughly, in addition to once without each of its steps.
const RUNS_OF_WRITING: u64 = 8;

impl Search<'_> {
    /// The work done, as a duration on a reference machine.
    pub fn work(&self) -> Duration {
        Duration::from_micros(self.work)
    }

    /// The work beyond which no further tests are written: half as much again as the budget, or as was done so far,
    /// since a test that has been found is worth more than another path. Runs of all paths are written whole.
    pub(crate) fn limit_of_writing(&self) -> Duration {
        match self.options.exhaustive {
            true => Duration::MAX,
            false => self.options.budget.max(self.work()) + self.options.budget / 2,
        }
    }

    /// Charges the work of an exploration since `before` to the budget.
    pub(super) fn account(&mut self, before: Counters, now: Counters) {
        let solving = self.solver.work();
        let paths = now.paths - before.paths;
        let (fuel, operations) = (now.fuel - before.fuel, now.operations - before.operations);
        let running = work_of_paths(Counters { paths, fuel, operations, ..Counters::default() });
        self.work += running + paths * WORK_OF_PATH + solving - self.solver_work;
        self.solver_work = solving;
        self.statistics.paths += paths;
        self.statistics.infeasible += now.infeasible - before.infeasible;
        self.statistics.time_outs += now.time_outs - before.time_outs;
    }

    /// Charges the runs with concrete values that were made since the machine had spent this much.
    pub(super) fn charge_runs(&mut self, begun: u64) {
        self.work += (spent(self.machine) - begun) / FUEL_OF_MICROSECOND;
    }

    /// Charges one run with concrete values since the machine had spent this much, such as that of an initialiser.
    pub(super) fn charge_run(&mut self, begun: u64) {
        self.work += work_of_runs(spent(self.machine) - begun, 1, FUEL_OF_MICROSECOND);
    }

    /// Enters the next call of a plan; see [`PlanDriver::enter_next`]. Charges what its arguments take: they may
    /// initialise classes, and be many.
    pub(super) fn enter_next(
        &mut self,
        driver: &mut PlanDriver,
        inputs: &Inputs<'_>,
        bounds: &mut Vec<TermId>,
    ) -> Step<bool> {
        let (begun, known) = (spent(self.machine), self.machine.terms().len());
        let entered = driver.enter_next(self.machine, inputs, bounds);
        self.charge_run(begun);
        let made = self.machine.terms().len().saturating_sub(known) as u64;
        self.work += made.saturating_sub(TERMS_OF_PATH) / TERMS_OF_MICROSECOND;
        entered
    }

    /// Candidates to write down, by place and whether they fail, with the work that is expected if that is much: these
    /// come last, since one of them may take as long as all others.
    pub(crate) fn cheap_first(&mut self, chosen: Vec<(usize, bool)>) -> Vec<(usize, bool, Duration)> {
        let mut all = Vec::new();
        for (at, is_failing) in chosen {
            let begun = spent(self.machine);
            run_again(self.machine, &self.base, &self.candidates[at]);
            let fuel = spent(self.machine) - begun;
            self.charge_run(begun);
            let steps = self.candidates[at].plan.steps.len() as u64;
            let runs = if fuel < DEAR { 0 } else { RUNS_OF_WRITING + steps };
            all.push((at, is_failing, Duration::from_micros(fuel * runs / FUEL_OF_LONG_RUNS)));
        }
        let share = self.options.budget / DEAR_SHARE;
        all.sort_by_key(|(.., work)| if *work > share { *work } else { Duration::ZERO });
        all
    }

    /// Writes a candidate down and charges the work; see [`CaseWriter::write`].
    pub(crate) fn write(
        &mut self,
        writer: &mut CaseWriter<'_>,
        candidate: &Candidate,
        is_failing: bool,
    ) -> Option<Draft> {
        let begun = spent(self.machine);
        let draft = writer.write(self.machine, &mut self.influence, candidate, is_failing);
        self.work += WORK_OF_WRITING;
        self.charge_runs(begun);
        draft
    }
}
