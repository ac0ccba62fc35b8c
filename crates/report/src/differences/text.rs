//! The report for the terminal.

use super::findings::{ChangedMethod, Differences, NOT_SEARCHED};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Limit on the named callers from which a change of a method is visible.
const MAX_CALLERS: usize = 3;

/// The changes in a few lines; then each difference with the behaviour of the old and the new version.
pub fn text(all: &Differences) -> String {
    let mut out = String::new();
    for (what, classes) in [("added", &all.added), ("removed", &all.removed)] {
        for class in classes {
            let _ = writeln!(out, "class {class} is {what}");
        }
    }
    for class in &all.moved {
        let _ = writeln!(
            out,
            "class {} is now {} (matched by likeness: {} %)",
            class.was, class.is, class.likeness
        );
    }
    let mut class = "";
    let (searched, others): (Vec<_>, Vec<_>) = all.changed.iter().partition(|it| it.why != NOT_SEARCHED);
    for method in searched {
        if method.class != class {
            let _ = writeln!(out, "{}", method.class);
            class = &method.class;
        }
        let _ = writeln!(out, "  {}", line(method));
    }
    if !others.is_empty() {
        let classes: BTreeSet<&str> = others.iter().map(|it| &*it.class).collect();
        let (methods, classes) =
            (plural(others.len(), "change", "changes"), plural(classes.len(), "class", "classes"));
        let _ = writeln!(out, "{methods} in {classes} not searched");
    }
    for field in &all.fields {
        let _ = writeln!(out, "field {field}");
    }
    let breaking = all.api.iter().filter(|it| it.breaks != "compatible");
    for change in breaking {
        let _ =
            writeln!(out, "API: {} {} ({}, JLS {})", change.place, change.what, change.breaks, change.jls);
    }
    for (number, (cause, example)) in all.open().enumerate() {
        let _ = writeln!(out, "\n{}. {} ({})", number + 1, example.method, example.kind.title());
        let own = [example.method.clone()];
        if cause.changed != own {
            let _ = writeln!(out, "   by the change of {}", cause.changed.join(", "));
        }
        if !example.when.is_empty() {
            let _ = writeln!(out, "   when {}", example.when.join(" and "));
        }
        for contract in &example.breaks {
            let _ = writeln!(out, "   breaks {contract}");
        }
        for call in &example.calls {
            let _ = writeln!(out, "     {call}");
        }
        let _ = writeln!(out, "   old: {}", example.old);
        let _ = writeln!(out, "   new: {}", example.new);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    let open = all.open().count();
    let accepted = all.causes.iter().flat_map(|it| &it.examples).count() - open;
    let changed = all.changed.iter().filter(|it| it.fate == "changed").count();
    let (classes, methods) = (plural(all.common, "class", "classes"), plural(changed, "method", "methods"));
    let _ = write!(out, "{classes} in both versions, {methods} changed: ");
    let _ = match open {
        0 => write!(out, "no difference found"),
        1 => write!(out, "1 difference"),
        count => write!(out, "{count} differences"),
    };
    if accepted > 0 {
        let _ = write!(out, ", {accepted} accepted");
    }
    out.push('\n');
    out
}

fn plural(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

fn line(method: &ChangedMethod) -> String {
    let mut text = format!("{} {}", method.fate, method.method);
    if let Some(was) = &method.was {
        let _ = write!(text, ", which was {was}");
    }
    match (method.verdict, &*method.why) {
        ("", _) => {}
        (verdict, "") => {
            let _ = write!(text, ": {verdict}");
        }
        (verdict, why) => {
            let _ = write!(text, ": {verdict}, {why}");
        }
    }
    let others: Vec<&str> = method.visible_from.iter().take(MAX_CALLERS).map(String::as_str).collect();
    let own = format!("{}.{}", method.class, method.method);
    if !others.is_empty() && !method.visible_from.contains(&own) {
        let more = method.visible_from.len().saturating_sub(MAX_CALLERS);
        let _ = write!(text, " (seen from {}", others.join(", "));
        if more > 0 {
            let _ = write!(text, " and {more} more");
        }
        text.push(')');
    }
    text
}
