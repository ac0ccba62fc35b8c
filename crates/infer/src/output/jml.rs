//! JML: a specification file next to the class (`Name.jml`), with `requires`, `ensures`, `signals` and `invariant`.
//!
//! Public clauses may mention public names only, so other fields are declared `spec_public`. Methods that clauses
//! call are `pure`, helpers are model methods.

use super::java::{Style, Writer, helpers};
use super::java_formulas::{idle, is_expressible, is_not_null, is_own};
use crate::formula::Formula;
use crate::java_literals::simple;
use crate::outcome::InferenceOutcome;
use crate::program_point::ProgramPoint;
use crate::subject::Subject;
use cupping_case::JavaType;

const STYLE: Style =
    Style { this: "this", result: "\\result", old: "\\old", implies: Some("==>"), quantifies: true };

/// Writes the file of a class.
pub fn write(subject: &Subject, outcome: &InferenceOutcome) -> String {
    let name = subject.simple_name();
    let simple_name = simple(&name).to_owned();
    let mut out = String::new();
    if let Some((package, _)) = subject.name.rsplit_once('/') {
        out += &format!("package {};\n\n", package.replace('/', "."));
    }
    out += &format!("public class {simple_name} {{\n");
    out += &fields(subject, &subject.name, "    ");
    let is_sayable = |point: &ProgramPoint, formula: &Formula| {
        is_expressible(subject, formula) && is_own(subject, point.method(), formula)
    };
    let idle = idle(subject, outcome, STYLE);
    let of = |point: &ProgramPoint, method: Option<usize>, word: &str| {
        let writer = Writer { subject, method, style: STYLE, idle: &idle };
        let mut text = String::new();
        let mut clauses: Vec<_> =
            outcome.specification.clauses.iter().filter(|it| it.point == *point).collect();
        // Conditions that others rely on come first.
        clauses.sort_by_key(|it| !is_not_null(&it.formula));
        for clause in clauses {
            if is_sayable(point, &clause.formula) {
                let written = writer.formula(&clause.formula);
                text += &written.map_or_else(String::new, |it| format!("    //@ {word} {it};\n"));
            }
        }
        text
    };
    out += &of(&ProgramPoint::Class, None, "public invariant");
    for (at, invokable) in subject.methods.iter().enumerate().filter(|it| !subject.is_of_subclass(it.0)) {
        let key = subject.key(at);
        let mut text = of(&ProgramPoint::Entry(key.clone()), Some(at), "requires");
        text += &of(&ProgramPoint::Exit(key.clone()), Some(at), "ensures");
        for throws in outcome.specification.throws.iter().filter(|it| it.method == key) {
            let writer = Writer { subject, method: Some(at), style: STYLE, idle: &idle };
            let is_written = throws.exact && is_sayable(&ProgramPoint::Entry(key.clone()), &throws.condition);
            if let Some(condition) = writer.formula(&throws.condition).filter(|_| is_written) {
                let class = throws.class.replace(['/', '$'], ".");
                text += &format!("    //@ signals ({class} e) \\old({condition});\n");
            }
        }
        let types: Vec<String> = invokable
            .parameters
            .iter()
            .map(|it| format!("{} {}", it.ty.to_string().replace('$', "."), it.name))
            .collect();
        let head = if invokable.is_constructor() {
            simple_name.clone()
        } else {
            let result = match &invokable.result {
                JavaType::Void => "void".to_owned(),
                other => other.to_string().replace('$', "."),
            };
            let name = &*invokable.reference.name;
            let is_asked =
                subject.observers.iter().any(|it| it.name == name && invokable.parameters.is_empty())
                    || subject.is_map && ["keySet", "values"].contains(&name);
            format!(
                "{}{}{result} {name}",
                if invokable.is_static { "static " } else { "" },
                if is_asked { "/*@ pure @*/ " } else { "" },
            )
        };
        out += &format!("\n{text}    public {head}({});\n", types.join(", "));
    }
    let used = helpers(&out);
    if !used.is_empty() {
        out += "\n    // what the conditions use\n";
        out += &models(&used);
    }
    out + "}\n"
}

/// Declarations of the fields that clauses may mention, also of nested classes.
fn fields(subject: &Subject, class: &str, indent: &str) -> String {
    let Ok(Some(file)) = subject.program.find(class) else { return String::new() };
    if subject.from_jdk {
        return String::new();
    }
    let mut out = String::new();
    for field in file.fields.iter().filter(|it| !it.access.is_static() && !it.access.is_synthetic()) {
        let Some(ty) = JavaType::parse(&field.descriptor) else { continue };
        let words = match () {
            () if field.access.is_public() => "public ",
            () if field.access.is_protected() => "/*@ spec_public @*/ protected ",
            () if field.access.is_private() => "/*@ spec_public @*/ private ",
            () => "/*@ spec_public @*/ ",
        };
        out += &format!("{indent}{words}{} {};\n", ty.to_string().replace('$', "."), field.name);
    }
    for nested in subject.layouts.keys() {
        let simple = nested.strip_prefix(class).and_then(|it| it.strip_prefix('$'));
        if let Some(simple) = simple.filter(|it| !it.contains('$')) {
            let inner = fields(subject, nested, &format!("{indent}    "));
            out += &format!("{indent}/*@ spec_public @*/ static class {simple} {{\n{inner}{indent}}}\n");
        }
    }
    if out.is_empty() { out } else { out + "\n" }
}

/// The helpers as model methods, which exist for specifications only.
fn models(helpers: &str) -> String {
    let mut out = String::new();
    for method in helpers.split("\n\n") {
        // JML skips a leading `@`, so annotations go.
        let lines: Vec<String> = method
            .lines()
            .filter(|it| !it.trim_start().starts_with('@'))
            .map(|it| format!("      {it}\n"))
            .collect();
        let method = lines.concat().replacen("static ", "public static pure model ", 1);
        out += &format!("    /*@\n{method}      @*/\n");
    }
    out
}
