//! Budgets of the chain. All but the wall-clock backstop count work, so the same query gets the same answer.

use std::time::Duration;

/// What the layers may spend on one query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Nodes that the search layer may evaluate where only bits are asked about, some 20 ns each.
    pub search_steps_bits: u64,
    /// Nodes that the search layer may evaluate where the solvers behind it are slow: floats, products.
    pub search_steps_hard: u64,
    /// Conflicts that the SAT solver may meet before the query goes on to Z3.
    pub sat_conflicts: u64,
    /// Gates that bit-blasting may make before the query goes on to Z3.
    pub sat_gates: usize,
    /// Z3's resource units (`rlimit`), about 10^6 a second.
    pub z3_resources: u32,
    /// Whether goals without floats that the SAT layer gave up on go to Z3, which seldom does better on them
    /// under a small budget and counts no resources while it translates them.
    pub z3_bit_vectors: bool,
    /// A backstop for Z3, far above what the resources allow.
    pub z3_time: Duration,
    /// Evaluations that making a model smaller may take.
    pub shrink_evaluations: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            search_steps_bits: 8_000,
            search_steps_hard: 150_000,
            sat_conflicts: 20_000,
            sat_gates: 60_000,
            z3_resources: 1_000_000,
            z3_bit_vectors: true,
            z3_time: Duration::from_secs(10),
            shrink_evaluations: 300,
        }
    }
}
