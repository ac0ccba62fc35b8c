//! Other worlds: constructors and static methods are called again after calls that changed static fields.
//!
//! Otherwise each object would be made while these fields have their first values, and what such a call does with
//! others would never be seen.

use super::explorer::Explorer;
use super::sampling::evenly;
use crate::sequence::Invocation;

/// The largest number of worlds.
const MOST_WORLDS: usize = 6;
/// The largest number of argument lists of a method in a world.
const MOST_LISTS: usize = 3;

impl Explorer<'_> {
    /// Makes these calls, if calls change static fields; returns whether they do.
    pub(super) fn worlds(&mut self) -> bool {
        if !self.found.changes_statics {
            return false;
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let mut all = Vec::new();
        for state in 0..self.forks.len() {
            if self.found.states[state].is_large {
                continue;
            }
            let snapshot = self.forks[state].snapshot.clone();
            self.machine.restore(&snapshot);
            let changed = self.statics.changed(self.machine);
            if changed.is_some_and(|it| seen.insert(it)) {
                all.push((all.len(), state));
            }
        }
        let makers = (0..self.subject.methods.len()).filter(|it| !self.subject.methods[*it].has_receiver());
        let makers: Vec<usize> = makers.collect();
        for state in evenly(all, MOST_WORLDS) {
            for method in &makers {
                self.machine.restore(&self.base);
                let choices = self.pool.choices(self.machine, self.subject, *method);
                for arguments in choices.into_iter().take(MOST_LISTS) {
                    if !self.has_budget() {
                        return true;
                    }
                    let snapshot = self.forks[state].snapshot.clone();
                    self.machine.restore(&snapshot);
                    let invokable = self.subject.methods[*method].clone();
                    self.call(*method, Invocation { invokable, arguments }, None);
                }
            }
        }
        true
    }
}
