//! Classes beside the class under test, which its methods use: exceptions with tables of messages, enums, caches of the
//! JDK.
//!
//! Sequences start from the same state, so each would initialise them again. What their initialisers do becomes part of
//! the state before all sequences, unless it concerns the class under test.

use crate::statics::initialised;
use crate::workbench::Workbench;
use cupping_case::TEST_FOLDER;
use cupping_machine::{ClassId, InitState};
use std::collections::BTreeSet;

/// Fuel to initialise a class.
const FUEL: u64 = 20_000_000;

/// The classes that sequences have initialised.
#[derive(Default)]
pub(crate) struct Companions {
    /// By number: whether the class was met, or is initialised before all sequences.
    known: Vec<bool>,
    /// Those that may become part of the state before all sequences.
    open: Vec<ClassId>,
}

impl Workbench<'_> {
    /// Notes the classes that the current run has initialised.
    pub(crate) fn note_companions(&mut self) {
        let Companions { known, open } = &mut self.companions;
        let machine = self.session.machine();
        let is_first = known.is_empty();
        known.resize(machine.classes().len(), false);
        for class in machine.classes() {
            let is_known = &mut known[class.id.0 as usize];
            if !*is_known && machine.init_state(class.id) == InitState::Initialized {
                *is_known = true;
                open.push(class.id);
            }
        }
        if is_first {
            // Those of the state before all sequences.
            machine.restore(&self.base);
            let before: BTreeSet<ClassId> = initialised(machine).into_iter().collect();
            open.retain(|id| !before.contains(id));
        }
    }

    /// Initialises the classes that sequences have initialised in the state before all sequences; returns whether there
    /// were any. States that sequences have reached remain valid.
    pub fn adopt_companions(&mut self) -> bool {
        let open = std::mem::take(&mut self.companions.open);
        let open: Vec<ClassId> = open.into_iter().filter(|id| !self.is_family(*id)).collect();
        if open.is_empty() {
            return false;
        }
        self.reset();
        let mut is_changed = false;
        for class in open {
            is_changed |= self.adopt_companion(class);
        }
        if is_changed {
            self.base = self.session.machine().snapshot();
        }
        is_changed
    }

    /// Initialises a class in the current state. The state stays as it is if the initialiser fails, has an effect
    /// outside of the machine, depends on the clock or on chance, or concerns code that is initialised already.
    fn adopt_companion(&mut self, class: ClassId) -> bool {
        let machine = self.session.machine();
        if machine.init_state(class) == InitState::Initialized {
            return false;
        }
        let (before, known) = (machine.snapshot(), initialised(machine));
        let values = |machine: &cupping_machine::Machine| {
            let mut values = Vec::new();
            for id in known.iter().filter(|id| !machine.class(**id).from_jdk) {
                let fields = 0..machine.class(*id).fields.len();
                values.extend(fields.map(|at| machine.static_value(*id, at)));
            }
            values
        };
        let statics = values(machine);
        let reads = (machine.registers().volatile_reads, machine.registers().entropy_reads);
        machine.set_fuel(FUEL);
        let is_done = machine.initialize_class_now(class).is_ok();
        let used = FUEL - machine.fuel().min(FUEL);
        self.charge(used, 1);
        let machine = self.session.machine();
        let is_clean = is_done
            && machine.registers().entropy_reads == reads.1
            && machine.effects().escapes(TEST_FOLDER).is_empty()
            && values(machine) == statics;
        let new = initialised(machine);
        let concerns_family =
            new.into_iter().filter(|id| known.binary_search(id).is_err()).any(|id| self.is_family(id));
        let machine = self.session.machine();
        if !is_clean || concerns_family {
            machine.restore(&before);
            return false;
        }
        machine.set_volatile_reads(reads.0);
        true
    }

    /// Whether a class is the class under test, one above it, or one of the same outermost class.
    fn is_family(&mut self, id: ClassId) -> bool {
        let subject = self.subject().class;
        let machine = self.session.machine();
        let outermost = |name: &str| name.split('$').next().unwrap_or(name).to_owned();
        let name = machine.class(id).name.clone();
        outermost(&name) == outermost(&machine.class(subject).name)
            || machine.is_subtype(subject, id)
            || self.is_covered(&name)
    }
}
