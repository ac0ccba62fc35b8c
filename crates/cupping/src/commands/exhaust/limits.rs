//! Limits of a check, and its errors.

use super::arguments::Arguments;
use cupping_exhaust::{CheckLimits, Error};
use std::time::Duration;

/// The time for growing scopes, unless another is given.
const GROWTH: Duration = Duration::from_secs(60);

/// The limits of a check.
pub fn limits(args: &Arguments) -> CheckLimits {
    let budget = args.budget.budget.or(args.grow.then_some(GROWTH));
    let work = budget.map_or(u64::MAX, |it| u64::try_from(it.as_nanos()).unwrap_or(u64::MAX));
    CheckLimits {
        examples: args.examples.max(1),
        limit: args.limit.unwrap_or(u64::MAX),
        work,
        stop_after: args.stop_after.unwrap_or(u64::MAX),
    }
}

/// The number of threads.
pub fn threads(args: &Arguments) -> u32 {
    u32::try_from(args.budget.jobs.threads().get()).unwrap_or(1)
}

/// An error in words.
pub fn other(message: String) -> Error {
    Error::Other(message)
}

/// An error that belongs to no file.
pub fn plain(error: Error) -> String {
    match error {
        Error::Specification(error) => {
            let help = error.help.map_or(String::new(), |it| format!("; {it}"));
            format!("{}{help}", error.message)
        }
        Error::Other(message) => message,
    }
}
