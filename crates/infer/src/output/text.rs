//! For people: as Daikon writes, with the evidence behind each line.

use crate::entailment::Premises;
use crate::formula::{Comparison, Formula, Shape};
use crate::implications::negated;
use crate::inference::Specification;
use crate::rounds::{Evidence, Outcome};
use crate::sequence::{char_text, real_text, simple, string_text};
use crate::subject::Subject;
use crate::table::ProgramPoint;
use crate::term::Term;
use crate::value::Value;
use cupping_case::JavaType;

/// A term as people write it: `elems[..numberOfElements]`, `old(size)`.
pub fn term(of: &Term) -> String {
    match of {
        Term::This => "this".into(),
        Term::Parameter(_, name) => name.clone(),
        Term::Result => "result".into(),
        Term::Field(of, name) | Term::Observer(of, name) => match &**of {
            Term::This => format!("this.{name}"),
            other => format!("{}.{name}", term(other)),
        },
        Term::Old(of) => format!("old({})", term(of)),
        Term::Length(of) => format!("size({})", term(of)),
        Term::Elements(of) => format!("{}[]", term(of)),
        Term::First(seq, count) => match seq_name(seq) {
            Some((name, true)) => format!("old({name}[..{}])", term(unwrapped(count))),
            Some((name, false)) => format!("{name}[..{}]", term(count)),
            None => format!("first({}, {})", term(seq), term(count)),
        },
        Term::Rest(seq, from) => match seq_name(seq) {
            Some((name, false)) => format!("{name}[{}..]", term(from)),
            _ => format!("rest({}, {})", term(seq), term(from)),
        },
        Term::At(seq, index, offset) => {
            let index = match offset {
                0 => term(index),
                _ if *offset > 0 => format!("{} + {offset}", term(index)),
                _ => format!("{} - {}", term(index), -offset),
            };
            match seq_name(seq) {
                Some((name, false)) => format!("{name}[{index}]"),
                _ => format!("{}[{index}]", term(seq)),
            }
        }
        Term::Sum(seq) => format!("sum({})", term(seq)),
        Term::Min(seq) => format!("min({})", term(seq)),
        Term::Max(seq) => format!("max({})", term(seq)),
        Term::Append(seq, last) => format!("{} + [{}]", term(seq), term(last)),
        Term::Prepend(first, seq) => format!("[{}] + {}", term(first), term(seq)),
        Term::Reverse(seq) => format!("reverse({})", term(seq)),
        Term::Linear(terms, constant) => linear(terms, *constant),
        Term::Constant(of) => value(of),
    }
}

fn seq_name(seq: &Term) -> Option<(String, bool)> {
    match seq {
        Term::Elements(of) => Some((term(of), false)),
        Term::Old(of) => match &**of {
            Term::Elements(of) => Some((term(of), true)),
            _ => None,
        },
        _ => None,
    }
}

fn unwrapped(of: &Term) -> &Term {
    match of {
        Term::Old(inner) => inner,
        other => other,
    }
}

fn linear(terms: &[(i64, Term)], constant: i64) -> String {
    let mut out = String::new();
    for (factor, of) in terms {
        let sign = if *factor < 0 { " - " } else { " + " };
        let magnitude = factor.unsigned_abs();
        let text = if magnitude == 1 { term(of) } else { format!("{magnitude} * {}", term(of)) };
        if out.is_empty() {
            out = if *factor < 0 { format!("-{text}") } else { text };
        } else {
            out += &format!("{sign}{text}");
        }
    }
    match constant {
        0 => out,
        _ if constant < 0 => format!("{out} - {}", constant.unsigned_abs()),
        _ => format!("{out} + {constant}"),
    }
}

