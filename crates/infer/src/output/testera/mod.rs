//! TestEra's notation: a specification for each method, in the input format of `cupping exhaust`
//! ([`docs/exhaust.md`]).
//!
//! A likely invariant holds for all observed objects, while `exhaust` tries all objects that satisfy it, and
//! inferred invariants are rarely complete. So each specification is tried within its own scope (`validation`).
//! Clauses that do not follow from the invariants become comments, and so do those that the notation cannot express.
//!
//! [`docs/exhaust.md`]: ../../../../docs/exhaust.md

mod draft;
mod expression;
mod observers;
mod shapes;
mod types;
mod validation;

use crate::formula::Formula;
use crate::outcome::InferenceOutcome;
use crate::program_point::ProgramPoint;
use crate::subject::Subject;
use crate::term::Term;
use crate::trace::{CallOutcome, Execution};
use crate::value::Value;
use cupping_case::JavaType;
use draft::{Draft, Line};
pub use expression::{Writer, sign};
use observers::Observers;
use std::cell::Cell;
use std::collections::BTreeSet;
use types::Kinds;

/// The largest constant that widens a scope.
const NEAR: i64 = 6;

/// The specifications of all methods.
pub fn write(subject: &Subject, outcome: &InferenceOutcome) -> String {
    let all = specifications(subject, outcome).into_iter().map(|(_, it)| it.unwrap_or_else(|why| why));
    all.collect::<Vec<String>>().join("\n")
}

/// The specifications of the methods that have one, each with the distinguishing part of its file name.
pub fn files(subject: &Subject, outcome: &InferenceOutcome) -> Vec<(String, String)> {
    let all = specifications(subject, outcome).into_iter();
    all.filter_map(|(name, text)| Some((name, text.ok()?))).collect()
}

/// The specifications of the methods, or a comment with the reason why there is none.
fn specifications(subject: &Subject, outcome: &InferenceOutcome) -> Vec<(String, Result<String, String>)> {
    let executions: Vec<&Execution> = outcome.explored.executions.iter().collect();
    let kinds = Kinds::new(subject, &executions);
    let shapes: Vec<Line> = shapes::shapes(subject, &executions)
        .into_iter()
        .map(|(words, written)| Line { written, words })
        .collect();
    let observers = Observers::new(subject, outcome);
    let mut files = Vec::new();
    for method in (0..subject.methods.len()).filter(|it| !subject.is_of_subclass(*it)) {
        let draft = draft(subject, outcome, method, &kinds, &shapes, &observers);
        let text = match validation::validated(subject, &draft) {
            Ok((draft, notes)) => Ok(draft.text(&name(subject, method), &notes)),
            Err(why) => {
                let head = format!("// Likely specification of {}\n", name(subject, method));
                Err(format!("{head}// left out: {}\n", why.replace('\n', "\n// ")))
            }
        };
        files.push((file_name(subject, method), text));
    }
    files
}

fn name(subject: &Subject, method: usize) -> String {
    format!("{}.{}", subject.name.replace(['/', '$'], "."), subject.signature(method))
}

/// `push`, or `push-int-Object` if there are several methods of that name.
fn file_name(subject: &Subject, method: usize) -> String {
    let simple = |method: usize| {
        let signature = subject.signature(method);
        signature.split('(').next().unwrap_or_default().to_owned()
    };
    let own = simple(method);
    if (0..subject.methods.len()).filter(|it| simple(*it) == own).count() == 1 {
        return own;
    }
    let types = subject.methods[method].parameters.iter().map(|it| {
        let ty = it.ty.to_string();
        format!("-{}", ty.rsplit(['.', '$']).next().unwrap_or_default().replace("[]", "Array"))
    });
    format!("{own}{}", types.collect::<String>())
}

