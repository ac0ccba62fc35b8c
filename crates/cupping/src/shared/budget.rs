//! `--budget` and `--jobs`: the time and the number of threads of a command.

use clap::Args;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

/// Arguments of commands that search.
#[derive(Debug, Args)]
pub struct BudgetArgs {
    /// Time for each class: 500ms, 10s, 2m; if CLASSES has packages, folders or jars, for all classes together
    #[arg(long, value_name = "TIME", value_parser = parse_budget, help_heading = "Search")]
    pub budget: Option<Duration>,

    #[command(flatten)]
    pub jobs: JobsArgs,
}

/// Arguments of commands that work on several threads.
#[derive(Debug, Args)]
pub struct JobsArgs {
    /// Number of parallel threads; results do not depend on it [default: all cores]
    #[arg(short, long, value_name = "N", help_heading = "Search")]
    pub jobs: Option<NonZeroUsize>,
}

impl JobsArgs {
    /// The number of threads.
    pub fn threads(&self) -> NonZeroUsize {
        self.jobs.unwrap_or_else(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

/// The number of calls and backward jumps that the machine makes in a millisecond, by which budgets of runs are
/// converted.
const STEPS_OF_MILLISECOND: u64 = 10_000;

/// A budget for runs of programs, in calls and backward jumps.
pub fn steps_of(budget: Duration) -> u64 {
    u64::try_from(budget.as_millis()).unwrap_or(u64::MAX).saturating_mul(STEPS_OF_MILLISECOND)
}

/// A time such as `500ms`, `1.5s`, `2m`; at most a day.
///
/// # Errors
/// The text is not a time, or the time is zero.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    const A_DAY: f64 = 86_400.0;
    let form = || format!("'{text}' is not a time; write it as 500ms, 10s or 2m");
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(form()),
    };
    let time = number.parse::<f64>().map_err(|_| form())? * seconds;
    if time > A_DAY {
        return Err(format!("{text} is more than a day"));
    }
    if time <= 0.0 {
        return Err(format!("{text} is too short; 100ms is enough for small classes"));
    }
    Ok(Duration::from_secs_f64(time))
}

/// A time, or none at all: `0`, `0s`, `0ms`.
///
/// # Errors
/// The text is not a time.
pub fn parse_budget(text: &str) -> Result<Duration, String> {
    if matches!(text, "0" | "0s" | "0ms") { Ok(Duration::ZERO) } else { parse_time(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_read() {
        let cases = [
            ("500ms", Some(500)),
            ("10s", Some(10_000)),
            ("1.5s", Some(1500)),
            ("2m", Some(120_000)),
            ("1h", Some(3_600_000)),
            ("10", None),
            ("s", None),
            ("-1s", None),
            ("0s", None),
            ("1.2.3s", None),
            ("10 s", None),
            ("99999h", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_time(text).ok(), expected.map(Duration::from_millis), "{text}");
        }
        assert_eq!(parse_budget("0s"), Ok(Duration::ZERO));
    }

    proptest! {
        #[test]
        fn any_text_is_a_time_or_refused(text in "[0-9.a-z \u{e9}-]{0,8}") {
            if let Ok(time) = parse_time(&text) {
                prop_assert!(!time.is_zero() || text.contains("ms"));
            }
        }
    }
}
