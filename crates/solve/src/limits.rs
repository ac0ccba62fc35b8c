//! Limits of the chain. All except the wall-clock backstop count work, so a query gets the same answer on every
//! machine.

use std::time::Duration;

/// Limits of the layers for one query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolverLimits {
    /// Nodes that local search may evaluate for goals over bit-vectors, about 20 ns each.
    pub search_steps_bits: u64,
    /// Nodes that local search may evaluate for goals that are slow to solve exactly: floats and products.
    pub search_steps_hard: u64,
    /// Conflicts of the SAT solver before the query goes on to Z3.
    pub sat_conflicts: u64,
    /// Gates of bit-blasting before the query goes on to Z3.
    pub sat_gates: usize,
    /// Z3's resource units (`rlimit`), about 10^6 a second.
    pub z3_resources: u32,
    /// Whether goals without floats on which the SAT layer gave up go to Z3. Z3 rarely does better on them
    /// within a small budget, and its translation does not count resources.
    pub z3_bit_vectors: bool,
    /// Wall-clock backstop for Z3, far above what the resource limit allows.
    pub z3_time: Duration,
    /// Evaluations for making a model more readable.
    pub shrink_evaluations: u32,
}

impl SolverLimits {
    /// The budgets for a first try, after which a hard query waits for easier ones.
    #[must_use]
    pub fn quick(&self) -> SolverLimits {
        SolverLimits {
            search_steps_hard: self.search_steps_hard / 3,
            sat_conflicts: self.sat_conflicts / 8,
            z3_resources: self.z3_resources / 10,
            ..self.clone()
        }
    }
}

impl Default for SolverLimits {
    fn default() -> SolverLimits {
        SolverLimits {
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