/// A value as source states it.
pub fn value(of: &Value) -> String {
    match of {
        Value::Absent => "nothing".into(),
        Value::Null => "null".into(),
        Value::Bool(it) => it.to_string(),
        Value::Int(it) if *it == i64::from(i32::MIN) => "Integer.MIN_VALUE".into(),
        Value::Int(it) if *it == i64::from(i32::MAX) => "Integer.MAX_VALUE".into(),
        Value::Int(i64::MIN) => "Long.MIN_VALUE".into(),
        Value::Int(i64::MAX) => "Long.MAX_VALUE".into(),
        Value::Int(it) if i32::try_from(*it).is_err() => format!("{it}L"),
        Value::Int(it) => it.to_string(),
        Value::Char(it) => char_text(*it),
        Value::Float(it) => real_text(*it, "Double"),
        Value::Text(it) => string_text(it),
        Value::Enum(class, name) => format!("{}.{name}", simple(class)),
        Value::Object(_) => "an object".into(),
        Value::Seq(all) => {
            let all: Vec<String> = all.iter().map(value).collect();
            format!("[{}]", all.join(", "))
        }
    }
}

/// A formula as people write it.
pub fn formula(of: &Formula) -> String {
    match of {
        Formula::Compare(a, Comparison::Equal, Term::Constant(Value::Bool(truth))) => {
            format!("{} == {truth}", term(a))
        }
        Formula::Compare(a, comparison, b) => format!("{} {} {}", term(a), comparison.sign(), term(b)),
        Formula::OneOf(a, values) => {
            let values: Vec<String> = values.iter().map(value).collect();
            format!("{} one of {{ {} }}", term(a), values.join(", "))
        }
        Formula::Modulus(a, modulus, rest) => format!("{} == {rest} (mod {modulus})", term(a)),
        Formula::Bits(a, mask, bits) => format!("({} & {mask:#x}) == {bits:#x}", term(a)),
        Formula::Sorted { seq, strict, falling } => {
            let way = match (falling, strict) {
                (false, true) => "<",
                (false, false) => "<=",
                (true, true) => ">",
                (true, false) => ">=",
            };
            format!("{} sorted by {way}", term(seq))
        }
        Formula::Distinct(a) => format!("{} has no element twice", term(a)),
        Formula::Member(a, b) => format!("{} in {}", term(a), term(b)),
        Formula::Subset(a, b) => format!("{} is a subset of {}", term(a), term(b)),
        Formula::Each(a, comparison, b) => {
            format!("each of {} {} {}", term(a), comparison.sign(), term(b))
        }
        Formula::Pairwise(a, comparison, b) => {
            format!("{} {} {} (elementwise)", term(a), comparison.sign(), term(b))
        }
        Formula::Prefix(a, b) => format!("{} is a prefix of {}", term(a), term(b)),
        Formula::Frame(a, b, index) => format!("{} == {} but at {}", term(a), term(b), term(index)),
        Formula::Shaped(a, shape) => {
            let said = match shape {
                Shape::NotEmpty => "is not empty",
                Shape::Digits => "consists of digits",
                Shape::Alphanumeric => "consists of letters and digits",
                Shape::NoLower => "has no lower case",
                Shape::NoUpper => "has no upper case",
                Shape::Trimmed => "has no white space around it",
            };
            format!("{} {said}", term(a))
        }
        Formula::Class(a, class) => {
            let name = JavaType::parse(class).map_or(class.replace('/', "."), |it| it.to_string());
            format!("{} has class {name}", term(a))
        }
        Formula::Implies(a, b) => format!("{} ==> {}", condition(a), formula(b)),
        Formula::Iff(a, b) => format!("({}) == ({})", formula(a), formula(b)),
        Formula::Not(a) => format!("!({})", formula(a)),
        Formula::Any(all) => {
            let all: Vec<String> = all.iter().map(formula).collect();
            all.join(" || ")
        }
    }
}

/// A condition: a truth value as itself.
fn condition(of: &Formula) -> String {
    match of {
        Formula::Compare(a, Comparison::Equal, Term::Constant(Value::Bool(true))) => term(a),
        Formula::Compare(a, Comparison::Equal, Term::Constant(Value::Bool(false))) => format!("!{}", term(a)),
        other => format!("({})", formula(other)),
    }
}

