//! Limits of the solver for one query of this crate.

use cupping_solve::SolverLimits;
use std::time::Duration;

/// The cost limit of one query that decides whether a branch can be taken: a rough answer suffices.
pub(crate) fn rough_config(budget: Duration) -> SolverLimits {
    SolverLimits {
        search_steps_hard: 20_000,
        sat_conflicts: 200,
        sat_gates: 20_000,
        z3_resources: 20_000,
        ..solver_config(budget)
    }
}

/// The cost limit of one query for a class with this budget: at most a tenth of it.
pub(crate) fn solver_config(budget: Duration) -> SolverLimits {
    SolverLimits {
        sat_conflicts: 1_000,
        sat_gates: 30_000,
        z3_resources: 100_000,
        z3_bit_vectors: false,
        z3_time: Duration::from_secs(2).min(budget / 10),
        ..SolverLimits::default()
    }
}
