//! Renders the result of a check as text and JSON.

use crate::check::{Cause, CheckResult, Example, Group};
use crate::picture::{Picture, Start};
use crate::specification::Specification;
use serde::Serialize;

/// The method as reports name it: `List.mergeSort`.
pub fn heading(specification: &Specification) -> String {
    let class = specification.header.class.text.as_str();
    match &specification.target {
        Some(_) if specification.constructs() => format!("new {class}"),
        Some(target) if target.drives => {
            format!("{class}, {}.{}", target.class.replace(['/', '$'], "."), target.name)
        }
        Some(target) => format!("{class}.{}", target.name),
        None => class.to_owned(),
    }
}

/// The cause as a sentence.
pub fn cause(specification: &Specification, cause: &Cause) -> String {
    match cause {
        Cause::Threw(class) => format!("it throws {class}"),
        Cause::Stopped(why) | Cause::Predicate(why) => why.clone(),
        Cause::Fails(places) => {
            let names = places.iter().map(|at| conjunct(specification, *at));
            format!("{} not hold", and(names.collect()) + if places.len() == 1 { " does" } else { " do" })
        }
    }
}

/// The name of a conjunct: its comment if it has one, else its part and line.
pub fn conjunct(specification: &Specification, at: usize) -> String {
    let it = &specification.promised[at];
    let span = it.condition.span();
    match specification.comment(span) {
        Some(comment) => format!("`{comment}`"),
        None => format!("the {} of line {}", it.part.name(), specification.line(span)),
    }
}

fn and(parts: Vec<String>) -> String {
    match parts.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// The terminal report.
pub fn text(specification: &Specification, checked: &CheckResult) -> String {
    let failed = checked.inputs - checked.passed;
    let mut out = format!(
        "{}: {} inputs, {} passed{}\n",
        heading(specification),
        checked.inputs,
        checked.passed,
        if failed > 0 { format!(", {failed} counterexamples") } else { String::new() }
    );
    if !checked.is_complete {
        out += "  not all inputs within the scope were tried\n";
    }
    for group in &checked.groups {
        let shown = group.examples.len() as u64;
        out += &format!("\n{} ({} of {failed})\n", cause(specification, &group.cause), group.count);
        for example in &group.examples {
            out += &example_text(specification, group, example);
        }
        if shown < group.count {
            out += &format!("  and {} more\n", group.count - shown);
        }
    }
    for note in &checked.unmodelled {
        out += &format!("note: an outcome has {note}, which the specification does not model\n");
    }
    out
}

/// A counterexample in the terminal report.
pub fn example(specification: &Specification, group: &Group, example: &Example) -> String {
    example_text(specification, group, example)
}

fn example_text(specification: &Specification, group: &Group, example: &Example) -> String {
    let (before, after) = example.pictures(specification);
    let mut out = format!("  counterexample found (input {}):\n    pre-state\n", example.number);
    for line in before.text() {
        out += &format!("      {line}\n");
    }
    if !matches!(group.cause, Cause::Stopped(_)) {
        out += "    post-state\n";
        for line in after.text() {
            out += &format!("      {line}\n");
        }
    }
    if !example.returned() {
        out += &format!("    {}\n", example.outcome);
    }
    for line in failures(specification, group, example) {
        out += &format!("    {line}\n");
    }
    out
}

/// The violated and the satisfied conjuncts, one per line.
pub fn failures(specification: &Specification, group: &Group, example: &Example) -> Vec<String> {
    let Cause::Fails(places) = &group.cause else { return Vec::new() };
    let mut lines = Vec::new();
    for (at, promised) in specification.promised.iter().enumerate() {
        let span = promised.condition.span();
        let name = conjunct(specification, at);
        if !places.contains(&at) {
            let line = format!("holds: {name}");
            // Conjuncts on one line share a name.
            if lines.last() != Some(&line) {
                lines.push(line);
            }
            continue;
        }
        lines.push(format!("fails: {name} (line {})", specification.line(span)));
        let own: Vec<_> = example.failures.iter().filter(|it| it.conjunct == span).collect();
        for failure in own.iter().take(3) {
            let words = specification.words(failure.span);
            let atoms: Vec<String> = failure
                .atoms
                .iter()
                .filter(|(name, _)| !name.is_empty())
                .map(|(name, atom)| {
                    format!("{name} = {}", example.pair.universe.show(*atom, &specification.after.model))
                })
                .collect();
            let with = if atoms.is_empty() { String::new() } else { format!(" with {}", atoms.join(", ")) };
            lines.push(format!("       {words}{with}"));
        }
        if own.len() > 3 {
            lines.push(format!("       and {} more", own.len() - 3));
        }
    }
    lines
}

#[derive(Serialize)]
struct JsonReport {
    method: String,
    specification: String,
    inputs: u64,
    passed: u64,
    complete: bool,
    groups: Vec<JsonGroup>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct JsonGroup {
    cause: String,
    count: u64,
    lines: Vec<usize>,
    counterexamples: Vec<JsonExample>,
}

#[derive(Serialize)]
struct JsonExample {
    input: u64,
    outcome: String,
    before: JsonState,
    after: JsonState,
    failures: Vec<JsonFailure>,
}

#[derive(Serialize)]
struct JsonState {
    names: Vec<(String, String)>,
    objects: Vec<JsonObject>,
}

#[derive(Serialize)]
struct JsonObject {
    name: String,
    fields: Vec<(String, String)>,
}

#[derive(Serialize)]
struct JsonFailure {
    line: usize,
    formula: String,
    atoms: Vec<(String, String)>,
}

/// The report for programs.
pub fn results(specification: &Specification, checked: &CheckResult) -> impl Serialize {
    let example = |example: &Example| {
        let (before, after) = example.pictures(specification);
        let failures = example.failures.iter().map(|it| JsonFailure {
            line: specification.line(it.span),
            formula: specification.words(it.span),
            atoms: it
                .atoms
                .iter()
                .map(|(name, atom)| {
                    (name.clone(), example.pair.universe.show(*atom, &specification.after.model))
                })
                .collect(),
        });
        JsonExample {
            input: example.number,
            outcome: example.outcome.clone(),
            before: state(&before),
            after: state(&after),
            failures: failures.collect(),
        }
    };
    let groups = checked.groups.iter().map(|group| JsonGroup {
        cause: cause(specification, &group.cause),
        count: group.count,
        lines: match &group.cause {
            Cause::Fails(places) => places
                .iter()
                .map(|at| specification.line(specification.promised[*at].condition.span()))
                .collect(),
            _ => Vec::new(),
        },
        counterexamples: group.examples.iter().map(example).collect(),
    });
    JsonReport {
        method: heading(specification),
        specification: specification.file.clone(),
        inputs: checked.inputs,
        passed: checked.passed,
        complete: checked.is_complete,
        groups: groups.collect(),
        notes: specification.remarks().into_iter().chain(checked.unmodelled.iter().cloned()).collect(),
    }
}

fn state(picture: &Picture) -> JsonState {
    let names = picture.starts.iter().map(|(name, start)| {
        let value = match start {
            Start::PictureNode(at) => picture.nodes[*at].name.clone(),
            Start::Text(text) => text.clone(),
        };
        (name.clone(), value)
    });
    let objects = picture.nodes.iter().enumerate().map(|(at, node)| {
        let links = picture.from(at).map(|it| (it.label.clone(), picture.nodes[it.to].name.clone()));
        JsonObject { name: node.name.clone(), fields: node.data.iter().cloned().chain(links).collect() }
    });
    JsonState { names: names.collect(), objects: objects.collect() }
}
