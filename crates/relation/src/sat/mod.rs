//! A SAT solver for enumeration (CDCL with chronological backtracking).
//!
//! `batsat`, which `solve` uses, and CaDiCaL answer single queries: each further model costs a blocking
//! clause and a descent from the root, 20 to 100 microseconds with hundreds of variables. This solver
//! continues where it is: after a model it flips the last decision, without a blocking clause, and backjumps
//! only to levels at which no model has been found.

mod analysis;
mod clauses;
mod enumeration;
mod literal;
#[cfg(test)]
mod tests;
mod variable_order;

pub(crate) use enumeration::{SatVerdict, SearchResult};
pub(crate) use literal::Lit;

use clauses::{ClauseRef, Clauses, Watch};
use variable_order::VariableOrder;

const UNASSIGNED: i8 = 0;

/// A decision level: the start of its literals on the trail, and whether both values of its decision are
/// done.
#[derive(Clone, Copy, Debug)]
struct Level {
    start: usize,
    flipped: bool,
}

/// The solver.
pub(crate) struct Solver {
    clauses: Clauses,
    watches: Vec<Vec<Watch>>,
    /// Values by literal: 1 is true, -1 is false.
    values: Vec<i8>,
    level: Vec<u32>,
    reason: Vec<ClauseRef>,
    trail: Vec<Lit>,
    levels: Vec<Level>,
    head: usize,
    order: VariableOrder,
    phase: Vec<bool>,
    seen: Vec<bool>,
    /// Variables below this one are decision variables; their values form a model.
    inputs: u32,
    /// Levels up to this one contain models already found; backjumps stop here.
    limit: usize,
    /// Unit clauses, asserted again after backtracking.
    units: Vec<ClauseRef>,
    /// Whether the clauses are contradictory without assumptions.
    broken: bool,
    started: bool,
    conflicts: u64,
    learnt_limit: usize,
}

impl Solver {
    /// A solver whose first `inputs` variables form a model.
    pub(crate) fn new(inputs: u32) -> Solver {
        let mut solver = Solver {
            clauses: Clauses::default(),
            watches: Vec::new(),
            values: Vec::new(),
            level: Vec::new(),
            reason: Vec::new(),
            trail: Vec::new(),
            levels: Vec::new(),
            head: 0,
            order: VariableOrder::default(),
            phase: Vec::new(),
            seen: Vec::new(),
            inputs,
            limit: 0,
            units: Vec::new(),
            broken: false,
            started: false,
            conflicts: 0,
            learnt_limit: 4000,
        };
        for _ in 0..inputs {
            solver.new_variable();
        }
        solver
    }

    pub(crate) fn new_variable(&mut self) -> u32 {
        let variable = self.level.len() as u32;
        self.values.extend([UNASSIGNED; 2]);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.level.push(0);
        self.reason.push(ClauseRef::NONE);
        self.phase.push(true);
        self.seen.push(false);
        if variable < self.inputs {
            self.order.add(variable);
        }
        variable
    }

    /// Adds a clause before the search.
    pub(crate) fn add_clause(&mut self, literals: &[Lit]) {
        let mut clause: Vec<Lit> = literals.to_vec();
        clause.sort_unstable();
        clause.dedup();
        if clause.windows(2).any(|it| it[0] == !it[1]) || clause.iter().any(|it| self.value(*it) > 0) {
            return;
        }
        clause.retain(|it| self.value(*it) == UNASSIGNED);
        match clause[..] {
            [] => self.broken = true,
            [unit] => {
                self.assign(unit, ClauseRef::NONE);
            }
            _ => {
                let at = self.clauses.add(&clause, None);
                self.watch(at);
            }
        }
    }

    /// The value of an input in the model just found.
    pub(crate) fn input(&self, variable: u32) -> bool {
        self.values[(variable << 1) as usize] > 0
    }

    /// Whether no clause fixes an input.
    pub(crate) fn is_free(&self, variable: u32) -> bool {
        self.values[(variable << 1) as usize] == UNASSIGNED
    }

    pub(crate) fn conflicts(&self) -> u64 {
        self.conflicts
    }

    fn value(&self, literal: Lit) -> i8 {
        self.values[literal.index()]
    }

    fn watch(&mut self, clause: ClauseRef) {
        let literals = self.clauses.literals(clause);
        let (a, b) = (literals[0], literals[1]);
        self.watches[a.index()].push(Watch { clause, blocker: b });
        self.watches[b.index()].push(Watch { clause, blocker: a });
    }

    fn assign(&mut self, literal: Lit, reason: ClauseRef) {
        self.values[literal.index()] = 1;
        self.values[(!literal).index()] = -1;
        self.level[literal.variable()] = self.levels.len() as u32;
        self.reason[literal.variable()] = reason;
        self.trail.push(literal);
    }

    /// Unit propagation; returns a falsified clause, if there is one.
    fn propagate(&mut self) -> Option<ClauseRef> {
        while self.head < self.trail.len() {
            let falsified = !self.trail[self.head];
            self.head += 1;
            let mut watches = std::mem::take(&mut self.watches[falsified.index()]);
            let mut kept = 0;
            let mut at = 0;
            let mut conflict = None;
            'watches: while at < watches.len() {
                let watch = watches[at];
                at += 1;
                if self.values[watch.blocker.index()] > 0 {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                let literals = self.clauses.literals_mut(watch.clause);
                if literals[0] == falsified {
                    literals.swap(0, 1);
                }
                let first = literals[0];
                let next = Watch { clause: watch.clause, blocker: first };
                if first != watch.blocker && self.values[first.index()] > 0 {
                    watches[kept] = next;
                    kept += 1;
                    continue;
                }
                for other in 2..literals.len() {
                    if self.values[literals[other].index()] >= 0 {
                        literals.swap(1, other);
                        self.watches[literals[1].index()].push(next);
                        continue 'watches;
                    }
                }
                watches[kept] = next;
                kept += 1;
                if self.values[first.index()] < 0 {
                    conflict = Some(watch.clause);
                    break;
                }
                self.assign(first, watch.clause);
            }
            watches.copy_within(at.., kept);
            watches.truncate(kept + watches.len() - at);
            self.watches[falsified.index()] = watches;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Undoes all levels above `level`.
    fn back_to(&mut self, level: usize) {
        let Some(&Level { start, .. }) = self.levels.get(level) else { return };
        for at in (start..self.trail.len()).rev() {
            let literal = self.trail[at];
            let variable = literal.variable();
            self.values[literal.index()] = UNASSIGNED;
            self.values[(!literal).index()] = UNASSIGNED;
            self.phase[variable] = !literal.is_negated();
            if (variable as u32) < self.inputs {
                self.order.put_back(variable as u32);
            }
        }
        self.trail.truncate(start);
        self.head = start;
        self.levels.truncate(level);
    }
}
