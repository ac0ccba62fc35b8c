//! What a workbench does before sequences, and what it charges for runs.

use crate::companions::concerns;
use crate::work::{FUEL_OF_LONG_RUNS, FUEL_OF_MICROSECOND, work_of_runs};
use crate::workbench::Workbench;
use cupping_machine::{ClassId, Machine};

/// The definitions that are looked through in a microsecond.
const DEFINITIONS_OF_MICROSECOND: u64 = 100;

impl Workbench<'_> {
    /// Lets sequences make objects of an abstract class by anonymous subclasses, one for each constructor. An invokable
    /// is known by its method; their parameters for what abstract methods return come after those of the constructor.
    pub fn use_anonymous_makers(&mut self) {
        for maker in std::mem::take(&mut self.anonymous) {
            if self.subject.makers.iter().all(|known| known.method != maker.method) {
                self.subject.makers.push(maker);
            }
        }
    }

    /// Initialises the classes that sequences have initialised in the state before all sequences; returns the work
    /// that this saves each sequence which uses them all, `None` if there are none. States that sequences have reached
    /// remain valid. It takes about this much work at most.
    pub fn adopt_companions(&mut self, work: u64) -> Option<u64> {
        let (subject, map) = (self.subject.class, &self.map);
        let is_family = |machine: &Machine, id: ClassId| concerns(machine, map, subject, id);
        let machine = self.session.machine();
        machine.restore(&self.base);
        let (saved, executed) = self.companions.adopt(machine, &is_family, work * FUEL_OF_LONG_RUNS);
        if saved > 0 {
            self.base = machine.snapshot();
        }
        self.charge(executed, 1);
        (saved > 0).then_some(saved / FUEL_OF_LONG_RUNS)
    }

    /// Adds the work to look through the records of definitions, once for each of so many objects.
    pub(crate) fn charge_definitions(&mut self, objects: u64) {
        let count = self.machine().registers().definitions.len() as u64;
        self.work += count * objects / DEFINITIONS_OF_MICROSECOND;
    }

    /// Adds work: instructions executed with concrete values, and runs.
    pub(crate) fn charge(&mut self, instructions: u64, runs: u64) {
        self.work += work_of_runs(instructions, runs, FUEL_OF_MICROSECOND) + runs * 30;
    }
}
