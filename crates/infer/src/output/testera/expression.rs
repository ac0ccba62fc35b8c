//! Formulas in TestEra's notation, as `docs/relation.md` describes it.
//!
//! A formula says nothing if a value that it needs does not exist, so the expression checks for that first, as in
//! Java. Sequences are arrays, by index; past values are in backticks. Bits, shapes of strings and elements of
//! collections cannot be expressed.

use crate::formula::{Comparison, Formula};
use crate::subject::Subject;
use crate::term::Term;
use crate::typing::{is_elements, type_of};
use crate::value::Value;
use cupping_case::JavaType;
use cupping_exhaust::model::notation;

/// Writes formulas of one method.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'s> {
    /// The class.
    pub subject: &'s Subject,
    /// The method.
    pub method: Option<usize>,
    /// The object that `this` means.
    pub this: &'s str,
    /// Whether the formula concerns the state before the call and occurs in a postcondition.
    pub is_past: bool,
}

/// A sequence: the relation from indices to elements, and a range of indices.
#[derive(Debug)]
pub struct Elements {
    at: String,
    from: String,
    /// The index behind the last.
    pub to: String,
}

impl Elements {
    /// The element at an index.
    pub fn at(&self, index: &str) -> String {
        format!("({index}).({})", self.at)
    }

    /// A constraint for all elements; `index` is the variable of their indices.
    pub fn all(&self, index: &str, body: &str) -> String {
        let (from, to) = (&self.from, &self.to);
        format!("(all {index}: Int | ({index} >= {from} and {index} < {to}) implies {body})")
    }

    /// A constraint for at least one element.
    pub fn any(&self, index: &str, body: &str) -> String {
        let (from, to) = (&self.from, &self.to);
        format!("(some {index}: Int | {index} >= {from} and {index} < {to} and {body})")
    }

    /// The number of elements.
    pub fn count(&self) -> String {
        if self.from == "0" { self.to.clone() } else { format!("minus[{}, {}]", self.to, self.from) }
    }

    /// The index of the element at a position of the sequence.
    pub fn index(&self, ahead: &str) -> String {
        if self.from == "0" { ahead.to_owned() } else { format!("plus[{}, {ahead}]", self.from) }
    }
}

impl Elements {
    /// The constraint that these are the first elements of other ones.
    pub fn begins(&self, whole: &Elements) -> String {
        let (left, right) = (self.at(&self.index("ix")), whole.at(&whole.index("ix")));
        format!("(all ix: Int | (ix >= 0 and ix < {}) implies {left} = {right})", self.count())
    }
}

