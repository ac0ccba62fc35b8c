//! Enumerates models one after the other.

use super::clauses::ClauseRef;
use super::{Level, Lit, Solver, UNASSIGNED};

/// The caller's judgement of a candidate model.
pub(crate) enum SatVerdict {
    /// It is a model.
    Accept,
    /// It is rejected; this clause, which it falsifies, may be added.
    Reject(Vec<Lit>),
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchResult {
    /// A model; the next call continues after it.
    Model,
    /// There are no more models.
    Exhausted,
    /// The conflict limit is reached; the next call continues.
    Budget,
}

/// Conflicts between restarts, multiplied by the Luby sequence.
const RESTART: u64 = 100;

impl Solver {
    /// Searches for the next model. `judge` sees each candidate, with all inputs assigned.
    pub(crate) fn next_model(
        &mut self,
        budget: u64,
        mut judge: impl FnMut(&Solver) -> SatVerdict,
    ) -> SearchResult {
        if self.broken {
            return SearchResult::Exhausted;
        }
        let mut conflict = None;
        if self.started {
            match self.flip() {
                Some(next) => conflict = next,
                None => return self.exhausted(),
            }
        }
        self.started = false;
        let end = self.conflicts.saturating_add(budget);
        let mut restart = self.conflicts + RESTART * luby(self.conflicts / RESTART);
        loop {
            if conflict.is_none() {
                conflict = self.propagate();
            }
            if let Some(clause) = conflict.take() {
                match self.resolve(clause) {
                    Some(next) => conflict = next,
                    None => return self.exhausted(),
                }
                if conflict.is_none() {
                    if self.conflicts >= end {
                        return SearchResult::Budget;
                    }
                    if self.conflicts >= restart && self.levels.len() > self.limit {
                        restart = self.conflicts + RESTART * luby(self.conflicts / RESTART);
                        self.back_to(self.limit);
                    }
                    self.forget();
                }
                continue;
            }
            if let Some(literal) = self.decision() {
                self.decide(literal, false);
                continue;
            }
            match judge(self) {
                SatVerdict::Accept => {
                    self.started = true;
                    return SearchResult::Model;
                }
                SatVerdict::Reject(literals) => match self.reject(&literals) {
                    Some(next) => conflict = next,
                    None => return self.exhausted(),
                },
            }
        }
    }

    fn exhausted(&mut self) -> SearchResult {
        self.broken = true;
        SearchResult::Exhausted
    }

    fn decision(&mut self) -> Option<Lit> {
        while let Some(variable) = self.order.pop() {
            if self.values[(variable << 1) as usize] == UNASSIGNED {
                return Some(Lit::new(variable, !self.phase[variable as usize]));
            }
        }
        None
    }

    fn decide(&mut self, literal: Lit, flipped: bool) {
        self.levels.push(Level { start: self.trail.len(), flipped });
        self.assign(literal, ClauseRef::NONE);
    }

    /// Flips the last decision that has had only one value. Returns `None` if there is none, else a conflict
    /// if flipping causes one.
    fn flip(&mut self) -> Option<Option<ClauseRef>> {
        let last = self.levels.iter().rposition(|it| !it.flipped)?;
        let literal = self.trail[self.levels[last].start];
        self.back_to(last);
        self.decide(!literal, true);
        self.limit = last + 1;
        Some(self.assert_units())
    }

    /// Asserts the unit clauses again.
    fn assert_units(&mut self) -> Option<ClauseRef> {
        for at in 0..self.units.len() {
            let unit = self.units[at];
            let literal = self.clauses.literals(unit)[0];
            match self.value(literal) {
                UNASSIGNED => self.assign(literal, unit),
                1 => {}
                _ => return Some(unit),
            }
        }
        None
    }

    /// Learns from a conflict and backjumps. Returns `None` if the search is exhausted, else a conflict that
    /// follows immediately.
    fn resolve(&mut self, clause: ClauseRef) -> Option<Option<ClauseRef>> {
        self.conflicts += 1;
        let deepest =
            self.clauses.literals(clause).iter().map(|it| self.level[it.variable()]).max().unwrap_or(0);
        self.back_to(deepest as usize);
        if deepest == 0 {
            return None;
        }
        let learnt = self.analyze(clause);
        self.order.decay();
        if self.levels.len() <= self.limit {
            // Both values of this decision are done; the learnt clause still prunes what follows.
            let flipped = self.flip()?;
            let added = self.add_learnt(&learnt.literals, learnt.levels);
            return Some(flipped.or(added));
        }
        self.back_to(learnt.level.max(self.limit));
        Some(self.add_learnt(&learnt.literals, learnt.levels))
    }

    /// Adds a clause during the search and propagates it. Returns it if it is falsified.
    fn add_learnt(&mut self, literals: &[Lit], levels: u32) -> Option<ClauseRef> {
        let mut literals = literals.to_vec();
        // Watch true or free literals, else those assigned last.
        literals.sort_by_key(|it| match self.value(*it) {
            -1 => u32::MAX - self.level[it.variable()],
            UNASSIGNED => 1,
            _ => 0,
        });
        let clause = self.clauses.add(&literals, Some(levels));
        if literals.len() > 1 {
            self.watch(clause);
        } else {
            self.units.push(clause);
        }
        match self.value(literals[0]) {
            -1 => Some(clause),
            UNASSIGNED if literals.get(1).is_none_or(|it| self.value(*it) < 0) => {
                self.assign(literals[0], clause);
                None
            }
            _ => None,
        }
    }

    /// Continues after a rejected candidate.
    fn reject(&mut self, literals: &[Lit]) -> Option<Option<ClauseRef>> {
        if literals.is_empty() {
            return None;
        }
        // The best distance: such clauses are few and prune much.
        Some(self.add_learnt(literals, 1))
    }
}

/// The Luby sequence 1, 1, 2, 1, 1, 2, 4, …, indexed from 0.
fn luby(mut at: u64) -> u64 {
    let mut size = 1;
    let mut power = 0;
    while size < at + 1 {
        power += 1;
        size = 2 * size + 1;
    }
    while size - 1 != at {
        size = (size - 1) >> 1;
        power -= 1;
        at %= size;
    }
    1 << power
}
