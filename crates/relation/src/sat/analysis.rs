//! Conflict analysis: learns the clause of the first unique implication point and minimises it.

use super::clauses::{ClauseRef, moved_to};
use super::{Lit, Solver};

/// A learnt clause; its first literal is the asserting one.
pub(super) struct LearntClause {
    pub(super) literals: Vec<Lit>,
    /// The level at which it becomes unit.
    pub(super) level: usize,
    /// Number of distinct levels of its literals (its literal block distance).
    pub(super) levels: u32,
}

impl Solver {
    /// Analyses a falsified clause with a literal of the current level.
    pub(super) fn analyze(&mut self, conflict: ClauseRef) -> LearntClause {
        let current = self.levels.len() as u32;
        let mut literals = vec![Lit(0)];
        let mut open = 0;
        let mut clause = conflict;
        let mut at = self.trail.len();
        let mut pivot: Option<Lit> = None;
        let mut marked = Vec::new();
        let asserted = loop {
            for position in 0..self.clauses.literals(clause).len() {
                let literal = self.clauses.literals(clause)[position];
                let variable = literal.variable();
                if Some(literal) == pivot || self.seen[variable] || self.level[variable] == 0 {
                    continue;
                }
                self.seen[variable] = true;
                marked.push(variable);
                self.order.bump(variable as u32);
                if self.level[variable] == current {
                    open += 1;
                } else {
                    literals.push(literal);
                }
            }
            let next = loop {
                at -= 1;
                let literal = self.trail[at];
                if self.seen[literal.variable()] && self.level[literal.variable()] == current {
                    break literal;
                }
            };
            open -= 1;
            clause = self.reason[next.variable()];
            if open == 0 || clause == ClauseRef::NONE {
                break !next;
            }
            pivot = Some(next);
        };
        literals[0] = asserted;
        let kept: Vec<Lit> = literals
            .iter()
            .enumerate()
            .filter(|(at, it)| *at == 0 || !self.implied(**it))
            .map(|it| *it.1)
            .collect();
        let mut literals = kept;
        marked.into_iter().for_each(|it| self.seen[it] = false);
        let mut level = 0;
        if literals.len() > 1 {
            let deepest =
                (1..literals.len()).max_by_key(|at| self.level[literals[*at].variable()]).unwrap_or(1);
            literals.swap(1, deepest);
            level = self.level[literals[1].variable()] as usize;
        }
        let mut of: Vec<u32> = literals.iter().map(|it| self.level[it.variable()]).collect();
        of.sort_unstable();
        of.dedup();
        LearntClause { literals, level, levels: of.len() as u32 }
    }

    /// Whether other literals of the learnt clause imply this one.
    fn implied(&self, literal: Lit) -> bool {
        let reason = self.reason[literal.variable()];
        reason != ClauseRef::NONE
            && self.clauses.literals(reason).iter().all(|it| {
                it.variable() == literal.variable()
                    || self.seen[it.variable()]
                    || self.level[it.variable()] == 0
            })
    }

    /// Drops the worse half of the learnt clauses once there are many.
    pub(super) fn forget(&mut self) {
        if self.clauses.learnt.len() < self.learnt_limit {
            return;
        }
        self.learnt_limit += self.learnt_limit / 10;
        let mut worths: Vec<u32> = self.clauses.learnt.iter().map(|it| self.clauses.worth(*it)).collect();
        worths.sort_unstable();
        let most = worths[worths.len() / 2].max(2);
        let reasons: Vec<ClauseRef> = self.trail.iter().map(|it| self.reason[it.variable()]).collect();
        let mut locked: Vec<u32> =
            reasons.iter().filter(|it| **it != ClauseRef::NONE).map(|it| it.0).collect();
        locked.extend(self.units.iter().map(|it| it.0));
        locked.sort_unstable();
        let newest = self.clauses.learnt.len() * 3 / 4;
        let newest = self.clauses.learnt[newest].0;
        let worth: rustc_hash::FxHashMap<u32, u32> =
            self.clauses.learnt.iter().map(|it| (it.0, self.clauses.worth(*it))).collect();
        let moved = self.clauses.drop_learnt(|it| {
            worth.get(&it.0).is_some_and(|worth| *worth > most || (*worth == most && most > 2))
                && it.0 < newest
                && locked.binary_search(&it.0).is_err()
        });
        for watches in &mut self.watches {
            watches.retain_mut(|watch| match moved_to(&moved, watch.clause) {
                Some(to) => {
                    watch.clause = to;
                    true
                }
                None => false,
            });
        }
        for literal in &self.trail {
            let reason = &mut self.reason[literal.variable()];
            if *reason != ClauseRef::NONE {
                *reason = moved_to(&moved, *reason).unwrap_or(ClauseRef::NONE);
            }
        }
        for unit in &mut self.units {
            *unit = moved_to(&moved, *unit).unwrap_or(*unit);
        }
    }
}
