//! The variants that have been found.

use crate::influence::FieldReference;
use crate::plan::{Plan, PlanStep};
use crate::provisions::Provision;
use cupping_machine::{ClassId, MethodId};
use std::collections::{BTreeMap, BTreeSet};

/// An object whose state differs from that of all earlier ones in a field that is read.
pub(in crate::search) struct Variant {
    /// The class that a parameter asks for.
    pub(super) class: ClassId,
    pub(super) provision: Provision,
    /// The calls that led to its state.
    pub(super) changers: Vec<MethodId>,
    /// Whether a sequence with it covered something new.
    pub(super) has_gained: bool,
    /// Whether variants of it have been sought.
    pub(super) is_varied: bool,
}

/// The variants of a search.
#[derive(Default)]
pub(in crate::search) struct Variants {
    pub(super) all: Vec<Variant>,
    /// The values of fields seen, by the class that parameters ask for.
    pub(super) seen: BTreeMap<ClassId, BTreeSet<(FieldReference, u64)>>,
    pub(super) rounds: u32,
}

impl Variants {
    /// Notes that a plan has covered something new.
    pub(in crate::search) fn note_gain(&mut self, plan: &Plan) {
        if self.all.iter().all(|it| it.has_gained) {
            return;
        }
        let methods = plan.methods();
        for variant in self.all.iter_mut().filter(|it| !it.has_gained) {
            variant.has_gained = match &variant.provision {
                Provision::Constant(class, field) => plan.steps.iter().any(
                    |step| matches!(step, PlanStep::StaticField { field: read, .. } if *read == (*class, *field)),
                ),
                _ => variant.changers.iter().all(|it| methods.contains(it)),
            };
        }
    }
}
