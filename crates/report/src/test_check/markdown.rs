//! The summary as a comment on a pull request.

use super::{Cause, CheckReport, Finding};
use crate::markdown::{capitalised, cell};
use std::fmt::Write;

/// Limit on the rows of a table: forges truncate long comments.
const MOST_ROWS: usize = 100;

/// A heading with the figure, a table for each cause, updated files, and accepted findings.
pub fn markdown(all: &CheckReport) -> String {
    let mut out = String::new();
    let (open, tests) = (all.open().count(), all.tests());
    let _ = match open {
        0 => writeln!(out, "## {} of {tests} generated tests hold", all.holding()),
        1 => writeln!(out, "## 1 of {tests} generated tests does not hold"),
        count => writeln!(out, "## {count} of {tests} generated tests do not hold"),
    };
    for cause in Cause::ALL {
        let of_cause: Vec<&Finding> = all.open().filter(|it| it.cause == cause).collect();
        if of_cause.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n### {}: {}\n", capitalised(cause.title()), of_cause.len());
        let _ = writeln!(out, "| test | statement | was | now |\n|---|---|---|---|");
        for finding in of_cause.iter().take(MOST_ROWS) {
            let Finding { test, file, line, statement, old, new, .. } = finding;
            let short = test.rsplitn(3, '.').take(2).collect::<Vec<_>>();
            let name = short.into_iter().rev().collect::<Vec<_>>().join(".");
            let _ = writeln!(
                out,
                "| {}<br>{file}:{line} | {} | {} | {} |",
                cell(&name),
                cell(statement),
                cell(old),
                cell(new)
            );
        }
        if of_cause.len() > MOST_ROWS {
            let _ = writeln!(out, "\nand {} more", of_cause.len() - MOST_ROWS);
        }
    }
    if let Some(gain) = &all.gain {
        out += &gain.markdown();
    }
    let new = all.new_defects.iter().map(|it| format!("`{}` ({}:{})", it.test, it.file, it.line));
    list(&mut out, "New likely defects", new);
    list(&mut out, "Updated files", all.updated.iter().map(|it| format!("`{it}`")));
    let accepted = all.files.iter().flat_map(|it| &it.findings).filter_map(|it| {
        let reason = it.accepted.as_ref()?;
        Some(format!("`{}` ({}): {reason}", it.test, it.cause.title()))
    });
    list(&mut out, "Accepted", accepted);
    if open > 0 {
        let _ = writeln!(
            out,
            "\nIf the new behaviour is intended, `cupping check --update` rewrites these tests. If a change is intended but \
             the tests should stay, `cupping check --accept FILE --reason TEXT` records it."
        );
    }
    out
}

fn list(out: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n<details><summary>{title}: {}</summary>\n", items.len());
    for item in items {
        let _ = writeln!(out, "- {item}");
    }
    let _ = writeln!(out, "\n</details>");
}
