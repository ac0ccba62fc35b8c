//! Measuring on a machine.

use super::CoverageMap;
use crate::class::Body;
use crate::machine::Machine;

impl Machine {
    /// Places the probes of all classes of the map. Methods that run already go on without them until they are called
    /// again. Hits are in [`Registers::coverage`](crate::Registers), and are undone by
    /// [`Machine::restore`] like all else.
    pub fn track(&mut self, map: &CoverageMap) {
        for class in map.classes() {
            for method in &class.methods {
                self.probe_plans.insert((class.name.clone(), method.index), method.plan.clone());
            }
            let Some(loaded) = self.class_names.get(&class.name) else { continue };
            for method in self.classes[loaded.0 as usize].methods.clone() {
                let method = &mut self.methods[method.0 as usize];
                // Decoded without probes: decode it again.
                if let Body::Code(_) = method.body {
                    method.body = Body::Bytecode;
                }
            }
        }
    }
}
