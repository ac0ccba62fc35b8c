//! The positions of probes in the code of a method.

use crate::checks::CheckSite;
use std::collections::BTreeMap;

/// The positions of coverage probes, by bytecode offset.
#[derive(Clone, Debug, Default)]
pub struct ProbePlan {
    /// Probe that is hit when falling through to this offset, not when jumping to it.
    pub before: BTreeMap<u32, u32>,
    /// Probe at a return or throw.
    pub exit: BTreeMap<u32, u32>,
    /// Probe on the taken edge of the jump at this offset.
    pub jump: BTreeMap<u32, u32>,
    /// Probe on the edge from a switch to a target offset.
    pub switch: BTreeMap<(u32, u32), u32>,
    /// Requirements on the operands of the instruction at this offset.
    pub checks: BTreeMap<u32, CheckSite>,
}
