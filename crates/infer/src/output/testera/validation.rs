//! Validation of a draft by `cupping exhaust`: lines that it does not support, and lines that do not follow from the
//! invariants, become comments.

use super::draft::{Draft, Line};
use crate::subject::Subject;
use cupping_exhaust::classes::{Values, simple_name};
use cupping_exhaust::{
    Cause, CheckLimits, CheckResult, Checker, Error, Specification, SpecificationPart, World,
};
use cupping_relation::syntax::parse_expression;
use std::collections::BTreeSet;

/// The largest number of inputs.
const MOST_INPUTS: u64 = 3_000;
/// The largest number of rounds.
const MOST_ROUNDS: usize = 8;

/// The validated draft, with notes for its reader.
pub fn validated(subject: &Subject, draft: &Draft) -> Result<(Draft, Vec<String>), String> {
    let mut given = draft.clone();
    let mut draft = draft.clone();
    understood(subject, &mut draft)?;
    let mut notes = Vec::new();
    let mut rounds = 0;
    while rounds < MOST_ROUNDS {
        let text = draft.code();
        let specification = read(subject, &text)?;
        let checked = check(subject, &specification).map_err(|error| error.render("", &text))?;
        // All inputs should be tried; if there are too many, the scope shrinks.
        if !checked.is_complete && rounds == 0 && given.shrinks() {
            draft = given.clone();
            understood(subject, &mut draft)?;
            continue;
        }
        rounds += 1;
        notes.clear();
        if checked.inputs == 0 {
            notes.push("the scope has no input".to_owned());
        }
        if !take_out(&mut draft, &specification, &checked) {
            notes.extend(checked.groups.iter().filter_map(|group| match &group.cause {
                Cause::Threw(class) => {
                    Some(format!("some inputs throw {class}, which exploration did not see"))
                }
                Cause::Stopped(why) => Some(format!("some inputs do not finish: {why}")),
                Cause::Fails(_) | Cause::Predicate(_) => None,
            }));
            break;
        }
    }
    Ok((draft, notes))
}

fn read(subject: &Subject, text: &str) -> Result<Specification, String> {
    Specification::read("", text, &subject.program, None).map_err(|error| match error {
        Error::Specification(error) => error.message,
        other => other.render("", text),
    })
}

fn check(subject: &Subject, specification: &Specification) -> Result<CheckResult, Error> {
    let mut world = World::boot(subject.program.clone(), specification)?;
    let limits = CheckLimits { examples: 1, limit: MOST_INPUTS, ..CheckLimits::default() };
    let mut checker = Checker::new(specification, &mut world, limits)?;
    checker.all(|_| true)?;
    Ok(checker.finish())
}

/// Drops clauses about what is not modelled, and keeps numbers of inputs away from the ends of the scope, so that
/// those of outcomes fit.
fn understood(subject: &Subject, draft: &mut Draft) -> Result<(), String> {
    let bare = Draft { header: draft.header.clone(), scope: draft.scope, ..Draft::default() };
    let specification = read(subject, &bare.code())?;
    // Parts that are not modelled stay as a constructor leaves them; calls do not reach such states.
    let classes = &specification.plan.classes;
    let mut parts: BTreeSet<&str> = classes.notes.iter().filter_map(|it| it.split('.').next()).collect();
    let modelled = classes.classes.values().filter(|it| !it.fields.is_empty());
    parts.extend(modelled.map(|it| simple_name(&it.name)));
    if let (Some(note), true) = (classes.notes.first(), parts.len() > 1) {
        return Err(note.clone());
    }
    let is_known = |line: &Line, is_after: bool| {
        let model = if is_after { &specification.after } else { &specification.before };
        parse_expression(&line.written)
            .map_err(|error| error.message)
            .and_then(|it| model.condition(&it).map_err(|error| error.render("", &line.written)))
            .map(|_| ())
    };
    let mut left_out = Vec::new();
    let mut keep = |lines: &mut Vec<Line>, is_after: bool| {
        lines.retain(|line| match is_known(line, is_after) {
            Ok(()) => true,
            Err(_) => {
                left_out.push((line.words.clone(), "it mentions state that is not modelled".to_owned()));
                false
            }
        });
    };
    // A constructor has no object before the call.
    let is_made = specification.constructs();
    keep(&mut draft.invariants, is_made);
    keep(&mut draft.pre, false);
    keep(&mut draft.post, true);
    draft.left_out.extend(left_out);
    let mut inner = within(&specification, draft.scope);
    inner.retain(|it| is_known(it, false).is_ok());
    draft.pre.splice(0..0, inner);
    Ok(())
}

