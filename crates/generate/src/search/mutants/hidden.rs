//! Mutants that end in another state in a test, while nothing that the test could assert shows it.
//!
//! What chains of observers lead to is asked of such tests only, and asserted where it shows the difference. It has its
//! own part of the work: most differences of state are never shown.

use super::fewest::fewest;
use super::{MutantSearch, Search, WORK_OF_RUN};
use crate::case_writer::{CaseWriter, Draft};
use crate::mutation::{further_observations, shown_otherwise};
use cupping_explore::spent;
use std::collections::BTreeMap;

/// The part of the work for mutants, as a divisor.
const PART: u64 = 4;
/// Work that is always granted, in microseconds of a reference machine.
const LEAST: u64 = 50_000;
/// Limit on the work of the observations of one run, as [`spent`] counts it.
const MOST_OF_RUN: u64 = 2_000_000;
/// Mutants in a row that no observation of a test shows, after which its others are left alone.
const MAX_VAIN: usize = 6;
/// Tests in which a mutant is looked for in vain, multiplied by the effort.
const MAX_TESTS: usize = 4;

impl Search<'_> {
    /// Adds assertions to a test that show these mutants, as far as they are open; returns whether there are any.
    pub(super) fn show_hidden(
        &mut self,
        aim: &mut MutantSearch,
        writer: &mut CaseWriter<'_>,
        draft: &mut Draft,
        place: usize,
        mut hidden: Vec<usize>,
    ) -> bool {
        let most = MAX_TESTS * aim.effort;
        hidden.retain(|at| aim.targets.is_open(*at) && aim.showing.vain[*at] < most);
        let granted = LEAST + (self.work - aim.showing.begun) / PART;
        if hidden.is_empty() || aim.showing.work > granted || self.is_out_of_budget(aim) {
            return false;
        }
        let before = self.work;
        let shown = self.with_observations(aim, writer, draft, &hidden);
        aim.showing.work += self.work - before;
        for at in hidden {
            match shown.contains(&at) {
                true => aim.credit(at, place),
                false => aim.showing.vain[at] += 1,
            }
        }
        if !shown.is_empty() {
            aim.last_find = self.work;
        }
        !shown.is_empty()
    }

    /// Adds the fewest observations that show some of these mutants; returns the mutants.
    fn with_observations(
        &mut self,
        aim: &MutantSearch,
        writer: &mut CaseWriter<'_>,
        draft: &mut Draft,
        hidden: &[usize],
    ) -> Vec<usize> {
        let begun = spent(self.machine);
        let package = self.subject.package.clone();
        let (machine, influence) = (&mut *self.machine, &mut self.influence);
        let asked =
            further_observations(machine, influence, &aim.bases.original, draft, &package, MOST_OF_RUN);
        self.work += WORK_OF_RUN;
        self.charge_runs(begun);
        let Some((run, asked)) = asked.filter(|(_, asked)| !asked.is_empty()) else { return Vec::new() };
        let end = self.machine.snapshot();
        let mut shown: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut vain = 0;
        for at in hidden {
            if vain == MAX_VAIN || self.is_out_of_budget(aim) {
                break;
            }
            let version = aim.targets.all[*at].version.clone();
            let begun = spent(self.machine);
            let (machine, influence) = (&mut *self.machine, &mut self.influence);
            let differing =
                shown_otherwise(machine, influence, &aim.bases, draft, &version, &package, &asked);
            self.work += WORK_OF_RUN;
            self.charge_runs(begun);
            match differing.is_empty() {
                true => vain += 1,
                false => {
                    vain = 0;
                    shown.insert(*at, differing);
                }
            }
        }
        if shown.is_empty() {
            return Vec::new();
        }
        let chosen = fewest(shown.clone());
        self.machine.restore(&end);
        let begun = spent(self.machine);
        let (machine, influence) = (&mut *self.machine, &mut self.influence);
        let chosen = writer.amend(machine, influence, draft, &run, &asked, chosen);
        self.work += WORK_OF_RUN;
        self.charge_runs(begun);
        shown.retain(|_, all| all.iter().any(|it| chosen.contains(it)));
        shown.into_keys().collect()
    }
}
