//! The variants that have been found.

use crate::influence::FieldReference;
use crate::plan::{Plan, PlanStep};
use crate::provisions::Provision;
use cupping_machine::{ClassId, MethodId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The values of an object's fields: any free value is the same, and the content of an object is its shape.
pub(super) type Image = BTreeSet<(FieldReference, u64)>;

/// An object that a provision has made.
pub(in crate::search) struct VariedObject {
    pub(super) provision: Provision,
    /// Its own class.
    pub(super) class: ClassId,
    pub(super) image: Image,
    /// The calls that led to its state from that of a first object.
    pub(super) changers: Vec<MethodId>,
}

/// An object whose state differs from that of all earlier ones in a field that is read.
pub(in crate::search) struct Variant {
    /// The class that a parameter asks for.
    pub(super) class: ClassId,
    pub(super) object: Rc<VariedObject>,
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
    pub(super) seen: BTreeMap<ClassId, Image>,
    /// The rounds that have begun.
    pub(super) rounds: u32,
}

impl Variants {
    /// Keeps an object if a field that is read has a value that no object had before.
    pub(super) fn admit(&mut self, class: ClassId, object: VariedObject, read: &BTreeSet<FieldReference>) {
        let seen = self.seen.entry(class).or_default();
        let is_new = object.image.iter().any(|it| read.contains(&it.0) && !seen.contains(it));
        seen.extend(&object.image);
        if is_new {
            let object = Rc::new(object);
            self.all.push(Variant { class, object, has_gained: false, is_varied: false });
        }
    }

    /// Notes that a plan has covered something new.
    pub(in crate::search) fn note_gain(&mut self, plan: &Plan) {
        if self.all.iter().all(|it| it.has_gained) {
            return;
        }
        let methods = plan.methods();
        for variant in self.all.iter_mut().filter(|it| !it.has_gained) {
            variant.has_gained = match &variant.object.provision {
                Provision::Constant(class, field) => plan.steps.iter().any(
                    |step| matches!(step, PlanStep::StaticField { field: read, .. } if *read == (*class, *field)),
                ),
                _ => variant.object.changers.iter().all(|it| methods.contains(it)),
            };
        }
    }
}
