//! Objects that constants of the class hold. All tests share them, so no test may change one: others would depend on
//! their order. What a call may change is known of its code, and often too much: it might call a setter somewhere. So
//! a call is made, and the object's own fields are compared afterwards.

use crate::plan::{Plan, PlanStep};
use cupping_machine::{Addr, Machine};
use rustc_hash::FxHashMap;

/// The objects, with the words of their fields before all tests.
#[derive(Default)]
pub(super) struct SharedConstants(FxHashMap<Addr, Vec<u64>>);

impl SharedConstants {
    /// Remembers an object, in the state before all tests.
    pub(super) fn remember(&mut self, machine: &Machine, object: Addr) {
        self.0.entry(object).or_insert_with(|| own_fields(machine, object).map(|it| it.0).collect());
    }

    /// Whether a run of this plan, which has just ended, has changed one of the objects.
    pub(super) fn are_changed(&self, machine: &Machine, plan: &Plan) -> bool {
        // Only a plan that begins with a constant calls methods on its object.
        let begins = matches!(plan.steps.first(), Some(PlanStep::StaticField { .. }));
        begins && self.0.iter().any(|(object, before)| is_changed(machine, *object, before))
    }
}

/// Whether a field of an object has another value than before, or one that depends on inputs.
fn is_changed(machine: &Machine, object: Addr, before: &[u64]) -> bool {
    own_fields(machine, object).zip(before).any(|((now, is_input), was)| now != *was || is_input)
}

/// The words of the fields of an object that are not final, and whether each depends on inputs.
fn own_fields(machine: &Machine, object: Addr) -> impl Iterator<Item = (u64, bool)> + '_ {
    let class = Some(machine.class_of(object));
    let classes = std::iter::successors(class, |it| machine.class(*it).super_class);
    let fields = classes.flat_map(|class| machine.class(class).fields.iter());
    fields.filter(|it| !it.is_static() && !it.access.is_final()).map(move |it| {
        let at = u32::from(it.offset);
        (machine.field(object, at), machine.heap_shadow(u64::from(object + at) * 8) != 0)
    })
}
