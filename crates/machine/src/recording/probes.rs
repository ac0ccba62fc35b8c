//! Measuring on a machine.

use crate::classes::MethodId;
use crate::machine::{Body, Machine};
use cupping_coverage::{CoverageMap, CoveredClass, CoveredMethod};
use std::sync::Arc;

impl Machine {
    /// Places the probes of all classes of the map, and takes away those of a map before: probes are numbered
    /// by map. What [`Machine::watch_contents`] was told of classes before is forgotten too. Methods that run
    /// already go on as they are until they are called again. Hits are in
    /// [`Registers::coverage`](crate::Registers), and are undone by [`Machine::restore`] like all else.
    pub fn track(&mut self, map: &CoverageMap) {
        self.track_where(map, |_, _| true);
    }

    /// The same, with probes in these methods only: the others run as if they were not measured.
    pub fn track_where(
        &mut self,
        map: &CoverageMap,
        is_wanted: impl Fn(&CoveredClass, &CoveredMethod) -> bool,
    ) {
        let mut changed = self.plans.clear();
        for class in map.classes() {
            changed.insert(class.name.clone());
            for method in class.methods.iter().filter(|it| is_wanted(class, it)) {
                self.plans.set_probes(&class.name, method.index, method.plan.clone());
            }
        }
        for class in changed {
            self.decode_again(&class);
        }
    }

    /// Lets the methods of a class, if it is loaded, be decoded again when they are called.
    pub(crate) fn decode_again(&mut self, class: &Arc<str>) {
        let Some(loaded) = self.classes.names.get(class) else { return };
        for method in self.class(loaded).methods.clone() {
            self.decode_method_again(method);
        }
    }

    /// The same of one method.
    pub(crate) fn decode_method_again(&mut self, method: MethodId) {
        self.classes.take_original(method);
        let method = self.classes.method_mut(method);
        if let Body::Code(_) = method.body {
            method.body = Body::Bytecode;
        }
    }
}
