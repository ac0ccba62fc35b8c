//! Causes of counterexamples, as findings.

use crate::shared::findings::{FindingSet, place_of};
use cupping_classfile::Program;
use cupping_exhaust::{Cause, CheckResult, Group, Specification, cause, example, heading};
use cupping_view::sarif::{Finding, Level, Rule};
use serde_json::json;

const RULE: &str = "counterexample";

/// One finding for each cause, with its smallest counterexample.
pub fn findings(program: &Program, specification: &Specification, checked: &CheckResult) -> FindingSet {
    let rule = Rule {
        id: RULE.into(),
        title: "The method violates its specification for an input within the scope.".into(),
        help: "`cupping exhaust --html DIR` draws the states before and after the call; `--out DIR` writes a test."
            .into(),
        level: Level::Error,
    };
    let findings = checked.groups.iter().map(|group| finding(program, specification, group)).collect();
    FindingSet { rules: vec![rule], findings }
}

fn finding(program: &Program, specification: &Specification, group: &Group) -> Finding {
    let method = heading(specification);
    let what = cause(specification, &group.cause);
    let shown = group.examples.first().map_or(String::new(), |first| example(specification, group, first));
    let target = specification.target.as_ref();
    let class =
        target.map_or_else(|| specification.header.class.text.replace('.', "/"), |it| it.class.clone());
    let key = target.map(|it| format!("{}{}", it.name, it.descriptor));
    // Lines of the specification may move, its words stay.
    let stable = match &group.cause {
        Cause::Fails(places) => {
            let words =
                places.iter().map(|at| specification.words(specification.promised[*at].condition.span()));
            words.collect::<Vec<_>>().join(" and ")
        }
        _ => what.clone(),
    };
    Finding {
        rule: RULE.into(),
        level: Level::Error,
        message: format!("{method}: {what} ({} inputs)\n{shown}", group.count),
        place: place_of(program, &class, key.as_deref()),
        identity: format!("{RULE} {method} {stable}"),
        method,
        related: Vec::new(),
        properties: json!({ "specification": specification.file, "count": group.count }),
    }
}
