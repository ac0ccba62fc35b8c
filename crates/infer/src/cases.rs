//! Selected tests as cases, with the observed results as assertions.

use crate::axioms::Axiom;
use crate::explore::Exploration;
use crate::outcome::{Classification, InferenceOutcome, SelectedTest};
use crate::sequence::CallSequence;
use crate::subject::Subject;
use crate::trace::{CallOutcome, Execution};
use crate::value::Value;
use cupping_case::{Assertion, Case, Expectation, JavaType, Literal, MethodRef, Probe, Suite, VarId};
use std::rc::Rc;

/// The largest number of observers that a test asserts.
const MOST_OBSERVERS: usize = 4;

/// The suite of all selected tests without repetition: those of the rounds, then those that support axioms.
pub fn suite(subject: &Subject, outcome: &InferenceOutcome) -> Suite {
    let mut suite = Suite::new(subject.name.clone());
    let mut done: Vec<Rc<CallSequence>> = Vec::new();
    for (at, round) in outcome.rounds.iter().enumerate() {
        for selected in &round.selected {
            if !done.contains(&selected.test) {
                done.push(selected.test.clone());
                add(subject, outcome, selected, at + 1, &mut suite);
            }
        }
    }
    for axiom in outcome.axioms.iter().flatten() {
        for test in &axiom.support {
            if !done.contains(test) {
                done.push(test.clone());
                supporting(subject, &outcome.explored, axiom, test, &mut suite);
            }
        }
    }
    suite
}

fn add(
    subject: &Subject,
    outcome: &InferenceOutcome,
    selected: &SelectedTest,
    round: usize,
    suite: &mut Suite,
) {
    let execution = &outcome.explored.executions[selected.execution];
    let Some(mut case) = case(subject, execution) else { return };
    case.distinction = format!("violates {} of round {round}", selected.violates[0]);
    if selected.kind == Classification::Fault { suite.failing.push(case) } else { suite.cases.push(case) }
}

fn supporting(
    subject: &Subject,
    explored: &Exploration,
    axiom: &Axiom,
    test: &Rc<CallSequence>,
    suite: &mut Suite,
) {
    let execution = explored.executions.iter().find(|it| it.test.as_ref() == Some(test));
    if let Some(mut case) = execution.and_then(|it| case(subject, it)) {
        case.distinction = format!("supports {}", axiom.text(subject));
        suite.cases.push(case);
    }
}

/// An execution as a case: its calls, its result or exception, and what observers return afterwards.
pub fn case(subject: &Subject, execution: &Execution) -> Option<Case> {
    let threw = match &execution.ending {
        CallOutcome::Threw { class, .. } => Some(&**class),
        CallOutcome::Returned(_) => None,
    };
    let (mut case, receiver, result) = execution.test.as_ref()?.case(threw)?;
    case.effects.clone_from(&execution.effects);
    if threw.is_some() {
        return Some(case);
    }
    let invokable = &subject.methods[execution.method];
    if let (Some(id), Some(value)) = (result, execution.result())
        && let Some(literal) = literal(&invokable.result, value)
    {
        case.assertions.push(Assertion { probe: Probe::Var(id), expectation: Expectation::Equals(literal) });
    }
    let shown = if invokable.is_constructor() { result } else { receiver };
    if let Some(id) = shown {
        observers(subject, execution, id, &mut case);
    }
    Some(case)
}

fn observers(subject: &Subject, execution: &Execution, id: VarId, case: &mut Case) {
    let Some(object) = execution.exit.object(&execution.exit.this) else { return };
    for observer in subject.observers.iter().take(MOST_OBSERVERS) {
        let Some(literal) = literal(&observer.ty, &object.field(&observer.shown)) else { continue };
        let method = MethodRef {
            class: subject.name.clone(),
            name: observer.name.as_str().into(),
            descriptor: observer.descriptor.as_str().into(),
            varargs: false,
            throws: subject
                .method(&observer.name, &observer.descriptor)
                .map_or(Vec::new(), |it| subject.methods[it].reference.throws.clone()),
            parameter_names: Vec::new(),
        };
        let probe = Probe::Observer { receiver: id, method, arguments: Vec::new() };
        case.assertions.push(Assertion { probe, expectation: Expectation::Equals(literal) });
    }
}

/// A value of a declared type as a literal.
fn literal(ty: &JavaType, value: &Value) -> Option<Literal> {
    Some(match (ty, value) {
        (_, Value::Null) => Literal::Null,
        (JavaType::Boolean, Value::Bool(it)) => Literal::Boolean(*it),
        (JavaType::Byte, Value::Int(it)) => Literal::Byte(*it as i8),
        (JavaType::Short, Value::Int(it)) => Literal::Short(*it as i16),
        (JavaType::Int, Value::Int(it)) => Literal::Int(*it as i32),
        (JavaType::Long, Value::Int(it)) => Literal::Long(*it),
        (JavaType::Char, Value::Char(it)) => Literal::Char(*it),
        (JavaType::Float, Value::Float(it)) => Literal::Float(*it as f32),
        (JavaType::Double, Value::Float(it)) => Literal::Double(*it),
        (JavaType::Class(_), Value::Text(it)) => Literal::String(it.encode_utf16().collect()),
        (JavaType::Class(_), Value::Enum(class, field)) => {
            Literal::Constant { class: class.as_str().into(), field: field.as_str().into() }
        }
        _ => return None,
    })
}
