//! Deduction trees of all pairs in rounds: all pairs to one depth before any pair to a greater depth, because a
//! sequence for one pair may exercise others.
//!
//! Rounds can be interrupted and resumed. After the greatest depth, pairs whose trees were too large get larger ones.

use crate::deduce::{DeductionEnd, PairBudget, UNCONFIRMED};
use crate::run::AnalysisRun;
use crate::tree_rounds::FIRST_DEPTH;
use cupping_generate::Progress;
use cupping_term::VarIndex;

/// Number of cycles through all depths; in each, trees get larger.
const CYCLES: usize = 3;
/// The depth of trees from which on invariants are used.
const DEPTH_OF_INVARIANTS: usize = 3;
/// By how much.
const GROWTH: usize = 4;

impl AnalysisRun<'_, '_> {
    /// Deduces for open pairs with this much work; returns whether nothing is left to deduce.
    pub(crate) fn deduce(&mut self, work: u64, progress: &mut dyn FnMut(Progress) -> bool) -> bool {
        if self.rounds.limits.depth == 0 || self.rounds.cycle >= CYCLES {
            return true;
        }
        let statics = self.statics();
        let limit = self.spent() + work;
        loop {
            if !self.rounds_to_depth(limit, &statics, progress) {
                return false;
            }
            let rounds = &mut self.rounds;
            if rounds.depth < rounds.limits.depth.max(FIRST_DEPTH) {
                (rounds.depth, rounds.next) = (rounds.depth + 1, 0);
                if rounds.depth == DEPTH_OF_INVARIANTS {
                    self.find_invariants();
                }
                continue;
            }
            self.end_cycle();
            if self.rounds.cycle >= CYCLES {
                return true;
            }
        }
    }

    /// The rest of the round at this depth; returns whether all pairs had their turn.
    fn rounds_to_depth(
        &mut self,
        limit: u64,
        statics: &[(VarIndex, u64)],
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> bool {
        let (count, stop) = (self.analysis.pairs.len(), self.analysis.account.stop);
        let limits = self.rounds.limits;
        let mut tried = self.rounds.tried.take().unwrap_or_else(|| {
            let wanted = (0..count).filter(|pair| self.is_open(*pair) || self.needs_own(*pair));
            wanted.map(|pair| (pair, PairBudget::new(&limits))).collect()
        });
        let depth = self.rounds.depth;
        let mut is_done = true;
        for pair in self.rounds.next..count {
            self.rounds.next = pair;
            if !self.is_open(pair) && !self.needs_own(pair) {
                continue;
            }
            let Some(of_pair) = tried.get_mut(&pair) else { continue };
            if self.spent() > limit || stop.is_due() || !progress(self.progress()) {
                is_done = false;
                break;
            }
            let of_solver = limit - self.bench.work() - self.own_work;
            let ended = self.deduce_one(pair, depth, of_pair, of_solver, statics);
            if stop.is_due() {
                // The attempt at this pair says nothing.
                is_done = false;
                break;
            }
            if let Some(ended) = ended {
                self.end(pair, ended);
                tried.remove(&pair);
            }
        }
        self.rounds.tried = Some(tried);
        is_done
    }

    /// Gives up what is left after the greatest depth, and begins again with larger trees.
    fn end_cycle(&mut self) {
        for (pair, of_pair) in self.rounds.tried.take().unwrap_or_default() {
            let why = if of_pair.unconfirmed > 0 {
                UNCONFIRMED.to_owned()
            } else {
                format!("no sequence of up to {} calls", self.rounds.limits.depth)
            };
            self.end(pair, DeductionEnd::GivenUp(why));
        }
        let rounds = &mut self.rounds;
        rounds.limits.nodes *= GROWTH;
        rounds.limits.runs *= GROWTH;
        (rounds.cycle, rounds.depth, rounds.next) = (rounds.cycle + 1, FIRST_DEPTH, 0);
    }

    /// Says of the pairs that have not ended that the budget was spent.
    pub(crate) fn end_rounds(&mut self) {
        if self.rounds.cycle > 0 || self.rounds.limits.depth == 0 {
            return;
        }
        let why = match &self.rounds.tried {
            Some(_) => format!("the budget of the class was spent on trees of {} calls", self.rounds.depth),
            None => "the budget of the class was spent before deduction began".to_owned(),
        };
        let all = || (0..self.analysis.pairs.len()).collect();
        let left: Vec<usize> = self.rounds.tried.take().map_or_else(all, |it| it.into_keys().collect());
        for pair in left {
            self.end(pair, DeductionEnd::GivenUp(why.clone()));
        }
    }
}
