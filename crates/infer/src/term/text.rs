//! Terms in the notation of the text output: `elems[..numberOfElements]`, `old(size)`.

use super::Term;
use std::fmt;

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&term(self))
    }
}

/// A term in the notation of the text output.
fn term(of: &Term) -> String {
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
        Term::Constant(of) => of.to_string(),
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
