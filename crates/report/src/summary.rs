//! The table that a user reads at the end: a line per class, then the details of each (`details`).

use crate::outline::Outline;
use std::borrow::Borrow;
use std::fmt::Write;

const HEADINGS: [&str; 6] = ["class", "tests", "lines", "branches", "failing", "time"];

/// The summary as text with final newline; `colour` adds terminal escapes and is for terminals only.
pub fn summary<O: Borrow<Outline>>(results: &[O], colour: bool) -> String {
    let results: Vec<&Outline> = results.iter().map(Borrow::borrow).collect();
    let mut rows: Vec<[String; 6]> = vec![HEADINGS.map(String::from)];
    rows.extend(results.iter().map(|it| row(it)));
    if results.len() > 1 {
        rows.push(total(&results));
    }
    let widths: [usize; 6] =
        std::array::from_fn(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0));
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        let line = aligned(row, &widths);
        let failing = at > 0 && row[4] != "0" && row[4] != "-";
        let _ = match (colour, at, failing) {
            (true, 0, _) => writeln!(out, "\u{1b}[1m{line}\u{1b}[0m"),
            (true, _, true) => writeln!(out, "\u{1b}[33m{line}\u{1b}[0m"),
            _ => writeln!(out, "{line}"),
        };
    }
    results.iter().for_each(|result| out.push_str(&result.details));
    out
}

fn row(result: &Outline) -> [String; 6] {
    let time = format!("{:.2} s", result.elapsed.as_secs_f64());
    if result.error.is_some() {
        let none = || "-".to_string();
        return [result.class.clone(), none(), none(), none(), none(), time];
    }
    let (tests, failing) = (result.tests.to_string(), result.failing.len().to_string());
    [result.class.clone(), tests, ratio(result.lines), ratio(result.branches), failing, time]
}

fn total(results: &[&Outline]) -> [String; 6] {
    let sum = |of: fn(&Outline) -> (u32, u32)| {
        results
            .iter()
            .filter(|result| result.error.is_none())
            .map(|it| of(it))
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    };
    let tests: usize = results.iter().map(|it| it.tests).sum();
    let failing: usize = results.iter().map(|it| it.failing.len()).sum();
    let time: f64 = results.iter().map(|result| result.elapsed.as_secs_f64()).sum();
    [
        "total".into(),
        tests.to_string(),
        ratio(sum(|it| it.lines)),
        ratio(sum(|it| it.branches)),
        failing.to_string(),
        format!("{time:.2} s"),
    ]
}

/// `95% (19/20)`, rounded down so that only complete coverage is 100%.
fn ratio((covered, total): (u32, u32)) -> String {
    match (u64::from(covered) * 100).checked_div(u64::from(total)) {
        Some(percent) => format!("{percent}% ({covered}/{total})"),
        None => "-".into(),
    }
}

fn aligned(row: &[String; 6], widths: &[usize; 6]) -> String {
    let mut line = format!("{:<width$}", row[0], width = widths[0]);
    for (cell, width) in row.iter().zip(widths).skip(1) {
        let _ = write!(line, "  {cell:>width$}");
    }
    line
}
