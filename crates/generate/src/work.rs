//! The work of runs, in microseconds of a reference machine: the rates that searches and workbenches share.

use cupping_explore::Counters;
use cupping_term::OPERATIONS_OF_MICROSECOND;

/// What a machine spends on runs with concrete values in a microsecond.
pub(crate) const FUEL_OF_MICROSECOND: u64 = 8;
/// The same on paths.
const FUEL_OF_PATHS: u64 = 4;
/// The fuel of a run beyond which most of it is for loops and initialisers on concrete values, at full speed.
const LONG_RUN: u64 = 20_000;
/// What a machine spends on these in a microsecond.
pub(crate) const FUEL_OF_LONG_RUNS: u64 = 24;

/// The work of runs that took this much fuel together, each the same; `rate` is for the first part of each.
pub(crate) fn work_of_runs(fuel: u64, runs: u64, rate: u64) -> u64 {
    let first = fuel.min(runs * LONG_RUN);
    first / rate + (fuel - first) / FUEL_OF_LONG_RUNS
}

/// The work of running paths and of their operations on terms, without that of the solver.
pub(crate) fn work_of_paths(done: Counters) -> u64 {
    work_of_runs(done.fuel, done.paths.max(1), FUEL_OF_PATHS) + done.operations / OPERATIONS_OF_MICROSECOND
}

/// Adds what another exploration ran.
pub(crate) fn add_run(done: &mut Counters, more: Counters) {
    done.fuel += more.fuel;
    done.operations += more.operations;
    done.paths += more.paths;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_charged_at_full_speed() {
        let of = |fuel, paths| work_of_paths(Counters { fuel, paths, ..Counters::default() });
        assert_eq!(of(4_000, 1), 1_000);
        assert_eq!(of(2_420_000, 1), 5_000 + 100_000);
        assert_eq!(of(40_000, 2), 10_000);
    }
}
