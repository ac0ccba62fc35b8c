//! Classes beside the class under test, which its methods use: exceptions with tables of messages, enums, caches of the
//! JDK.
//!
//! Sequences start from the same state, so each would initialise them again. What their initialisers do becomes part of
//! the state before all sequences, unless it concerns the class under test.

use crate::statics::initialised;
use cupping_case::TEST_FOLDER;
use cupping_coverage::CoverageMap;
use cupping_machine::{ClassId, InitState, Machine, Snapshot, Value};
use std::collections::BTreeSet;

/// Fuel to initialise a class.
const FUEL: u64 = 20_000_000;
/// The least that a class gets.
const LEAST_FUEL: u64 = 100_000;

/// The classes that sequences have initialised.
#[derive(Default)]
pub(crate) struct Companions {
    /// By number: whether the class was met, or is initialised before all sequences.
    known: Vec<bool>,
    /// Those that may become part of the state before all sequences.
    open: Vec<ClassId>,
}

impl Companions {
    /// Notes the classes that the current run has initialised. `base` is the state before all sequences. The first
    /// time, the machine is left in that state.
    pub fn note(&mut self, machine: &mut Machine, base: &Snapshot) {
        let is_first = self.known.is_empty();
        self.known.resize(machine.classes().len(), false);
        for class in machine.classes() {
            let is_known = &mut self.known[class.id.0 as usize];
            if !*is_known && machine.init_state(class.id) == InitState::Initialized {
                *is_known = true;
                self.open.push(class.id);
            }
        }
        if is_first {
            machine.restore(base);
            let before: BTreeSet<ClassId> = initialised(machine).into_iter().collect();
            self.open.retain(|id| !before.contains(id));
        }
    }

    /// Initialises the noted classes in the current state of the machine. `is_family` says which classes concern the
    /// class under test. Classes that are left after about `limit` instructions stay as they are: each that cannot be
    /// initialised may initialise all others first. Returns the instructions executed for those that were
    /// initialised, and for all.
    pub fn adopt(
        &mut self,
        machine: &mut Machine,
        is_family: &dyn Fn(&Machine, ClassId) -> bool,
        limit: u64,
    ) -> (u64, u64) {
        let (mut saved, mut executed) = (0, 0);
        for class in std::mem::take(&mut self.open) {
            if executed >= limit {
                break;
            }
            if is_family(machine, class) || machine.init_state(class) == InitState::Initialized {
                continue;
            }
            let before = machine.snapshot();
            let fuel = (limit - executed).clamp(LEAST_FUEL, FUEL);
            machine.set_fuel(fuel);
            let is_clean = initialise(machine, class, is_family);
            let of_class = fuel - machine.fuel().min(fuel);
            executed += of_class;
            if is_clean {
                saved += of_class.max(1);
            } else {
                machine.restore(&before);
            }
        }
        (saved, executed)
    }
}

/// Whether a class concerns the class under test: it, those above it, those of the same outermost class, and those that
/// count with it.
pub(crate) fn concerns(machine: &Machine, map: &CoverageMap, subject: ClassId, id: ClassId) -> bool {
    let outermost = |id: ClassId| {
        let name = &machine.class(id).name;
        name.split('$').next().unwrap_or(name)
    };
    outermost(id) == outermost(subject)
        || machine.is_subtype(subject, id)
        || map.classes().iter().any(|class| *class.name == *machine.class(id).name)
}

/// Initialises a class. Returns false if the initialiser fails, has an effect outside of the machine, depends on the
/// clock or on chance, initialises a class that concerns the class under test, or stores to static fields of other code
/// that is initialised already. What it changes in objects of such code is not seen.
pub(crate) fn initialise(
    machine: &mut Machine,
    class: ClassId,
    is_family: &dyn Fn(&Machine, ClassId) -> bool,
) -> bool {
    let known = initialised(machine);
    let statics = statics(machine, &known);
    let reads = (machine.registers().volatile_reads, machine.registers().entropy_reads);
    let is_clean = machine.initialize_class_now(class).is_ok()
        && machine.registers().entropy_reads == reads.1
        && machine.effects().escapes_so_far(TEST_FOLDER).is_empty()
        && self::statics(machine, &known) == statics;
    let mut new = initialised(machine).into_iter().filter(|id| known.binary_search(id).is_err());
    if !is_clean || new.any(|id| is_family(machine, id)) {
        return false;
    }
    machine.set_volatile_reads(reads.0);
    true
}

/// The static fields of classes, except for the JDK's.
fn statics(machine: &Machine, classes: &[ClassId]) -> Vec<Option<Value>> {
    let own = classes.iter().filter(|id| !machine.class(**id).from_jdk);
    let of = |id: &ClassId| {
        let id = *id;
        (0..machine.class(id).fields.len()).map(move |at| machine.static_value(id, at))
    };
    own.flat_map(of).collect()
}
