//! Terms, values and formulas as people write them.

use crate::formula::{Comparison, Formula, Shape};
use crate::sequence::{char_text, real_text, simple, string_text};
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
