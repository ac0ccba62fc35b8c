//! Limits and costs of test mode.

/// Limit on the branches of a method that are distinguished by path: the bits of a set.
pub(crate) const MOST_BRANCHES: usize = 128;
/// The first calls of a method on which predicates are always checked, and the sampling interval for the
/// rest. A predicate may read any amount of state.
pub(super) const FIRST_CALLS: u64 = 500;
pub(super) const SAMPLE_INTERVAL: u64 = 64;
/// Costs in fuel: to observe a call, to consider a triple, to read a condition, to evaluate one on a fork,
/// and to draw objects.
pub(super) const OF_A_CALL: u64 = 8;
pub(super) const OF_A_BRANCH: u64 = 1;
pub(super) const OF_A_READING: u64 = 3;
pub(super) const OF_A_CONDITION: u64 = 24;
pub(super) const OF_A_PICTURE: u64 = 200;
/// Cost of conditions up to which the overhead is not computed.
pub(super) const ALLOWED: u64 = 40_000_000;
/// Limit on the stack frames kept.
pub(super) const MOST_FRAMES: usize = 12;
