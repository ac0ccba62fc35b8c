//! The wall-clock time that the work on one class may take.
//!
//! The budget counts work, so that the same budget gives the same results on every machine. The clock behind it
//! protects the user's time on a busy or slow machine. What the clock cuts short depends on the machine, so the
//! outcome reports it.

use crate::options::{GenerateOptions, NO_CLOCK};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// A running clock with its limit.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    started: Instant,
    limit: Duration,
    /// Whether it has cut something short.
    rang: Cell<bool>,
}

impl Clock {
    /// A clock that starts now.
    pub fn start(options: &GenerateOptions) -> Clock {
        Clock { started: Instant::now(), limit: options.clock(), rang: Cell::new(false) }
    }

    /// Whether this share of the limit, in tenths, is over.
    pub fn is_past(&self, tenths: u32) -> bool {
        let is_past = self.limit != NO_CLOCK && self.started.elapsed() > self.limit / 10 * tenths;
        if is_past {
            self.rang.set(true);
        }
        is_past
    }

    /// A clock for a part of the work. It ends when this share of the limit, in tenths, has passed, or after
    /// `most`.
    pub fn part(&self, tenths: u32, most: Duration) -> Clock {
        let limit = match self.limit {
            NO_CLOCK => NO_CLOCK,
            limit => (limit / 10 * tenths).saturating_sub(self.started.elapsed()).min(most),
        };
        Clock { started: Instant::now(), limit, rang: Cell::new(false) }
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.is_past(10)
    }

    /// Notes that a clock of a part of the work has cut something short.
    pub fn ring(&self) {
        self.rang.set(true);
    }

    /// Whether the clock has stopped something that had work left.
    pub fn rang(&self) -> bool {
        self.rang.get()
    }

    /// The time since it was started.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(limit: Duration) -> Clock {
        Clock::start(&GenerateOptions { clock: Some(limit), ..GenerateOptions::default() })
    }

    #[test]
    fn a_clock_records_that_it_ended_a_phase() {
        let over = clock(Duration::ZERO);
        assert!(!over.rang(), "nobody asked");
        assert!(over.is_over() && over.rang());
        let long = clock(Duration::from_secs(3600));
        assert!(!long.is_over() && !long.rang());
        assert!(!clock(NO_CLOCK).is_over());
    }

    #[test]
    fn a_part_takes_no_more_than_is_left() {
        let (second, hour) = (Duration::from_secs(1), Duration::from_secs(3600));
        assert_eq!(clock(hour).part(3, second).limit, second);
        assert!(clock(hour).part(3, hour).limit <= hour / 10 * 3);
        assert_eq!(clock(Duration::ZERO).part(3, second).limit, Duration::ZERO);
        assert_eq!(clock(NO_CLOCK).part(3, second).limit, NO_CLOCK);
    }

    #[test]
    fn its_limit_is_a_quarter_more_than_the_budget() {
        let options = GenerateOptions { budget: Duration::from_secs(8), ..GenerateOptions::default() };
        assert_eq!(options.clock(), Duration::from_secs(10));
    }
}