/// All that was found of a class.
pub fn write(subject: &Subject, outcome: &Outcome) -> String {
    let explored = &outcome.explored;
    let bound = if explored.closed {
        "all states that the values tried lead to".to_owned()
    } else {
        format!("all sequences up to {} calls, and some longer ones", explored.complete)
    };
    let mut out = format!(
        "{}\nheld of {} executions by tests and {} more: {bound}\n",
        subject.name.replace('/', "."),
        outcome.recorded,
        explored.executions.len()
    );
    if outcome.axiomatic {
        out += &axiomatic(subject, outcome);
    }
    if let Some(axioms) = &outcome.axioms {
        out += "\naxioms\n";
        for axiom in axioms {
            out += &format!("  {}    [{}]\n", axiom.text(subject), axiom.evidence());
        }
        if axioms.is_empty() {
            out += "  none\n";
        }
    }
    out
}

fn axiomatic(subject: &Subject, outcome: &Outcome) -> String {
    let mut out = String::new();
    let specification = &outcome.specification;
    let of = |point: &ProgramPoint, said: &[Formula]| {
        let told = Premises::new(said);
        let mut text = String::new();
        let mut unchanged = Vec::new();
        for (likely, evidence) in specification.clauses.iter().zip(&outcome.evidence) {
            match &likely.formula {
                _ if likely.point != *point => {}
                other if told.implies(other, &|_| false) => {}
                Formula::Compare(a, Comparison::Equal, Term::Old(old)) if **old == *a => {
                    unchanged.push(a.clone());
                }
                other => text += &line(&formula(other), evidence),
            }
        }
        // A call that changes nothing of the object says so in a word.
        if !unchanged.is_empty() && is_whole(subject, specification, &unchanged) {
            unchanged.retain(|it| !it.any(&mut |it| *it == Term::This));
            unchanged.insert(0, Term::This);
        }
        if !unchanged.is_empty() {
            let texts: Vec<String> = unchanged.iter().map(term).collect();
            text = format!("  unchanged: {}\n{text}", texts.join(", "));
        }
        text
    };
    let class = of(&ProgramPoint::Class, &[]);
    if !class.is_empty() {
        out += &format!("\ninvariants\n{class}");
    }
    for method in 0..subject.methods.len() {
        let key = subject.key(method);
        let mut text = String::new();
        // What is thrown otherwise says what is required.
        let refused: Vec<Formula> = specification
            .throws
            .iter()
            .filter(|it| it.method == key && it.exact)
            .flat_map(|it| match &it.condition {
                Formula::Any(all) => all.iter().map(negated).collect(),
                other => vec![negated(other)],
            })
            .collect();
        let entry = of(&ProgramPoint::Entry(key.clone()), &refused);
        if !entry.is_empty() {
            text += &format!("  requires\n{}", indented(&entry));
        }
        let exit = of(&ProgramPoint::Exit(key.clone()), &[]);
        if !exit.is_empty() {
            text += &format!("  ensures\n{}", indented(&exit));
        }
        for throws in specification.throws.iter().filter(|it| it.method == key) {
            let when = if throws.exact { "exactly when" } else { "when" };
            let class = throws.class.replace('/', ".");
            text += &format!("  throws {class} {when} {}\n", formula(&throws.condition));
        }
        if !text.is_empty() {
            out += &format!("\n{}\n{text}", subject.signature(method));
        }
    }
    out
}

/// Whether all fields of the object, and the elements of its arrays, are among those that are left as they were.
fn is_whole(subject: &Subject, specification: &Specification, unchanged: &[Term]) -> bool {
    let Some(fields) = subject.layouts.get(&subject.name).filter(|it| !it.is_empty()) else { return false };
    let is_constant = |term: &Term| {
        specification.clauses.iter().any(|it| {
            it.point == ProgramPoint::Class
                && matches!(&it.formula, Formula::Compare(a, Comparison::Equal, Term::Constant(_)) if a == term)
        })
    };
    fields.iter().all(|(name, ty)| {
        let field = Term::This.field(name);
        let is_array = matches!(ty, JavaType::Array(_));
        let is_kept = unchanged.contains(&field) || is_constant(&field);
        is_kept && (!is_array || unchanged.contains(&Term::Elements(Box::new(field))))
    })
}

fn line(formula: &str, evidence: &Evidence) -> String {
    format!("  {formula}    [{}]\n", evidence.text())
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
