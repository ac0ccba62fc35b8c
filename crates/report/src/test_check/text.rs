//! The summary in a terminal.

use super::{CheckReport, Finding};
use std::fmt::Write;

/// Every finding with its old and new value, then the count.
pub fn text(all: &CheckReport) -> String {
    let mut out = String::new();
    for finding in all.open() {
        let Finding { cause, test, file, line, statement, old, new, .. } = finding;
        let _ = writeln!(out, "{}: {test}", cause.title());
        let _ = writeln!(out, "  {file}:{line}: {statement}");
        let _ = writeln!(out, "  was: {old}\n  now: {new}");
    }
    if all.tests() > 0 {
        let count = all.open().count();
        let _ = write!(out, "{} of {} generated tests hold", all.holding(), all.tests());
        let do_not = if count == 1 { "does not" } else { "do not" };
        let _ = match (count, all.accepted()) {
            (0, 0) => writeln!(out),
            (0, 1) => writeln!(out, "; 1 that fails is accepted"),
            (0, accepted) => writeln!(out, "; {accepted} that fail are accepted"),
            (count, 0) => writeln!(out, "; {count} {do_not}"),
            (count, 1) => writeln!(out, "; {count} {do_not}, and 1 more is accepted"),
            (count, accepted) => writeln!(out, "; {count} {do_not}, and {accepted} more are accepted"),
        };
    }
    for defect in &all.new_defects {
        let _ = writeln!(out, "new likely defect: {}\n  {}:{}", defect.test, defect.file, defect.line);
    }
    if let Some(gain) = &all.gain {
        out += &gain.text();
    }
    out
}
