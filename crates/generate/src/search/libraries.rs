//! State that libraries initialise once becomes part of the state before all sequences.
//!
//! The first `Calendar` of a program reads time zones and the texts of its language, which takes 860,000 steps, and
//! a generated lexer unpacks tables of 65,536 characters. Each path starts from the same state, so each path would
//! repeat them. Initialised classes of libraries and caches say nothing about the code under test: other tests of
//! the same JVM may have filled them before.

use super::Search;
use crate::companions::{concerns, initialise};
use crate::library_caches::caches_of;
use crate::statics::initialised;
use cupping_case::TEST_FOLDER;
use cupping_explore::spent;
use cupping_machine::{ClassId, Machine, Snapshot, Step};

/// Fuel to initialise a class, or to fill a cache.
const FUEL: u64 = 20_000_000;

/// Work, as [`spent`] counts it, from which an initialiser of the class path is slow. Faster ones run where sequences
/// reach them, so that tests depend on little that happens before them.
const SLOW: u64 = 50_000;

/// The same for the classes under test. Mutants of an initialiser that runs before all tests are not judged.
const SLOW_UNDER_TEST: u64 = 200_000;

/// The classes that have been considered for the state before all sequences.
#[derive(Default)]
pub(super) struct Libraries {
    /// Those that were tried, by number.
    tried: Vec<bool>,
    /// Classes that a run initialised and that have not been tried, in the order of their numbers.
    open: Vec<ClassId>,
}

impl Search<'_> {
    /// Notes the classes that the current run has initialised.
    pub(super) fn note_libraries(&mut self) {
        if self.options.exhaustive {
            return;
        }
        for class in initialised(self.machine) {
            let at = class.0 as usize;
            if self.libraries.tried.len() <= at {
                self.libraries.tried.resize(at + 1, false);
            }
            if !std::mem::replace(&mut self.libraries.tried[at], true) {
                self.libraries.open.push(class);
            }
        }
    }

    /// Whether runs have initialised classes that have not been considered yet.
    pub(super) fn has_open_libraries(&self) -> bool {
        !self.libraries.open.is_empty()
    }

    /// Initialises the classes of the JDK that runs have initialised in the state before all sequences, and fills their
    /// caches; of the other classes, those that take long.
    pub(super) fn adopt_libraries(&mut self) {
        let open = std::mem::take(&mut self.libraries.open);
        if open.is_empty() {
            return;
        }
        self.machine.restore(&self.base);
        let before = initialised(self.machine);
        let mut is_changed = false;
        for class in open {
            if self.is_over() {
                break;
            }
            let known = self.machine.class(class);
            let is_under_test = self.map.classes().iter().any(|it| *it.name == *known.name);
            if is_under_test && known.from_jdk {
                continue;
            }
            let is_new = before.binary_search(&class).is_err();
            if is_new && !is_under_test && self.is_enum(class) && self.adopt_enum(class) {
                is_changed = true;
                continue;
            }
            is_changed |= is_new && self.adopt_initialiser(class, is_under_test);
            let name = self.machine.class(class).name.clone();
            for cache in caches_of(&name) {
                is_changed |= self.adopt(Chance::Forgotten, |machine| cache.fill(machine, class));
            }
        }
        if is_changed {
            self.base = self.machine.snapshot();
        }
    }

    fn is_enum(&self, class: ClassId) -> bool {
        let known = self.machine.class(class);
        let of = |class: ClassId| &*self.machine.class(class).name == "java/lang/Enum";
        !known.from_jdk && known.super_class.is_some_and(of)
    }

    /// Initialises an enum in the state before all sequences: its constants are the same whoever asks for them first.
    /// Each path would make all of them again, and the words of a language are often an enum.
    fn adopt_enum(&mut self, class: ClassId) -> bool {
        let (subject, map) = (self.subject.class, self.map);
        let before = self.machine.snapshot();
        self.machine.set_fuel(FUEL);
        let begun = spent(self.machine);
        let is_clean = initialise(self.machine, class, &|machine, id| concerns(machine, map, subject, id));
        self.charge_run(begun);
        if !is_clean {
            self.machine.restore(&before);
        }
        is_clean
    }

    /// Initialises a class in the state before all sequences; if it is not the JDK's, only if that takes long.
    fn adopt_initialiser(&mut self, class: ClassId, is_under_test: bool) -> bool {
        let (least, chance) = match (self.machine.class(class).from_jdk, is_under_test) {
            (true, _) => (0, Chance::Refused),
            (false, true) => (SLOW_UNDER_TEST, Chance::Refused),
            (false, false) => (SLOW, Chance::Stays),
        };
        let before = (least > 0).then(|| self.machine.snapshot());
        let begun = spent(self.machine);
        let is_adopted = self.adopt(chance, |machine| machine.initialize_class_now(class));
        if let Some(before) = before.filter(|_| spent(self.machine) - begun < least) {
            self.machine.restore(&before);
            return false;
        }
        if is_adopted && is_under_test {
            // All tests cover what it runs.
            self.is_warm = true;
            let hits = self.machine.registers().coverage.as_ref().clone();
            self.cover(&hits);
        }
        is_adopted
    }

    /// Runs a step on the state before all sequences. The state stays as it is if the step fails, has an effect
    /// outside of the machine, or depends on the clock or on chance where that is refused.
    fn adopt(&mut self, chance: Chance, change: impl FnOnce(&mut Machine) -> Step<()>) -> bool {
        let before: Snapshot = self.machine.snapshot();
        let (volatile, entropy) =
            (self.machine.registers().volatile_reads, self.machine.registers().entropy_reads);
        self.machine.set_fuel(FUEL);
        let begun = spent(self.machine);
        let is_done = change(self.machine).is_ok();
        self.charge_run(begun);
        let is_sure = self.machine.registers().entropy_reads == entropy;
        let is_refused = !is_sure && chance == Chance::Refused;
        if !is_done || is_refused || !self.machine.effects().escapes_so_far(TEST_FOLDER).is_empty() {
            self.machine.restore(&before);
            return false;
        }
        if is_sure || chance == Chance::Forgotten {
            self.machine.set_volatile_reads(volatile);
        }
        true
    }
}

/// What becomes of a step that reads the clock or random numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chance {
    /// It is not adopted.
    Refused,
    /// It is adopted, and every test is one that may differ from run to run, as each that runs the step is anyway.
    Stays,
    /// It is adopted: a cache may read the clock while it is filled, but does not depend on it.
    Forgotten,
}
