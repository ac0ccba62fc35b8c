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
//! A run's hits are in the registers of the machine; those of several runs are joined by OR.

mod body;
mod checks;
mod condition;
mod counters;
mod filter;
mod goals;
mod hits;
mod labels;
mod map;
mod operands;
mod place;
mod plan;
mod requirements;

pub use checks::{Arithmetic, Check, CheckSite, Operands};
pub use condition::condition;
pub use counters::{ClassCoverage, Counter, Counters, LineCoverage, MethodCoverage};
pub use goals::{BranchEdge, Gain, Goal, GoalId, GoalSet};
pub use hits::{hit, is_hit, merge};
pub use map::{CountedInstruction, CoverageError, CoverageMap, CoveredClass, CoveredMethod};
pub use place::{Probe, ProbeKind};
pub use plan::ProbePlan;
pub use requirements::{Requirement, RequirementKind};
