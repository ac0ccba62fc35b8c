//! TestEra's notation: what is said of fields and numbers, as formulas of Alloy over a pre-state and a post-state. Elements
//! of arrays and texts are not expressible there and left out.

use crate::formula::{Comparison, Formula};
use crate::rounds::Outcome;
use crate::sequence::simple;
use crate::subject::Subject;
use crate::table::Place;
use crate::term::Term;
use crate::value::Value;

/// Writes it.
pub fn write(subject: &Subject, outcome: &Outcome) -> String {
    let name = subject.simple_name();
    let name = simple(&name);
    let mut out = format!("// Likely specification of {}\n", subject.name.replace('/', "."));
    let of = |place: &Place| -> Vec<String> {
        let likely = outcome.specification.likely.iter().filter(|it| it.place == *place);
        likely.filter_map(|it| formula(&it.formula)).collect()
    };
    let block = |title: &str, lines: &[String]| -> String {
        let lines: Vec<String> = lines.iter().map(|it| format!("  {it}\n")).collect();
        format!("\n{title} {{\n{}}}\n", lines.concat())
    };
    let class = of(&Place::Class);
    if !class.is_empty() {
        out += &block(&format!("fun {name}::Invariant()"), &class);
    }
    for method in 0..subject.methods.len() {
        let key = subject.key(method);
        let invokable = &subject.methods[method];
        let called = if invokable.is_constructor() { "init" } else { &invokable.reference.name };
        let entry = of(&Place::Entry(key.clone()));
        if !entry.is_empty() {
            out += &block(&format!("fun {name}::{called}Pre()"), &entry);
        }
        let exit = of(&Place::Exit(key));
        if !exit.is_empty() {
            out += &block(&format!("fun {name}::{called}Post()"), &exit);
        }
    }
    out
}

fn formula(of: &Formula) -> Option<String> {
    Some(match of {
        Formula::Compare(a, comparison, b) => {
            let sign = match comparison {
                Comparison::Equal => "=",
                Comparison::Different => "!=",
                Comparison::Less => "<",
                Comparison::AtMost => "=<",
                Comparison::Greater => ">",
                Comparison::AtLeast => ">=",
            };
            match (comparison, b) {
                (Comparison::Equal, Term::Constant(Value::Null)) => format!("no {}", term(a)?),
                (Comparison::Different, Term::Constant(Value::Null)) => format!("some {}", term(a)?),
                _ => format!("{} {sign} {}", term(a)?, term(b)?),
            }
        }
        Formula::OneOf(a, values) => {
            let a = term(a)?;
            let each: Option<Vec<String>> =
                values.iter().map(|it| Some(format!("{a} = {}", constant(it)?))).collect();
            format!("({})", each?.join(" || "))
        }
        Formula::Implies(a, b) => format!("{} => {}", formula(a)?, formula(b)?),
        Formula::Iff(a, b) => format!("{} <=> {}", formula(a)?, formula(b)?),
        Formula::Not(a) => format!("!({})", formula(a)?),
        _ => return None,
    })
}

/// Fields of the state before are marked with a backquote, as TestEra marks the pre-state; those after with a prime.
fn term(of: &Term) -> Option<String> {
    Some(match of {
        Term::This => "this".into(),
        Term::Parameter(_, name) => name.clone(),
        Term::Result => "result".into(),
        Term::Field(inner, name) => format!("{}.{name}'", term(inner)?),
        Term::Old(inner) => term(inner)?.replace('\'', "`"),
        Term::Linear(terms, by) => {
            let mut out = String::new();
            for (factor, inner) in terms {
                let sign = match (out.is_empty(), factor) {
                    (true, 1) => "",
                    (false, 1) => " + ",
                    (false, -1) => " - ",
                    _ => return None,
                };
                out += &format!("{sign}{}", term(inner)?);
            }
            match by {
                0 => out,
                _ if *by < 0 => format!("{out} - {}", by.unsigned_abs()),
                _ => format!("{out} + {by}"),
            }
        }
        Term::Constant(value) => constant(value)?,
        _ => return None,
    })
}

fn constant(value: &Value) -> Option<String> {
    match value {
        Value::Int(it) => Some(it.to_string()),
        Value::Bool(it) => Some(if *it { "True".into() } else { "False".into() }),
        _ => None,
    }
}
