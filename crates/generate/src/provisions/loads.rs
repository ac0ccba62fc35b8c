//! Fields of the object under test as arguments.

use super::{Provider, Provision};
use cupping_machine::{ClassId, Kind, Machine};

/// Limit on the fields passed for one parameter.
const MAX_LOADS: usize = 2;

impl Provider {
    /// Fields of an object that a test can read and whose value has a certain class (store-load pairs, thesis
    /// §4.3.1).
    pub(super) fn loads(&self, machine: &mut Machine, receiver: ClassId, wanted: ClassId) -> Vec<Provision> {
        let mut found = Vec::new();
        let mut at = Some(receiver);
        // Objects and strings would fit nearly everywhere.
        let is_told = !matches!(&*machine.class(wanted).name, "java/lang/Object" | "java/lang/String");
        while let Some(id) = at.filter(|id| is_told && !machine.class(*id).from_jdk) {
            let class = machine.class(id);
            at = class.super_class;
            let same = class.package() == self.package;
            for (index, field) in class.fields.clone().iter().enumerate() {
                let is_visible = field.access.is_public() || same && !field.access.is_private();
                let is_plain = !field.is_static() && !field.access.is_synthetic();
                if field.kind != Kind::Reference || !is_visible || !is_plain {
                    continue;
                }
                let ty = machine.load_descriptor(&field.descriptor);
                if ty.is_ok_and(|ty| machine.is_subtype(ty, wanted)) {
                    found.push(Provision::Load(id, index));
                }
            }
        }
        found.truncate(MAX_LOADS);
        found
    }
}
