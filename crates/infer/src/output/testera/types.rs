//! The kinds of observed values in fields, parameters and results whose declared type is too general for the
//! notation, such as `Object`.

use crate::subject::Subject;
use crate::trace::{CallOutcome, Execution};
use crate::value::{Moment, Value};
use cupping_case::JavaType;
use cupping_exhaust::classes::simple_name;
use std::collections::{BTreeMap, BTreeSet};

/// Kinds by program element: fields as `Node.element`; for each method, its parameters and `result`.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    fields: BTreeMap<String, BTreeSet<String>>,
    calls: BTreeMap<(usize, String), BTreeSet<String>>,
    /// Strings that were seen.
    pub texts: BTreeSet<String>,
}

/// The number of strings in a scope.
const MOST_TEXTS: usize = 3;

impl Kinds {
    /// Collects kinds from executions.
    pub fn new(subject: &Subject, executions: &[&Execution]) -> Kinds {
        let mut kinds = Kinds::default();
        let open: Vec<(&str, &str, String)> = subject
            .layouts
            .iter()
            .flat_map(|(class, fields)| fields.iter().map(move |(name, ty)| (&**class, &**name, ty)))
            .filter(|it| is_open(subject, it.2))
            .map(|(class, name, _)| (class, name, format!("{}.{name}", simple_name(class))))
            .collect();
        for execution in executions {
            for moment in [&execution.entry, &execution.exit] {
                for object in moment.state.objects.values().chain(moment.others.objects.values()) {
                    for (_, name, shown) in open.iter().filter(|it| *it.0 == *object.class) {
                        let value = object.field(name);
                        let found = kinds.kind(subject, moment, &value);
                        kinds.fields.entry(shown.clone()).or_default().extend(found);
                    }
                }
            }
            let invokable = &subject.methods[execution.method];
            for (parameter, value) in invokable.parameters.iter().zip(&execution.entry.arguments) {
                if is_open(subject, &parameter.ty) {
                    let found = kinds.kind(subject, &execution.entry, value);
                    let place = (execution.method, parameter.name.clone());
                    kinds.calls.entry(place).or_default().extend(found);
                }
            }
            if let CallOutcome::Returned(value) = &execution.ending
                && is_open(subject, &invokable.result)
            {
                let found = kinds.kind(subject, &execution.exit, value);
                kinds.calls.entry((execution.method, "result".into())).or_default().extend(found);
            }
        }
        kinds
    }

    /// Whether an argument of this kind was seen.
    pub fn has(&self, method: usize, parameter: &str, kind: &str) -> bool {
        self.calls.get(&(method, parameter.to_owned())).is_some_and(|it| it.contains(kind))
    }

    /// The lines of a method's header.
    pub fn lines(&self, method: usize) -> Vec<String> {
        let calls = self.calls.iter().filter(|it| it.0.0 == method).map(|it| (&it.0.1, it.1));
        let all = self.fields.iter().chain(calls).filter(|it| !it.1.is_empty());
        let mut lines: Vec<String> = all
            .map(|(place, kinds)| {
                format!("type {place}: {}", kinds.iter().cloned().collect::<Vec<_>>().join(" + "))
            })
            .collect();
        if !self.texts.is_empty() {
            let texts: Vec<String> =
                self.texts.iter().take(MOST_TEXTS).map(|it| format!("\"{it}\"")).collect();
            lines.push(format!("strings {}", texts.join(", ")));
        }
        lines
    }

    fn kind(&mut self, subject: &Subject, moment: &Moment, value: &Value) -> Option<String> {
        Some(match value {
            Value::Bool(_) => "Boolean".into(),
            Value::Int(_) => "Integer".into(),
            Value::Char(_) => "Character".into(),
            Value::Float(_) => "Double".into(),
            Value::Text(text) => {
                if text.chars().all(|c| c == ' ' || c.is_ascii_alphanumeric()) && self.texts.len() < 100 {
                    self.texts.insert(text.clone());
                }
                "String".into()
            }
            Value::Enum(class, _) => class.replace(['/', '$'], "."),
            Value::Object(_) => {
                let object = moment.object(value)?;
                if object.class.starts_with('[') {
                    let elements = object.elements.as_ref()?;
                    // The notation has no arrays of objects of the class itself whose declared type is open.
                    let own = subject.name.replace(['/', '$'], ".");
                    let kinds = elements.iter().filter_map(|it| self.kind(subject, moment, it));
                    let kinds: BTreeSet<String> = kinds.filter(|it| *it != own).collect();
                    format!("{}[]", kinds.first()?)
                } else if subject.layouts.contains_key(&*object.class) {
                    object.class.replace(['/', '$'], ".")
                } else {
                    return None;
                }
            }
            Value::Absent | Value::Null | Value::Seq(_) => return None,
        })
    }
}

/// Whether a declared JDK type is too general.
fn is_open(subject: &Subject, ty: &JavaType) -> bool {
    match ty {
        JavaType::Array(element) => is_open(subject, element),
        JavaType::Class(name) => {
            let is_box = name.strip_prefix("java/lang/").is_some_and(|it| {
                matches!(
                    it,
                    "Integer"
                        | "Long"
                        | "Short"
                        | "Byte"
                        | "Character"
                        | "Boolean"
                        | "Double"
                        | "Float"
                        | "String"
                )
            });
            name.starts_with("java/") && !is_box && !subject.layouts.contains_key(name)
        }
        _ => false,
    }
}
