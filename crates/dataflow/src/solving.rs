//! What the solver may do for one query of this crate.

use cupping_solve::Config;

/// The cost limit of one query that decides whether a branch can be taken: a rough answer suffices.
pub(crate) fn rough_config() -> Config {
    Config {
        search_steps_hard: 20_000,
        sat_conflicts: 200,
        sat_gates: 20_000,
        z3_resources: 20_000,
        ..solver_config()
    }
}

/// The cost limit of one query.
pub(crate) fn solver_config() -> Config {
    Config {
        sat_conflicts: 1_000,
        sat_gates: 30_000,
        z3_resources: 100_000,
        z3_bit_vectors: false,
        z3_time: std::time::Duration::from_secs(2),
        ..Config::default()
    }
}
