//! Candidates: completed paths that may become tests.

use crate::corpus::Recalled;
use crate::driver::PlanDriver;
use crate::exceptions::Thrown;
use crate::plan::{Plan, PlanStep};
use cupping_explore::{Ended, Path, Signature, TreeNode};
use cupping_machine::{DefUse, MethodId};
use cupping_term::Model;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A path that may become a test.
#[derive(Clone)]
pub struct Candidate {
    /// The sequence.
    pub plan: Rc<Plan>,
    /// The execution at its end, with the symbols of its inputs.
    pub driver: PlanDriver,
    /// The path condition.
    pub path: Path,
    /// The inputs.
    pub model: Model,
    /// Probes hit.
    pub hits: Rc<Vec<u64>>,
    /// Definition-use pairs exercised.
    pub pairs: Rc<BTreeSet<DefUse>>,
    /// How it ended.
    pub ended: Ended,
    /// If it ended with an exception: its class, and where it was thrown.
    pub thrown: Option<Thrown>,
    /// Whether the invocation under test defines nothing, so that other tests can call it in assertions.
    pub is_pure: bool,
    /// The leaf in the tree of the method under test, if any decision was made.
    pub leaf: Option<TreeNode>,
    /// The signature of the control-flow path through its last invocation.
    pub control: Signature,
    /// The test of an earlier run that it repeats.
    pub remembered: Option<Rc<Recalled>>,
    /// Whether it is written with the inputs and calls that it has, as one that shall notice a mutant.
    pub keeps_inputs: bool,
}

impl Candidate {
    /// The method under test with the path through it.
    pub fn path_taken(&self) -> (MethodId, Signature) {
        (self.plan.under_test().map_or(MethodId(u32::MAX), |invokable| invokable.method), self.control)
    }
}

impl Candidate {
    /// Whether the test itself sets fields.
    pub fn sets_fields(&self) -> bool {
        self.plan.steps.iter().any(|step| matches!(step, PlanStep::SetField { .. }))
    }
}
