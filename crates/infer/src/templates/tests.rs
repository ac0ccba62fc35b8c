//! Each template against the tables of its file in `tests/templates`: its proposals, if they hold and are unlikely
//! to hold by chance.
//!
//! Tables in a file are separated by lines with `---`. A table has a row of values for each variable; `old` rows
//! have the values before the call. The expected proposals follow `=>`; `CUPPING_BLESS=1` rewrites them.

use super::STAGES;
use crate::program_point::ProgramPoint;
use crate::proposals::propose;
use crate::sort::Sort;
use crate::table::{Column, Table};
use crate::term::Term;
use crate::trace::{CallOutcome, Execution, ExecutionOrigin};
use crate::value::{Image, Moment, Object, Value};
use cupping_case::JavaType;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/templates")
}

/// `this.x`, `this.x[]`, `size(this.x)`, `result`, or a parameter; prefixed by `old` for the state before the call.
fn term(text: &str) -> Term {
    if let Some(of) = text.strip_prefix("old ") {
        return Term::Old(Box::new(term(of)));
    }
    if let Some(of) = text.strip_suffix("[]") {
        return Term::Elements(Box::new(term(of)));
    }
    if let Some(of) = text.strip_prefix("size(").and_then(|it| it.strip_suffix(')')) {
        return Term::Length(Box::new(term(of)));
    }
    match text.strip_prefix("this.") {
        Some(field) => Term::This.field(field),
        None if text == "result" => Term::Result,
        None => Term::Parameter(0, text.to_owned()),
    }
}

fn value(text: &str) -> Value {
    if let Some(elements) = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        return Value::Seq(elements.split(',').filter(|it| !it.is_empty()).map(value).collect());
    }
    match text {
        "-" => Value::Absent,
        "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ if text.starts_with('@') => Value::Object(text[1..].parse().expect("an address")),
        _ => text.parse().map_or_else(|_| Value::Text(text.trim_matches('"').replace('_', " ")), Value::Int),
    }
}

fn sort(value: &Value) -> Sort {
    match value {
        Value::Bool(_) => Sort::Truth,
        Value::Int(_) => Sort::Number,
        Value::Text(_) => Sort::Text,
        Value::Seq(elements) => Sort::Elements(Box::new(elements.first().map_or(Sort::Number, sort))),
        _ => Sort::Reference,
    }
}

/// Gives a variable a value in a moment, by creating the objects and fields that the term reads.
fn put(moment: &mut (Object, Vec<(u32, Object)>, Value, Value), at: usize, of: &Term, value: &Value) {
    let empty = || Object { class: "D".into(), fields: Vec::new(), elements: None, length: None };
    let place = 10 + at as u32;
    match of {
        Term::Field(_, name) => {
            let known = moment.0.fields.iter().any(|it| *it.0 == **name);
            if !known {
                moment.0.fields.push((name.as_str().into(), value.clone()));
            }
            if let Value::Object(address) = value {
                moment.1.push((*address, empty()));
            }
        }
        Term::Elements(array) | Term::Length(array) => {
            let (elements, length) = match value {
                Value::Seq(all) => (Some(all.clone()), all.len()),
                other => (None, other.number().unwrap_or(0) as usize),
            };
            let object = Object { elements, length: Some(length), ..empty() };
            put(moment, at, array, &Value::Object(place));
            moment.1.retain(|it| it.0 != place);
            moment.1.push((place, object));
        }
        Term::Result => moment.3 = value.clone(),
        _ => moment.2 = value.clone(),
    }
}

