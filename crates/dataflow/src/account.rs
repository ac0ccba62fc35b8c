//! One account for the work on a class: paths, deduction, search and combination draw on the same budget.
//!
//! Work is counted in microseconds of a reference machine, so that a result does not depend on the load. The
//! clock is a backstop that all layers poll.

use std::time::{Duration, Instant};

/// When work has to end, whatever is left to do.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    deadline: Option<Instant>,
    interrupted: fn() -> bool,
}

impl Stop {
    /// Whether work has to end now.
    pub fn is_due(&self) -> bool {
        (self.interrupted)() || self.is_late()
    }

    /// Whether the clock has run out.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// The account of a class.
#[derive(Clone, Debug)]
pub struct Account {
    limit: u64,
    spent: u64,
    /// When work has to end.
    pub stop: Stop,
}

impl Account {
    /// An account with this budget. The clock runs from now; without one it is six fifths of the budget.
    pub fn open(budget: Duration, clock: Option<Duration>, interrupted: fn() -> bool) -> Account {
        let deadline = Instant::now().checked_add(clock.unwrap_or(budget * 6 / 5));
        let limit = u64::try_from(budget.as_micros()).unwrap_or(u64::MAX);
        Account { limit, spent: 0, stop: Stop { deadline, interrupted } }
    }

    /// What is left, in microseconds.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.spent)
    }

    /// A part of what is left, in percent.
    pub fn part(&self, percent: u64) -> u64 {
        self.left() / 100 * percent
    }

    /// Charges work that was done.
    pub fn charge(&mut self, work: u64) {
        self.spent += work;
    }

    /// The time until the clock runs out.
    pub fn clock(&self) -> Duration {
        let deadline = self.stop.deadline;
        deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spending_reduces_the_budget_of_all_parts() {
        let mut account = Account::open(Duration::from_millis(10), None, || false);
        assert_eq!(account.part(50), 5_000);
        account.charge(4_000);
        assert_eq!((account.left(), account.part(50)), (6_000, 3_000));
        account.charge(9_000);
        assert_eq!(account.left(), 0);
        assert!(!account.stop.is_due());
    }

    #[test]
    fn the_clock_and_the_user_end_it() {
        let late = Account::open(Duration::from_secs(1), Some(Duration::ZERO), || false);
        assert!(late.stop.is_late() && late.stop.is_due());
        let interrupted = Account::open(Duration::from_secs(1), None, || true);
        assert!(!interrupted.stop.is_late() && interrupted.stop.is_due());
    }
}
