//! The state from which tests start for mutants.
//!
//! A test runs on hundreds of mutants. If it initialises classes with tables, these runs take a hundred times as long
//! as without, and their ends are too large to compare. So such classes are initialised once before.

use super::Search;
use crate::case_writer::Draft;
use crate::companions::{Companions, concerns};
use crate::mutation::run_again;
use crate::statics::initialised;
use crate::versions::{Bases, Extent, Image};
use crate::work::FUEL_OF_LONG_RUNS;
use cupping_explore::spent;
use cupping_machine::{ClassId, Machine};
use std::rc::Rc;

/// The fuel of a test from which its initialisers matter.
pub(super) const SLOW: u64 = 3_000;
/// The part of the budget that initialising takes at most, as a divisor.
const PART: u64 = 40;

impl Search<'_> {
    /// Settles the classes that slow tests initialise, and takes the images of the tests again.
    pub(super) fn settle(&mut self, mut bases: Bases, drafts: &mut [Draft]) -> Bases {
        let begun = spent(self.machine);
        let mut companions = Companions::default();
        for draft in drafts.iter().filter(|it| it.fuel >= SLOW) {
            self.machine.restore(&bases.original);
            if run_again(self.machine, draft).is_some() {
                companions.note(self.machine, &bases.original);
            }
        }
        self.machine.restore(&bases.original);
        let before = initialised(self.machine);
        let (map, subject) = (self.map, self.subject.class);
        let is_family = |machine: &Machine, id: ClassId| concerns(machine, map, subject, id);
        let limit = self.options.budget.as_micros() as u64 / PART * FUEL_OF_LONG_RUNS;
        let (saved, _) = companions.adopt(self.machine, &is_family, limit);
        if saved >= SLOW {
            let is_new = |id: &ClassId| before.binary_search(id).is_err();
            bases.settled = Rc::new(initialised(self.machine).into_iter().filter(is_new).collect());
            bases.original = Rc::new(self.machine.snapshot());
        }
        self.charge_runs(begun);
        drafts.iter_mut().for_each(|draft| self.take_image(&bases, draft));
        self.machine.restore(&bases.original);
        bases
    }

    /// Takes the image of a test's end again if it may be another one, as classes have been settled.
    pub(super) fn take_image(&mut self, bases: &Bases, draft: &mut Draft) {
        if bases.settled.is_empty() || draft.is_failing {
            return;
        }
        let begun = spent(self.machine);
        self.machine.restore(&bases.original);
        let run = run_again(self.machine, draft);
        draft.image = run
            .and_then(|run| Image::of(self.machine, &run.driver, &run.ended, Extent::State, &bases.settled));
        self.charge_run(begun);
    }
}
