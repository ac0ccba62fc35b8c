//! Describes the outcome of a call in words for the name of its test.

use super::expressions::class_or_array;
use super::slugs::{capital, identifier_part, of_literal, of_type};
use super::type_names::ClassName;
use cupping_case::{Action, Case, Expectation, ExpectedValue, Literal, Operand, Outcome, Probe, VarId};

/// The outcome as words: `returns5`, `throwsIOException`, `hasSize1`.
pub(super) fn outcome(case: &Case) -> String {
    if let Outcome::Threw { class, .. } = &case.outcome {
        return format!("throws{}", identifier_part(ClassName::parse(class).simple()));
    }
    let result = case.steps.last().and_then(|step| step.result);
    let on_result = case
        .assertions
        .iter()
        .find(|it| matches!(it.probe, Probe::Var(var) | Probe::Elements(var) if Some(var) == result));
    if let Some(assertion) = on_result
        && case.under_test.name.as_ref() != "<init>"
    {
        let value = match &assertion.expectation {
            Expectation::Equals(literal) => returned_word(literal),
            Expectation::NotNull | Expectation::OneOf(_) => "Object".into(),
            Expectation::Differs(literal) => format!("Not{}", returned_word(literal)),
            Expectation::DiffersFrom(_) => "AnotherValue".into(),
            Expectation::Same(other) if is_receiver(case, *other) => "Itself".into(),
            Expectation::Same(_) => "SameObject".into(),
            Expectation::EqualsValue(expected) => value_word(expected),
            Expectation::ArrayEquals(elements) if elements.is_empty() => "EmptyArray".into(),
            Expectation::ArrayEquals(_) => "Array".into(),
            Expectation::InstanceOf(class) => capital(&of_type(&class_or_array(class))),
            Expectation::InFolder(_) => "PathInFolder".into(),
        };
        return format!("returns{value}");
    }
    case.assertions.iter().find_map(observed).unwrap_or_else(|| "succeeds".into())
}

/// The kind of value, and its number of parts.
fn value_word(expected: &ExpectedValue) -> String {
    let sized = |kind: &str, size: usize| match size {
        0 => format!("Empty{kind}"),
        size => format!("{kind}Of{size}"),
    };
    match expected {
        ExpectedValue::Literal(literal) => returned_word(literal),
        ExpectedValue::Call { method, args } => match args.as_slice() {
            [ExpectedValue::Literal(literal)] => returned_word(literal),
            [] => "Empty".into(),
            _ => capital(&of_type(&class_or_array(&method.class))),
        },
        ExpectedValue::Array { elements, .. } if elements.is_empty() => "EmptyArray".into(),
        ExpectedValue::Array { .. } => "Array".into(),
        ExpectedValue::List(elements) => sized("List", elements.len()),
        ExpectedValue::Set(elements) => sized("Set", elements.len()),
        ExpectedValue::Map(entries) => sized("Map", entries.len()),
    }
}

/// `callsMoved`, `callsNothing`: the first call of a stub.
fn calls_word(expected: &Expectation) -> String {
    let first = match expected {
        Expectation::EqualsValue(ExpectedValue::List(all)) => all.first(),
        _ => None,
    };
    let Some(ExpectedValue::Literal(Literal::String(text))) = first else { return "callsNothing".into() };
    let text = String::from_utf16_lossy(text);
    format!("calls{}", capital(&identifier_part(text.split('(').next().unwrap_or_default())))
}

fn returned_word(literal: &Literal) -> String {
    match (of_literal(literal), literal) {
        (Some(word), _) => capital(&word),
        (None, Literal::String(_)) => "Text".into(),
        (None, _) => "Value".into(),
    }
}

/// `hasSize1`, `isEmpty`, `isNotEmpty`: the result of an observer.
pub(super) fn observed(assertion: &cupping_case::Assertion) -> Option<String> {
    let name = match &assertion.probe {
        Probe::Observer { method, .. } => &*method.name,
        Probe::Chain { members, .. } => members.last()?.name(),
        Probe::Captured { argument, members } => members.last().map_or(&*argument.method, |it| it.name()),
        Probe::Printed | Probe::PrintedToKept => return Some("prints".into()),
        Probe::Calls { .. } => return Some(calls_word(&assertion.expectation)),
        Probe::Var(_) | Probe::Elements(_) | Probe::Cause | Probe::State { .. } => return None,
        Probe::File { aspect, .. } => return super::folder::word(*aspect, &assertion.expectation),
    };
    let name = identifier_part(name);
    let value = match &assertion.expectation {
        Expectation::Equals(Literal::Boolean(yes)) if name.len() > 2 && name.starts_with("is") => {
            return Some(if *yes { name } else { format!("isNot{}", &name[2..]) });
        }
        Expectation::Equals(literal) => returned_word(literal),
        Expectation::EqualsValue(_)
        | Expectation::ArrayEquals(_)
        | Expectation::Differs(_)
        | Expectation::DiffersFrom(_)
        | Expectation::OneOf(_)
        | Expectation::NotNull
        | Expectation::Same(_)
        | Expectation::InstanceOf(_)
        | Expectation::InFolder(_) => String::new(),
    };
    // `getSize` and `toArray` are words before a capital; `total` is not.
    let without = |prefix: &str| {
        name.strip_prefix(prefix).filter(|rest| rest.chars().next().is_some_and(char::is_uppercase))
    };
    let property = without("get").or_else(|| without("to")).unwrap_or(&name);
    Some(format!("has{}{value}", capital(property)))
}

fn is_receiver(case: &Case, var: VarId) -> bool {
    matches!(case.steps.last().map(|step| &step.action),
        Some(Action::Invoke { receiver: Operand::Var(receiver), .. }) if *receiver == var)
}