/// The constraint that numbers of inputs lie in the inner scope.
fn within(specification: &Specification, (_, least, most): (usize, i64, i64)) -> Vec<Line> {
    let mut lines = Vec::new();
    let is_number = |values: &[Values]| values.iter().any(|it| matches!(it, Values::Integers(_)));
    let mut line = |before: String, it: &str| {
        let words = if lines.is_empty() { "inputs avoid the bounds of the scope" } else { "" };
        let written = format!("{before}({it} >= {least} and {it} <= {most}))");
        lines.push(Line { written, words: words.to_owned() });
    };
    let plan = &specification.plan;
    for parameter in plan.parameters.iter().filter(|it| is_number(&it.values)) {
        let name = cupping_exhaust::model::notation(&parameter.name);
        let is_plain = !parameter.descriptor.starts_with(['L', '[']);
        let before = if is_plain { "(".to_owned() } else { format!("(some {name} & Int implies ") };
        let it = if is_plain { name } else { format!("({name} & Int)") };
        line(before, &it);
    }
    for (class, id) in &specification.before.classes {
        let sig = &specification.before.model.signature(*id).name;
        let Some(class) = plan.classes.classes.get(class) else { continue };
        for field in class.fields.iter().filter(|it| !it.is_static && is_number(&it.values)) {
            let name = cupping_exhaust::model::notation(&field.name);
            let is_plain = !field.descriptor.starts_with(['L', '[']);
            let it = if is_plain { format!("n.{name}") } else { format!("(n.{name} & Int)") };
            let some = if is_plain { String::new() } else { format!("some {it} implies ") };
            line(format!("(all n: {sig} | {some}"), &it);
        }
    }
    for (array, ids) in plan.classes.arrays.iter().zip(&specification.before.arrays) {
        let sig = &specification.before.model.signature(ids.sig).name;
        line(format!("(all n: {sig} | "), "n.length");
        if is_number(&array.elements) {
            line(format!("(all n: {sig} | all i: Int | some n.at[i] implies "), "n.at[i]");
        }
    }
    lines
}

/// Removes clauses that fail for some outcomes; returns whether there were any. An invariant that a call breaks
/// remains a precondition.
fn take_out(draft: &mut Draft, specification: &Specification, checked: &CheckResult) -> bool {
    let text = draft.code();
    let lines: Vec<&str> = text.lines().collect();
    let mut failed: Vec<(SpecificationPart, String)> = Vec::new();
    for group in &checked.groups {
        let Cause::Fails(places) = &group.cause else { continue };
        for at in places {
            let conjunct = &specification.promised[*at];
            let line = specification.line(conjunct.condition.span());
            let written = lines.get(line - 1).map(|it| it.trim().to_owned()).unwrap_or_default();
            if !failed.iter().any(|it| it.1 == written && it.0 == conjunct.part) {
                failed.push((conjunct.part, written));
            }
        }
    }
    let mut is_changed = false;
    for (part, written) in failed {
        let lines =
            if part == SpecificationPart::Invariant { &mut draft.invariants } else { &mut draft.post };
        let Some(at) = lines.iter().position(|it| it.written == written) else { continue };
        let line = lines.remove(at);
        is_changed = true;
        let why = "it does not follow from the invariants";
        if part == SpecificationPart::Invariant && !specification.constructs() {
            draft.left_out.push((format!("{}, afterwards", line.words), why.to_owned()));
            draft.pre.push(line);
        } else {
            draft.left_out.push((line.words, why.to_owned()));
        }
    }
    is_changed
}
