//! The program that is run, and how.

use crate::shared::class_path::ClassPathArgs;
use crate::shared::jdk::JdkArgs;
use clap::{Args, ValueEnum};
use cupping_machine::Schedule;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The values of `--schedule`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Turns {
    /// After a number of calls and backward jumps
    Steps,
    /// Also before accesses to data that several threads reach
    Race,
}

/// Arguments of commands that run a program.
#[derive(Debug, Args)]
pub struct ProgramArgs {
    /// The class whose main is run, such as org.example.Main; then the arguments of the program
    #[arg(value_name = "MAIN [ARGS]", trailing_var_arg = true)]
    pub words: Vec<String>,

    #[command(flatten)]
    pub class_path: ClassPathArgs,

    /// Run the main class that the manifest of this jar names; all words are arguments of the program. Also -jar
    #[arg(long, value_name = "JAR", conflicts_with = "classpath", help_heading = "Input")]
    pub jar: Option<PathBuf>,

    #[command(flatten)]
    pub jdk: JdkArgs,

    /// Sets a system property; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", help_heading = "Input")]
    pub properties: Vec<String>,

    /// Sets an environment variable; the program sees no others; may be repeated
    #[arg(long = "env", value_name = "NAME=VALUE", help_heading = "Input")]
    pub environment: Vec<String>,

    /// Enables the program's assert statements. Also -ea
    #[arg(long, help_heading = "Input")]
    pub enable_assertions: bool,

    /// Let the program read this standard input; without it, the program's input is empty
    #[arg(long, help_heading = "Input")]
    pub stdin: bool,

    /// Copies a file or folder into the program's file system before it starts; may be repeated
    #[arg(long = "file", value_name = "HOST=PATH", help_heading = "Input")]
    pub files: Vec<String>,

    /// Copies a file or folder of the program's file system to this computer when it has ended; may be repeated
    #[arg(long = "out", value_name = "PATH=HOST", help_heading = "Input")]
    pub out: Vec<String>,

    /// Maximal number of calls and backward jumps: a program that exceeds it is stopped, with exit code 124
    #[arg(long, visible_alias = "max-instructions", value_name = "N", help_heading = "Limits")]
    pub max_steps: Option<u64>,

    /// The heap: 64m, 2g. Also -Xmx
    #[arg(long, value_name = "SIZE", default_value = "512m", value_parser = parse_size, help_heading = "Limits")]
    pub heap: u64,

    /// The stack of a thread: 1m. Also -Xss
    #[arg(long, value_name = "SIZE", default_value = "1m", value_parser = parse_size, help_heading = "Limits")]
    pub stack: u64,

    /// Maximal number of threads that are alive at the same time
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub threads: Option<NonZeroUsize>,

    /// Seed of the program's random numbers
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Run")]
    pub seed: u64,

    /// Where threads take turns: after thousands of steps, or also where they access shared data, which shows races
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Turns::Steps, help_heading = "Run")]
    pub schedule: Turns,

    /// Seed of the order in which threads take turns, and of the places where they do
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub schedule_seed: Option<u64>,

    /// Interprets all code, including hot code. The program behaves the same but takes longer
    #[arg(long, help_heading = "Run")]
    pub no_compile: bool,

    /// The initial time of the program's clock: 2024-01-01T00:00:00Z, or milliseconds since 1970
    #[arg(long, value_name = "TIME", default_value = "2024-01-01T00:00:00Z", value_parser = parse_start, help_heading = "Run")]
    pub time: i64,
}

impl ProgramArgs {
    /// The schedule of threads, and its seed: a schedule that looks for races always has one.
    pub fn schedule(&self) -> (Schedule, Option<u64>) {
        match self.schedule {
            Turns::Steps => (Schedule::Turns, self.schedule_seed),
            Turns::Race => (Schedule::Races, Some(self.schedule_seed.unwrap_or(0))),
        }
    }
}

/// A size such as `512m`, in bytes; at most 32 GiB, the range of addresses.
fn parse_size(text: &str) -> Result<u64, String> {
    let form = || format!("'{text}' is not a size; write it as 64m or 2g");
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let unit: u64 = match unit {
        "" => 1,
        "k" | "K" => 1 << 10,
        "m" | "M" => 1 << 20,
        "g" | "G" => 1 << 30,
        _ => return Err(form()),
    };
    let size = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or_else(form)?;
    if size > 32 << 30 {
        return Err(format!("{text} is more than the machine can address, 32g"));
    }
    if size < 64 << 10 {
        return Err(format!("{text} is too little to run anything"));
    }
    Ok(size)
}

/// Milliseconds since 1970, given as such or as a UTC time in ISO 8601.
fn parse_start(text: &str) -> Result<i64, String> {
    if let Ok(millis) = text.parse() {
        return Ok(millis);
    }
    let form = || format!("'{text}' is not a time; write it as 2024-01-31T12:00:00Z");
    let (date, time) = text.strip_suffix('Z').and_then(|it| it.split_once('T')).ok_or_else(form)?;
    let numbers = |part: &str, separator: char| -> Option<[u32; 3]> {
        let numbers: Option<Vec<u32>> = part
            .split(separator)
            .map(|it| it.bytes().all(|b| b.is_ascii_digit()).then(|| it.parse().ok())?)
            .collect();
        numbers?.try_into().ok()
    };
    let ([year, month, day], [hour, minute, second]) =
        numbers(date, '-').zip(numbers(time, ':')).ok_or_else(form)?;
    let in_range = (1..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    if !in_range {
        return Err(form());
    }
    let seconds = days_since_1970(year.into(), month.into(), day.into()) * 86_400
        + i64::from(hour * 3600 + minute * 60 + second);
    Ok(seconds * 1000)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar: years begin in March here, so that the leap day is
/// their last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    // 306 days lie between March 1 and January 1; 719,468 is March 1 of the year 0 before 1970.
    year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        let cases = [("512m", Some(512 << 20)), ("2G", Some(2 << 30)), ("65536", Some(65536)), ("1", None)];
        for (text, expected) in cases.into_iter().chain([("99g", None), ("m", None), ("1.5g", None)]) {
            assert_eq!(parse_size(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn times_are_read() {
        let cases = [
            ("0", Some(0)),
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2024-01-01T00:00:00Z", Some(1_704_067_200_000)),
            ("2000-02-29T23:59:59Z", Some(951_868_799_000)),
            ("1969-12-31T23:59:59Z", Some(-1000)),
            ("2024-13-01T00:00:00Z", None),
            ("2024-01-01", None),
            ("2024-01-01T00:00Z", None),
            ("now", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_start(text).ok(), expected, "{text}");
        }
    }
}
