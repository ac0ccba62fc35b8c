//! Likely defects as findings.

use super::conclude::Row;
use crate::frame::LedgerEntry;
use crate::shared::findings::{FindingSet, place_of};
use cupping_classfile::Program;
use cupping_report::outline::FailingInput;
use cupping_view::sarif::{Finding, Level, Rule};
use serde_json::json;

const RULE: &str = "likely-defect";

/// The likely defects of all classes.
pub fn findings(program: &Program, entries: &[LedgerEntry<Row>]) -> FindingSet {
    let rule = Rule {
        id: RULE.into(),
        title: "The code fails on a value that it computed itself.".into(),
        help: "The test of this name, in the class whose name ends in FailingTest, shows the input. If the input is \
               not allowed, refuse it with an IllegalArgumentException, and it is no longer reported."
            .into(),
        level: Level::Warning,
    };
    let rows = entries.iter().flat_map(|entry| entry.row.outline.failing.iter().map(move |it| (entry, it)));
    let findings = rows.map(|(entry, input)| finding(program, &entry.class, input)).collect();
    FindingSet { rules: vec![rule], findings }
}

fn finding(program: &Program, class: &str, input: &FailingInput) -> Finding {
    let FailingInput { name, method, thrown, cause } = input;
    let called = format!("{}.{}", method.class.replace('/', "."), method.name);
    let thrown = thrown.as_deref().unwrap_or("an endless run");
    let cause = cause.as_deref().unwrap_or("the cause is not known");
    Finding {
        rule: RULE.into(),
        level: Level::Warning,
        message: format!("{called} ends with {thrown}: {cause}\ntest: {name}"),
        place: place_of(program, &method.class, Some(&format!("{}{}", method.name, method.descriptor))),
        identity: format!("{RULE} {called}{} {thrown} {}", method.descriptor, without_numbers(cause)),
        method: called,
        related: Vec::new(),
        properties: json!({ "class": class, "test": name }),
    }
}

/// A text without its numbers, which other inputs of the same fault change.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_no_part_of_an_identity() {
        assert_eq!(
            without_numbers("the code computed the index 12 of 3"),
            "the code computed the index # of #"
        );
    }
}