impl Writer<'_> {
    /// A formula, if the notation can express it.
    pub fn formula(&self, of: &Formula) -> Option<String> {
        self.around(of, &|it| it)
    }

    /// A formula within a larger expression, guarded by the existence of its values.
    pub fn around(&self, of: &Formula, around: &dyn Fn(String) -> String) -> Option<String> {
        let mut guards = Vec::new();
        for term in of.terms() {
            self.guards(term, self.is_past, &mut guards)?;
        }
        let plain = self.plain(of)?;
        guards.retain(|it| *it != plain);
        let plain = around(plain);
        Some(if guards.is_empty() { plain } else { format!("({}) implies ({plain})", guards.join(" and ")) })
    }

    fn guards(&self, of: &Term, is_past: bool, found: &mut Vec<String>) -> Option<()> {
        if let Term::Old(inner) = of {
            return self.guards(inner, true, found);
        }
        for part in of.parts() {
            self.guards(part, is_past, found)?;
        }
        let guard = match of {
            Term::Field(inner, _) | Term::Length(inner) | Term::Elements(inner)
                if **inner != Term::This && !matches!(&**inner, Term::Old(it) if **it == Term::This) =>
            {
                format!("some {}", self.term(inner, is_past)?)
            }
            Term::At(seq, index, offset) => {
                let (seq, index) = (self.elements_of(seq, is_past)?, self.index(index, *offset, is_past)?);
                format!("{index} >= 0 and {index} < {}", seq.count())
            }
            Term::First(seq, count) | Term::Rest(seq, count) => {
                let (seq, count) = (self.elements_of(seq, is_past)?, self.term(count, is_past)?);
                format!("{count} >= 0 and {count} <= {}", seq.to)
            }
            Term::Min(seq) | Term::Max(seq) => {
                let seq = self.elements_of(seq, is_past)?;
                format!("{} < {}", seq.from, seq.to)
            }
            _ => return Some(()),
        };
        if !found.contains(&guard) {
            found.push(guard);
        }
        Some(())
    }

    fn index(&self, index: &Term, offset: i64, is_past: bool) -> Option<String> {
        let index = self.term(index, is_past)?;
        Some(match offset {
            0 => index,
            _ if offset < 0 => format!("minus[{index}, {}]", offset.unsigned_abs()),
            _ => format!("plus[{index}, {offset}]"),
        })
    }

    /// A formula all of whose values exist.
    pub fn plain(&self, of: &Formula) -> Option<String> {
        of.kind().testera(self)
    }

    /// A formula that counts as false if a value that it needs is missing.
    pub fn conjunction(&self, of: &Formula) -> Option<String> {
        let mut guards = Vec::new();
        for term in of.terms() {
            self.guards(term, self.is_past, &mut guards)?;
        }
        guards.push(self.plain(of)?);
        Some(format!("({})", guards.join(" and ")))
    }

    /// A term.
    pub fn value(&self, of: &Term) -> Option<String> {
        self.term(of, self.is_past)
    }

    /// The elements that a term stands for.
    pub fn elements(&self, of: &Term) -> Option<Elements> {
        self.elements_of(of, self.is_past)
    }

    /// A comparison of two terms.
    pub fn compare(&self, a: &Term, comparison: Comparison, b: &Term) -> Option<String> {
        if is_elements(a) || is_elements(b) {
            let same = self.same(a, b)?;
            return match comparison {
                Comparison::Equal => Some(same),
                Comparison::Different => Some(format!("not {same}")),
                _ => None,
            };
        }
        if let (Comparison::Equal, Term::Min(seq) | Term::Max(seq)) = (comparison, b) {
            let (value, seq) = (self.term(a, self.is_past)?, self.elements(seq)?);
            let sign = if let Term::Min(_) = b { "<=" } else { ">=" };
            let is_one = seq.any("ix", &format!("{} = {value}", seq.at("ix")));
            return Some(format!(
                "({is_one} and {})",
                seq.all("ix", &format!("{value} {sign} {}", seq.at("ix")))
            ));
        }
        let is_text = |it: &Term| type_of(self.subject, self.method, it).is_string();
        if !matches!(comparison, Comparison::Equal | Comparison::Different) && (is_text(a) || is_text(b)) {
            return None;
        }
        self.compared(&self.term(a, self.is_past)?, comparison, b)
    }

    /// A comparison whose left side is written already.
    pub fn compared(&self, a: &str, comparison: Comparison, b: &Term) -> Option<String> {
        Some(match (comparison, b) {
            (Comparison::Equal, Term::Constant(Value::Null)) => format!("no {a}"),
            (Comparison::Different, Term::Constant(Value::Null)) => format!("some {a}"),
            _ => format!("{a} {} {}", sign(comparison), self.term(b, self.is_past)?),
        })
    }

    /// Whether two sequences are equal.
    fn same(&self, a: &Term, b: &Term) -> Option<String> {
        let seq = |it: &Term| self.elements(it);
        let is_made = |it: &Term| matches!(it, Term::Append(..) | Term::Prepend(..) | Term::Reverse(_));
        if is_made(a) {
            return if is_made(b) { None } else { self.same(b, a) };
        }
        let a = seq(a)?;
        Some(match b {
            Term::Append(b, last) => {
                let (b, last) = (seq(b)?, self.term(last, self.is_past)?);
                let count = b.count();
                let at = a.at(&a.index(&count));
                format!("({} = plus[{count}, 1] and {} and {at} = {last})", a.count(), b.begins(&a))
            }
            Term::Prepend(first, b) => {
                let (first, b) = (self.term(first, self.is_past)?, seq(b)?);
                let (count, at) = (b.count(), a.at(&a.index("0")));
                let (left, right) = (a.at(&a.index("plus[ix, 1]")), b.at(&b.index("ix")));
                let behind = format!("(all ix: Int | (ix >= 0 and ix < {count}) implies {left} = {right})");
                format!("({} = plus[{count}, 1] and {at} = {first} and {behind})", a.count())
            }
            Term::Reverse(b) => {
                let b = seq(b)?;
                let back = format!("minus[minus[{}, 1], ix]", b.to);
                format!(
                    "({} = {} and (all ix: Int | (ix >= 0 and ix < {}) implies {} = {}))",
                    a.count(),
                    b.count(),
                    a.count(),
                    a.at(&a.index("ix")),
                    b.at(&back)
                )
            }
            b => {
                let b = seq(b)?;
                format!("({} = {} and {})", a.count(), b.count(), a.begins(&b))
            }
        })
    }

    fn elements_of(&self, of: &Term, is_past: bool) -> Option<Elements> {
        match of {
            Term::Old(of) => self.elements_of(of, true),
            Term::Elements(array) => {
                let is_array = matches!(type_of(self.subject, self.method, array), JavaType::Array(_));
                let (array, is_past) = match &**array {
                    Term::Old(inner) => (self.path(inner)?, true),
                    array => (self.path(array)?, is_past),
                };
                let past = |text: String| if is_past { format!("({text})`") } else { text };
                is_array.then(|| Elements {
                    at: past(format!("{array}.at")),
                    from: "0".into(),
                    to: past(format!("{array}.length")),
                })
            }
            Term::First(seq, count) => {
                let seq = self.elements_of(seq, is_past)?;
                Some(Elements { to: self.term(count, is_past)?, ..seq })
            }
            Term::Rest(seq, from) => {
                let seq = self.elements_of(seq, is_past)?;
                Some(Elements { from: self.term(from, is_past)?, ..seq })
            }
            _ => None,
        }
    }

    /// A path of fields, all in one state.
    fn path(&self, of: &Term) -> Option<String> {
        Some(match of {
            Term::This => self.this.to_owned(),
            Term::Parameter(_, name) => name.clone(),
            Term::Result => "result".into(),
            Term::Field(inner, name) => format!("{}.{}", self.path(inner)?, notation(name)),
            Term::Length(inner) => match type_of(self.subject, self.method, inner) {
                JavaType::Array(_) => format!("{}.length", self.path(inner)?),
                _ => return None,
            },
            _ => return None,
        })
    }

    fn term(&self, of: &Term, is_past: bool) -> Option<String> {
        Some(match of {
            Term::Old(of) => self.term(of, true)?,
            Term::This | Term::Parameter(..) | Term::Result => self.path(of)?,
            Term::Field(..) | Term::Length(_) => {
                let path = self.path(of)?;
                if is_past { format!("({path})`") } else { path }
            }
            Term::At(seq, index, offset) => {
                let (seq, index) = (self.elements_of(seq, is_past)?, self.index(index, *offset, is_past)?);
                format!("({})", seq.at(&index))
            }
            Term::Sum(seq) => {
                let seq = self.elements_of(seq, is_past)?;
                let all = format!("{{ iy: Int | iy >= {} and iy < {} }}", seq.from, seq.to);
                format!("(sum ix: {all} | {})", seq.at("ix"))
            }
            Term::Linear(terms, constant) => {
                let mut sum: Option<String> = None;
                for (factor, term) in terms {
                    let term = self.term(term, is_past)?;
                    let (word, times) = (if *factor < 0 { "minus" } else { "plus" }, factor.unsigned_abs());
                    let part = if times == 1 { term } else { format!("mul[{times}, {term}]") };
                    sum = Some(match sum {
                        None if *factor > 0 => part,
                        before => format!("{word}[{}, {part}]", before.as_deref().unwrap_or("0")),
                    });
                }
                let sum = sum.unwrap_or_else(|| "0".into());
                match constant {
                    0 => sum,
                    _ if *constant < 0 => format!("minus[{sum}, {}]", constant.unsigned_abs()),
                    _ => format!("plus[{sum}, {constant}]"),
                }
            }
            Term::Constant(value) => constant(value)?,
            Term::Observer(..)
            | Term::Elements(_)
            | Term::First(..)
            | Term::Rest(..)
            | Term::Min(_)
            | Term::Max(_)
            | Term::Append(..)
            | Term::Prepend(..)
            | Term::Reverse(_) => return None,
        })
    }
}

/// The operator of the notation.
pub fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        other => other.sign(),
    }
}

fn constant(value: &Value) -> Option<String> {
    match value {
        Value::Int(it) => Some(it.to_string()),
        Value::Char(it) => Some(it.to_string()),
        Value::Bool(it) => Some(it.to_string()),
        Value::Float(it) if it.fract() == 0.0 && it.abs() < 1e9 => Some(format!("{it:.0}")),
        Value::Text(it) if it.chars().all(|c| c == ' ' || c.is_ascii_alphanumeric()) => {
            Some(format!("\"{it}\""))
        }
        Value::Enum(_, name) => Some(name.clone()),
        _ => None,
    }
}
