//! Measuring on a machine.

use crate::classes::MethodId;
use crate::machine::{Machine, MethodBody};
use cupping_coverage::{CoverageMap, CoveredClass, CoveredMethod};
use std::sync::Arc;

impl Machine {
    /// Says which classes are under test: what initialisers of others ask the system is not recorded.
    pub fn set_under_test(&mut self, map: &CoverageMap) {
        self.plans.set_under_test(map.classes().iter().map(|class| class.name.clone()).collect());
    }

    /// Places the probes of all classes of the map, and removes those of an earlier map: probes are numbered by
    /// map. What [`Machine::watch_contents`] was told remains: searches measure other classes for a while, and
    /// their runs record data flow, too. Methods that are running continue unchanged until they are called again.
    /// Hits are in [`Registers::coverage`](crate::Registers), and [`Machine::restore`] undoes them like everything
    /// else.
    pub fn track(&mut self, map: &CoverageMap) {
        self.track_where(map, |_, _| true);
    }

    /// As [`Machine::track`], with probes in these methods only: the others run as if they were not measured.
    pub fn track_where(
        &mut self,
        map: &CoverageMap,
        is_wanted: impl Fn(&CoveredClass, &CoveredMethod) -> bool,
    ) {
        let mut changed = self.plans.clear_probes();
        for class in map.classes() {
            changed.insert(class.name.clone());
            for method in class.methods.iter().filter(|it| is_wanted(class, it)) {
                self.plans.set_probes(&class.name, method.index, method.plan.clone());
            }
        }
        for class in changed {
            decode_again(self, &class);
        }
    }
}

/// Makes the methods of a class, if it is loaded, be decoded again when they are called.
pub(super) fn decode_again(machine: &mut Machine, class: &Arc<str>) {
    let Some(loaded) = machine.classes.names.get(class) else { return };
    for method in machine.class(loaded).methods.clone() {
        decode_method_again(machine, method);
    }
}

/// The same of one method.
pub(super) fn decode_method_again(machine: &mut Machine, method: MethodId) {
    machine.classes.take_original(method);
    let method = machine.classes.method_mut(method);
    if let MethodBody::Code(_) = method.body {
        method.body = MethodBody::Bytecode;
    }
}