/// Checks a template against the table that a text describes.
fn check(template: &str, text: &str) -> Vec<String> {
    let rows: Vec<(Term, Vec<Value>)> = text
        .lines()
        .filter(|it| !it.is_empty() && !it.starts_with('#'))
        .map(|line| {
            let (name, values) = line.split_once(": ").expect("a name and values");
            (term(name), values.split_whitespace().map(value).collect())
        })
        .collect();
    let is_exit = rows.iter().any(|it| matches!(it.0, Term::Old(_) | Term::Result | Term::Parameter(..)));
    let point = if is_exit { ProgramPoint::Exit("m()V".into()) } else { ProgramPoint::Class };
    let count = rows.iter().map(|it| it.1.len()).max().expect("rows");
    let executions: Vec<Execution> = (0..count)
        .map(|row| {
            let this = Object { class: "C".into(), fields: Vec::new(), elements: None, length: None };
            let mut moments = [
                (this.clone(), Vec::new(), Value::Absent, Value::Absent),
                (this, Vec::new(), Value::Absent, Value::Absent),
            ];
            for (at, (term, values)) in rows.iter().enumerate() {
                match term {
                    Term::Old(of) => put(&mut moments[0], at, of, &values[row]),
                    other => put(&mut moments[1], at, other, &values[row]),
                }
            }
            let [entry, exit] = moments;
            let ending = CallOutcome::Returned(exit.3.clone());
            let moment = |(this, others, argument, _): (Object, Vec<(u32, Object)>, Value, Value)| Moment {
                this: Value::Object(1),
                arguments: vec![argument],
                state: Rc::new(Image { objects: others.into_iter().chain([(1, this)]).collect() }),
                others: Rc::default(),
            };
            Execution {
                method: 0,
                entry: moment(entry),
                exit: moment(exit),
                ending,
                origin: ExecutionOrigin::Suite,
                test: None,
                effects: Default::default(),
            }
        })
        .collect();
    let columns = rows
        .iter()
        .map(|(term, values)| {
            for (execution, value) in executions.iter().zip(values) {
                assert_eq!(
                    term.value(execution, point.phase()),
                    *value,
                    "{term} is laid out as it is written"
                );
            }
            let known: Vec<&Value> = values.iter().filter(|it| it.is_present()).collect();
            let sort = known.iter().find(|it| ***it != Value::Null).map_or(Sort::Reference, |it| sort(it));
            let distinct: BTreeSet<String> = known.iter().map(|it| format!("{it:?}")).collect();
            let ty = JavaType::class("java/lang/Object");
            Column { term: term.clone(), ty, sort, values: values.clone(), distinct: distinct.len() }
        })
        .collect();
    let constants = Rc::default();
    let table = Table { point, columns, rows: executions.iter().collect(), samples: count, constants };
    let templates: Vec<_> =
        STAGES.iter().copied().flatten().copied().filter(|it| it.name() == template).collect();
    propose(&templates, &table).into_iter().map(|it| it.0.to_string()).collect()
}

#[test]
fn templates_propose_what_holds_and_nothing_else() {
    let is_blessed = std::env::var_os("CUPPING_BLESS").is_some();
    let mut wrong = Vec::new();
    for template in STAGES.iter().copied().flatten() {
        let file =
            folder().join(format!("{}.txt", template.name().replace([',', ' '], "_").replace("__", "_")));
        let text = fs::read_to_string(&file)
            .unwrap_or_else(|_| panic!("{} is missing: tables for it", file.display()));
        let (mut written, mut proposing, mut silent) = (Vec::new(), 0, 0);
        for part in text.split("---\n") {
            let (rows, _) = part.split_once("=>").unwrap_or((part, ""));
            let found = check(template.name(), rows);
            *(if found.is_empty() { &mut silent } else { &mut proposing }) += 1;
            let lines: String = found.iter().map(|it| format!(" {it}\n")).collect();
            written.push(format!("{rows}=>{}", if lines.is_empty() { " nothing\n" } else { &lines }));
        }
        let written = written.join("---\n");
        if is_blessed {
            fs::write(&file, &written).expect("it can be written");
        } else if written != text {
            wrong.push(format!("{}:\n{written}", file.display()));
        }
        assert!(
            proposing > 0 && silent > 0,
            "{}: a table where it proposes, and one where it does not",
            template.name()
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(
        fs::read_dir(folder()).expect("the folder").count(),
        STAGES.iter().map(|it| it.len()).sum::<usize>()
    );
}
