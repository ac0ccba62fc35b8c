//! Line and branch coverage as JaCoCo 0.8.6 counts them.
//!
//! JaCoCo does not record instructions but *probes*: bits that are set when control passes certain places. What lies
//! between two probes counts as executed only if the later one is reached, so that an exception thrown in the
//! middle of a block leaves the whole block uncovered. To give the same figures, the machine places its probes
//! where JaCoCo places them, and numbers them alike within a class.
//!
//! ```text
//! class file ─ Body ─ Labels ─┬─ ProbePlan ─ decoded code ─ hits, one bit a probe
//!                             └─ Graph ─ Filtered ──────────────┴─ CoverageMap ─ ClassCoverage, GoalSet
//! ```
//!
//! - `Body`: a method's instructions with labels, lines and exception table;
//! - `Labels`: which places are reached in more than one way;
//! - `place`: the probes, and the graph of instructions in which a probe vouches for those before it;
//! - `filter`: what the compiler generated and nobody wrote does not count;
//! - `requirements`: what may be asked for beside lines and branches, with probes of their own;
//! - [`CoverageMap`]: all of it for the classes under test, shared by machines and threads.
//!
//! A run's hits are [`Registers::coverage`](crate::Registers); those of several runs are joined by OR.

mod body;
mod counters;
mod filter;
mod goals;
mod labels;
mod map;
mod operands;
mod place;
mod requirements;
mod track;

pub use counters::{ClassCoverage, Counter, Counters, LineCoverage, MethodCoverage};
pub use goals::{BranchEdge, Gain, Goal, GoalId, GoalSet};
pub use map::{CountedInstruction, CoverageError, CoverageMap, CoveredClass, CoveredMethod};
pub use place::{Probe, ProbeKind};
pub use requirements::{Requirement, RequirementKind};

/// Adds the hits of one run to those of others.
pub fn merge(into: &mut Vec<u64>, hits: &[u64]) {
    if into.len() < hits.len() {
        into.resize(hits.len(), 0);
    }
    for (to, from) in into.iter_mut().zip(hits) {
        *to |= from;
    }
}

/// Adds a probe to the hits.
pub(crate) fn hit(hits: &mut Vec<u64>, probe: u32) {
    let (word, bit) = (probe as usize / 64, 1u64 << (probe % 64));
    if hits.len() <= word {
        hits.resize(word + 1, 0);
    }
    hits[word] |= bit;
}

/// Whether the probe is among the hits.
pub fn is_hit(hits: &[u64], probe: u32) -> bool {
    hits.get(probe as usize / 64).is_some_and(|word| word >> (probe % 64) & 1 != 0)
}
