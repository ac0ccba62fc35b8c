//! Mutants of what runs when the class under test is initialised.
//!
//! Tests start when that is done, so for these the class is initialised with the mutant first. Every test reaches them,
//! and few show what they do.

use super::{MutantSearch, Search, settled};
use crate::case_writer::{CaseWriter, Draft};
use crate::versions::Version;
use std::rc::Rc;

/// Limit on the tests that are judged by these mutants.
const MAX_INITIALISED: usize = 8;

impl Search<'_> {
    /// Judges tests by the mutants of the initialiser, and by open ones in other methods that it runs.
    pub(super) fn judge_initialisation(
        &mut self,
        aim: &mut MutantSearch,
        writer: &mut CaseWriter<'_>,
        drafts: &mut Vec<Draft>,
    ) {
        let given = drafts.len();
        for at in aim.targets.run_by(self.map, &self.initialised) {
            let version = &aim.targets.all[at].version;
            if version.initialises.is_none() && aim.targets.is_open(at) {
                let again = Version::new(version.method, version.body.clone(), Some(self.subject.class));
                aim.targets.all[at].version = Rc::new(again);
            }
        }
        for (reached, draft) in aim.by_drafts.iter_mut().zip(drafts.iter()) {
            *reached = aim.targets.reached(self.map, &draft.coverage.hits, &draft.candidate);
        }
        self.try_constants(aim, writer, drafts);
        for place in judged(&drafts[..given]) {
            let mut reached = aim.by_drafts[place].clone();
            reached.retain(|at| aim.targets.all[*at].version.initialises.is_some());
            self.judge(aim, &mut drafts[place], place, &reached);
        }
    }
}

/// The tests that are judged. Slow ones take their time for each mutant.
fn judged(drafts: &[Draft]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..drafts.len()).filter(|at| !drafts[*at].is_failing).collect();
    order.sort_by_key(|at| (drafts[*at].fuel >= settled::SLOW, *at));
    order.truncate(MAX_INITIALISED);
    order
}
