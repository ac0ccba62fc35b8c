//! The coverage of a single case, as input to the results of criteria and of suites.

use crate::exceptions::MapPlace;
use cupping_case::NoticedMutant;
use cupping_explore::{Signature, TreeNode};
use cupping_machine::MethodId;

/// The coverage of a case.
#[derive(Debug)]
pub(crate) struct CaseCoverage {
    /// Probes hit, including those of its assertions.
    pub hits: Vec<u64>,
    /// The method of its last invocation, and the path through it.
    pub path: Option<(MethodId, Signature)>,
    /// The leaf of its last invocation in the tree of its method, if it made any decision.
    pub leaf: Option<TreeNode>,
    /// The exception thrown, and where it was created.
    pub thrown: Option<(String, Option<MapPlace>)>,
    /// The mutants that it is credited with.
    pub noticed: Vec<NoticedMutant>,
}
