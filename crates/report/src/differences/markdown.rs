//! The report as a comment on a pull request.

use super::findings::Differences;
use crate::markdown::cell;
use std::fmt::Write;

/// A heading with the figure, a section per difference, and tables of what changed.
pub fn markdown(all: &Differences) -> String {
    let mut out = String::new();
    let open = all.open().count();
    let _ = match open {
        0 => writeln!(out, "## No difference in behaviour found"),
        1 => writeln!(out, "## 1 difference in behaviour"),
        count => writeln!(out, "## {count} differences in behaviour"),
    };
    for (number, (cause, example)) in all.open().enumerate() {
        let _ = writeln!(out, "\n### {}. `{}`: {}\n", number + 1, example.method, example.kind.title());
        let changed: Vec<String> = cause.changed.iter().map(|it| format!("`{it}`")).collect();
        let _ = writeln!(out, "Changed: {}\n", changed.join(", "));
        if !example.when.is_empty() {
            let _ = writeln!(out, "When `{}`\n", example.when.join("` and `"));
        }
        for contract in &example.breaks {
            let _ = writeln!(out, "Breaks `{contract}`\n");
        }
        if !example.calls.is_empty() {
            let _ = writeln!(out, "```java\n{}\n```\n", example.calls.join("\n"));
        }
        let _ =
            writeln!(out, "| old | new |\n|---|---|\n| {} | {} |", cell(&example.old), cell(&example.new));
    }
    if !all.changed.is_empty() {
        let _ = writeln!(out, "\n<details><summary>Changed methods: {}</summary>\n", all.changed.len());
        let _ = writeln!(out, "| method | | behaviour |\n|---|---|---|");
        for method in &all.changed {
            let (place, why) = (format!("{}.{}", method.class, method.method), &method.why);
            let separator = if why.is_empty() || method.verdict.is_empty() { "" } else { ", " };
            let _ = writeln!(
                out,
                "| {} | {} | {}{separator}{} |",
                cell(&place),
                method.fate,
                method.verdict,
                why.replace('|', "\\|")
            );
        }
        let _ = writeln!(out, "\n</details>");
    }
    if !all.moved.is_empty() {
        let _ = writeln!(out, "\n### Moved classes\n\n| was | is | likeness |\n|---|---|---|");
        for class in &all.moved {
            let _ = writeln!(out, "| {} | {} | {} % |", cell(&class.was), cell(&class.is), class.likeness);
        }
    }
    let breaking: Vec<_> = all.api.iter().filter(|it| it.breaks != "compatible").collect();
    if !breaking.is_empty() {
        let _ = writeln!(out, "\n### API\n\n| place | change | effect |\n|---|---|---|");
        for change in breaking {
            let _ = writeln!(
                out,
                "| {} | {} | {} (JLS §{}) |",
                cell(&change.place),
                change.what,
                change.breaks,
                change.jls
            );
        }
    }
    out
}
