//! Java assertions: what to insert at the beginning of each method and before it returns. Past values are kept in
//! variables.

use super::java::{Style, Writer, helpers};
use super::java_formulas::{idle, is_expressible, is_not_null, is_own};
use crate::formula::Formula;
use crate::outcome::InferenceOutcome;
use crate::program_point::ProgramPoint;
use crate::subject::Subject;
use crate::term::Term;
use crate::typing::{is_elements, type_of};
use std::collections::BTreeMap;

const STYLE: Style = Style { this: "this", result: "result", old: "old", implies: None, quantifies: false };

/// Writes the assertions of a class.
pub fn write(subject: &Subject, outcome: &InferenceOutcome) -> String {
    let mut out = format!("// Likely specification of {}\n", subject.name.replace('/', "."));
    let formulas = |point: &ProgramPoint| -> Vec<&Formula> {
        let of = outcome.specification.clauses.iter().filter(|it| it.point == *point);
        of.map(|it| &it.formula)
            .filter(|it| is_expressible(subject, it) && is_own(subject, point.method(), it))
            .collect()
    };
    let mut class = formulas(&ProgramPoint::Class);
    // Conditions that others rely on come first.
    class.sort_by_key(|it| !is_not_null(it));
    let idle = idle(subject, outcome, STYLE);
    if !class.is_empty() {
        let writer = Writer { subject, method: None, style: STYLE, idle: &idle };
        out += "\nprivate boolean likelyInvariant() {\n";
        for text in class.into_iter().filter_map(|it| writer.formula(it)) {
            out += &format!("    assert {text};\n");
        }
        out += "    return true;\n}\n";
    }
    for method in (0..subject.methods.len()).filter(|it| !subject.is_of_subclass(*it)) {
        let key = subject.key(method);
        let writer = Writer { subject, method: Some(method), style: STYLE, idle: &idle };
        let is_sayable = |it: &Formula| is_expressible(subject, it) && is_own(subject, Some(&key), it);
        let throws = outcome.specification.throws.iter().filter(|it| it.method == key);
        let throws: Vec<(String, String)> = throws
            .filter(|it| is_sayable(&it.condition))
            .filter_map(|it| Some((it.class.replace(['/', '$'], "."), writer.alternatives(&it.condition)?)))
            .collect();
        let (entry, exit) = (formulas(&ProgramPoint::Entry(key.clone())), formulas(&ProgramPoint::Exit(key)));
        if entry.is_empty() && exit.is_empty() && throws.is_empty() {
            continue;
        }
        out += &format!("\n// {}\n", subject.signature(method));
        out += "// at its beginning\n";
        for text in entry.iter().filter_map(|it| writer.formula(it)) {
            out += &format!("assert {text};\n");
        }
        let mut variables: BTreeMap<String, (String, String)> = BTreeMap::new();
        let mut after = String::new();
        for formula in &exit {
            let Some(mut text) = writer.formula(formula) else { continue };
            let types: Vec<(String, String)> =
                past_terms(formula).iter().map(|it| (past(&writer, it), ty(subject, method, it))).collect();
            while let Some((begin, end)) = first_past(&text) {
                let shown = text[begin + 4..end - 1].to_owned();
                let known = types.iter().find(|it| it.0 == shown);
                // Values without a declared type are conditions.
                let ty = known.map_or("boolean".to_owned(), |it| it.1.clone());
                let number = variables.len();
                let name = &variables.entry(shown).or_insert_with(|| (format!("old{number}"), ty)).0;
                text.replace_range(begin..end, name);
            }
            after += &format!("assert {text};\n");
        }
        for (shown, (name, ty)) in &variables {
            out += &format!("{ty} {name} = {shown};\n");
        }
        for (at, (_, condition)) in throws.iter().enumerate() {
            out += &format!("boolean throws{at} = {condition};\n");
        }
        out += &format!("// before it returns\n{after}");
        for (at, (class, _)) in throws.iter().enumerate() {
            out += &format!("assert !throws{at} : \"{class} is expected\";\n");
        }
    }
    let used = helpers(&out);
    if !used.is_empty() {
        out += &format!("\n// what the assertions use\n{used}");
    }
    out
}

/// The expression that saves a past term, with a default if the path to it is broken.
fn past(writer: &Writer<'_>, term: &Term) -> String {
    let text = writer.term(&Term::Old(Box::new(term.clone())));
    text.strip_prefix("old(").and_then(|it| it.strip_suffix(')')).unwrap_or(&text).to_owned()
}

/// The type of the variable for a term.
fn ty(subject: &Subject, method: usize, term: &Term) -> String {
    if is_elements(term) {
        return "java.util.List<Object>".to_owned();
    }
    match term {
        // Sums are exact.
        Term::Sum(_) | Term::Min(_) | Term::Max(_) | Term::Linear(..) => "long".to_owned(),
        _ => type_of(subject, Some(method), term).to_string().replace('$', "."),
    }
}

/// The range of the first `old(…)` of an expression.
fn first_past(text: &str) -> Option<(usize, usize)> {
    let is_word = |at: usize| text[..at].ends_with(|it: char| it.is_alphanumeric() || it == '_');
    let begin = text.match_indices("old(").map(|it| it.0).find(|at| !is_word(*at))?;
    let mut depth = 0;
    let length = text[begin..].find(|it| {
        depth += i32::from(it == '(') - i32::from(it == ')');
        it == ')' && depth == 0
    })?;
    Some((begin, begin + length + 1))
}

/// The terms whose past values a formula needs.
fn past_terms(formula: &Formula) -> Vec<Term> {
    let mut found = Vec::new();
    formula.any(|it| {
        if let Term::Old(of) = it
            && !found.contains(&**of)
        {
            found.push((**of).clone());
        }
        false
    });
    found
}
