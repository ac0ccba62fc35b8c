//! Options of test mode.

use crate::suite::EarlierCode;
use cupping_contract::Method;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Options of test mode.
#[derive(Clone, Debug)]
pub struct WatchOptions {
    /// Depth to which objects are shown.
    pub depth: usize,
    /// Limit on the calls and backward jumps of one condition.
    pub fuel: u64,
    /// Number of examples kept for each outcome at a call site.
    pub examples: usize,
    /// Limit on the cost of conditions, as a multiple of the program's own cost; beyond it calls are skipped.
    /// `None` is no limit.
    pub overhead: Option<u32>,
    /// Limit on the cost of conditions in calls and backward jumps; beyond it calls are skipped. `None` is no limit.
    pub budget: Option<u64>,
    /// Names of changed classes: the report lists the triples that depend on them.
    pub changed: Vec<String>,
    /// The methods whose code differs from that with which the suites ran, if they ran with an earlier version.
    pub replaced: Option<BTreeSet<Method>>,
    /// What these methods did in the earlier version, if calls are to be compared with that.
    pub earlier: Option<Arc<EarlierCode>>,
}

impl Default for WatchOptions {
    fn default() -> WatchOptions {
        WatchOptions {
            depth: 3,
            fuel: 1_000_000,
            examples: 2,
            overhead: None,
            budget: None,
            changed: Vec::new(),
            replaced: None,
            earlier: None,
        }
    }
}
