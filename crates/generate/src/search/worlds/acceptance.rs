//! What is known of the methods that refuse most texts; see [`super::consumers`].

use crate::plan::Plan;
use crate::provisions::Provision;
use cupping_machine::MethodId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A parameter of a method, by its index.
pub(super) type ParameterOf = (MethodId, usize);

/// What is known of consumers.
#[derive(Default)]
pub(super) struct Consumers {
    /// The arguments that a consumer accepts, once it has been explored.
    pub(super) accepted: BTreeMap<MethodId, Rc<Vec<Vec<Provision>>>>,
    /// For operations that take texts: the consumers with the same parameters at which they failed.
    pub(super) alike: BTreeMap<MethodId, MethodId>,
    /// How many refusals of a consumer have been looked at.
    pub(super) refusals: BTreeMap<MethodId, u32>,
    /// Plans whose last call failed within a consumer.
    pub(super) waiting: Vec<(Rc<Plan>, MethodId)>,
    /// The maker whose failing calls are noted, and the last plan in which it failed for no consumer; see
    /// [`super::refusals`].
    pub(super) maker: Option<MethodId>,
    pub(super) refused: Option<Rc<Plan>>,
    /// How often failures have been forgotten.
    pub(super) round: u64,
    /// The work of exploring consumers.
    pub(super) work: u64,
    /// Texts for parameters with which later calls get through.
    pub(super) suitable: FxHashMap<ParameterOf, Vec<Vec<u16>>>,
}

impl Consumers {
    /// Lets consumers be explored again that accepted nothing, from other initial values.
    pub(super) fn forget_failures(&mut self) {
        self.accepted.retain(|_, arguments| !arguments.is_empty());
        self.round += 1;
    }

    /// The texts that suit a parameter.
    pub(super) fn suitable(&self, parameter: ParameterOf) -> &[Vec<u16>] {
        self.suitable.get(&parameter).map_or(&[], Vec::as_slice)
    }
}