fn draft(
    subject: &Subject,
    outcome: &InferenceOutcome,
    method: usize,
    kinds: &Kinds,
    shapes: &[Line],
    observers: &Observers,
) -> Draft {
    let invokable = &subject.methods[method];
    let key = subject.key(method);
    let mut draft = Draft { header: header(subject, method), ..Draft::default() };
    draft.header.extend(kinds.lines(method));
    let thrown: BTreeSet<String> = outcome
        .explored
        .executions
        .iter()
        .filter(|it| it.method == method)
        .filter_map(|it| match &it.ending {
            CallOutcome::Threw { class, .. } => Some(class.replace(['/', '$'], ".")),
            CallOutcome::Returned(_) => None,
        })
        .collect();
    if !thrown.is_empty() {
        draft.header.push(format!("throws {}", thrown.iter().cloned().collect::<Vec<_>>().join(", ")));
    }
    let is_after = Cell::new(false);
    let mut numbers = BTreeSet::from([-1, 2]);
    let mut left_out = Vec::new();
    let mut line = |formula: &Formula, writer: Writer<'_>, around: &dyn Fn(String) -> String| {
        let words = formula.to_string();
        // Constants that clauses demand of inputs must lie in the scope.
        let is_input = !is_after.get();
        let resolved = observers.resolved(formula);
        if resolved.kind().is_trivial() {
            return None;
        }
        let written = match writer.is_past {
            true => writer.around(&resolved, around),
            false => writer.formula(&resolved).map(around),
        };
        match written {
            Some(written) => {
                if is_input {
                    constants(&resolved, &mut numbers);
                }
                Some(Line { written, words })
            }
            None => {
                left_out.push((words, "the notation cannot express it".to_owned()));
                None
            }
        }
    };
    let writer = Writer { subject, method: Some(method), this: "this", is_past: false };
    let as_is = |it: String| it;
    let likely =
        |point: ProgramPoint| outcome.specification.clauses.iter().filter(move |it| it.point == point);
    let has_state = !invokable.is_static;
    for it in likely(ProgramPoint::Class).filter(|_| has_state) {
        draft.invariants.extend(line(&it.formula, Writer { method: None, ..writer }, &as_is));
    }
    // An object that is passed satisfies the invariants of its class.
    let own = JavaType::class(&subject.name);
    let mut is_passed = false;
    for parameter in invokable.parameters.iter() {
        let is_object = parameter.ty == JavaType::class("java/lang/Object");
        let is_own = |it: &str| is_object && kinds.has(method, it, &subject.name.replace(['/', '$'], "."));
        if parameter.ty != own && !is_own(&parameter.name) {
            continue;
        }
        is_passed = true;
        let name = cupping_exhaust::model::notation(&parameter.name);
        let class = cupping_exhaust::classes::simple_name(&subject.name).to_owned();
        // An argument declared as `Object` is first assumed to be of the class.
        let (this, around): (String, Box<dyn Fn(String) -> String>) = if is_object {
            let shown = class.clone();
            ("other_".into(), Box::new(move |it| format!("(all other_: {shown} & {name} | {it})")))
        } else {
            let shown = name.clone();
            (name, Box::new(move |it| format!("(some {shown} implies ({it}))")))
        };
        for it in likely(ProgramPoint::Class) {
            let writer = Writer { method: None, this: &this, ..writer };
            draft.pre.extend(line(&it.formula, writer, &*around));
        }
    }
    for it in likely(ProgramPoint::Entry(key.clone())) {
        draft.pre.extend(line(&it.formula, writer, &as_is));
    }
    is_after.set(true);
    let returned = |it: String| if thrown.is_empty() { it } else { format!("no thrown implies ({it})") };
    for it in likely(ProgramPoint::Exit(key.clone())) {
        draft.post.extend(line(&it.formula, writer, &returned));
    }
    for it in outcome.specification.throws.iter().filter(|it| it.method == key) {
        let class = it.class.rsplit(['/', '$']).next().unwrap_or_default().to_owned();
        let around = |condition: String| match it.exact {
            true => format!("(thrown = {class} iff {condition})"),
            false => format!("({condition} implies thrown = {class})"),
        };
        if let Some(written) = line(&it.condition, Writer { is_past: true, ..writer }, &around) {
            let when = if it.exact { "exactly when" } else { "when" };
            let words = format!("throws {class} {when} {}", it.condition);
            draft.post.push(Line { words, ..written });
        }
    }
    draft.left_out = left_out;
    if has_state {
        draft.invariants.extend(shapes.iter().cloned());
    }
    // Linked structures have many pairs.
    let objects = if shapes.is_empty() || is_passed { 2 } else { 3 };
    draft.scope = (objects, numbers.first().copied().unwrap_or(-1), numbers.last().copied().unwrap_or(2));
    draft
}

/// The lines `class` and `method`.
fn header(subject: &Subject, method: usize) -> Vec<String> {
    let invokable = &subject.methods[method];
    let shown = |ty: &JavaType| {
        let ty = ty.to_string();
        ty.rsplit(['.', '$']).next().unwrap_or_default().to_owned()
    };
    let parameters: Vec<String> =
        invokable.parameters.iter().map(|it| format!("{} {}", shown(&it.ty), it.name)).collect();
    let signature = subject.signature(method);
    let name = signature.split('(').next().unwrap_or_default();
    let result = match &invokable.result {
        _ if invokable.is_constructor() => String::new(),
        JavaType::Void => "void ".into(),
        other => format!("{} ", shown(other)),
    };
    vec![
        format!("class {}", subject.name.replace(['/', '$'], ".")),
        format!("method {result}{name}({})", parameters.join(", ")),
    ]
}

/// Collects the small numbers in a formula.
fn constants(formula: &Formula, found: &mut BTreeSet<i64>) {
    let mut add = |value: &Value| {
        if let Some(number) = value.number().and_then(|it| i64::try_from(it).ok())
            && number.abs() <= NEAR
        {
            found.insert(number);
        }
    };
    formula.kind().constants().iter().for_each(&mut add);
    formula.any(|it| {
        if let Term::Constant(value) = it {
            add(value);
        }
        false
    });
}
