//! The share of texts in the work follows their recent gains, compared with those of all other sequences.
//!
//! A source of inputs that gains nothing must not starve one that still gains, and vice versa. So each has an
//! account of its gains and its work, in which older entries count less.

use super::Search;

/// The shares of texts, from the ones for texts that gain nothing while others do (the usual one, and the one while
/// sentences grow), to the one for texts that gain more.
const IDLE: [(u64, u64); 2] = [(1, 12), (1, 5)];
const BEHIND: (u64, u64) = (1, 4);
const AHEAD: (u64, u64) = (1, 2);
/// The shares while nothing gains: the usual one, and the one while sentences grow.
const VAIN: [(u64, u64); 2] = [(1, 8), (1, 3)];
/// The share in the search for texts that a method accepts.
const FOR_CONSUMER: (u64, u64) = (2, 3);
/// Factor by which the others' gains may be higher before texts count as idle.
const NEAR: u64 = 4;

/// The source of inputs that did the work.
#[derive(Clone, Copy)]
pub(in crate::search) enum Source {
    Texts,
    Others,
}

/// Goals covered of late, and the work of it.
#[derive(Default)]
struct Account {
    gained: u64,
    work: u64,
}

/// The accounts of texts and of all else.
#[derive(Default)]
pub(super) struct Shares {
    accounts: [Account; 2],
    /// The goals and the work that the accounts know.
    entered: (u64, u64),
}

impl Shares {
    /// Texts' share of the work.
    fn of_texts(&self, is_growing: bool) -> (u64, u64) {
        let [texts, others] = &self.accounts;
        if texts.gained == 0 && others.gained == 0 {
            return VAIN[usize::from(is_growing)];
        }
        let (ours, theirs) = (texts.gained * others.work, others.gained * texts.work);
        if texts.gained > 0 && ours >= theirs {
            AHEAD
        } else if ours * NEAR > theirs {
            BEHIND
        } else {
            IDLE[usize::from(is_growing)]
        }
    }

    fn has_turn(&self, is_growing: bool) -> bool {
        let [texts, others] = &self.accounts;
        let (share, of) = self.of_texts(is_growing);
        texts.work * of < (texts.work + others.work) * share
    }
}

impl Search<'_> {
    /// Records the gains and the work since the last record.
    pub(in crate::search) fn enter_gains(&mut self, source: Source) {
        let (goals, work) = (self.goals.len() as u64, self.work);
        let memory = self.options.budget.as_micros() as u64 / 8;
        let shares = &mut self.texts.shares;
        let account = &mut shares.accounts[source as usize];
        account.gained += goals - shares.entered.0.min(goals);
        account.work += work - shares.entered.1.min(work);
        shares.entered = (goals, work);
        if shares.accounts.iter().map(|it| it.work).sum::<u64>() > memory {
            for account in &mut shares.accounts {
                account.gained /= 2;
                account.work /= 2;
            }
        }
    }

    /// Whether texts are varied next.
    pub(in crate::search) fn has_turn_for_texts(&mut self) -> bool {
        self.enter_gains(Source::Others);
        if !self.is_for_texts() || !self.texts.has_any() || self.is_complete() {
            return false;
        }
        if self.is_for_consumer {
            return self.texts.work * FOR_CONSUMER.1 < self.work * FOR_CONSUMER.0;
        }
        let budget = self.options.budget.as_micros() as u64;
        if self.is_tried() && (self.texts.vain >= budget / 4 || !self.worlds.are_useful()) {
            return self.texts.vain < budget / 4;
        }
        self.texts.shares.has_turn(self.texts.vain < budget / 10)
    }

    /// Whether texts are varied at all.
    pub(super) fn is_for_texts(&self) -> bool {
        !self.options.exhaustive && self.options.enough.is_none() && self.aim.is_none()
    }
}

#[cfg(test)]
mod tests;
