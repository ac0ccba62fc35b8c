//! Terms: what formulas say something about.

mod text;

pub use crate::trace::Phase;

use crate::trace::Execution;
use crate::value::Value;

/// A term over an execution.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// The receiver.
    This,
    /// A parameter, by index and name.
    Parameter(usize, String),
    /// What was returned.
    Result,
    /// A field of an object.
    Field(Box<Term>, String),
    /// The result of an observer; its name ends with `()`.
    Observer(Box<Term>, String),
    /// The value before the call.
    Old(Box<Term>),
    /// The length of an array or string, the size of a collection.
    Length(Box<Term>),
    /// The elements of an array or collection.
    Elements(Box<Term>),
    /// The first elements: a sequence and a count.
    First(Box<Term>, Box<Term>),
    /// The elements from an index on.
    Rest(Box<Term>, Box<Term>),
    /// An element, at an index plus an offset.
    At(Box<Term>, Box<Term>, i64),
    /// The sum of elements.
    Sum(Box<Term>),
    /// The smallest of the elements.
    Min(Box<Term>),
    /// The largest.
    Max(Box<Term>),
    /// Elements and one more behind them.
    Append(Box<Term>, Box<Term>),
    /// A value and elements behind it.
    Prepend(Box<Term>, Box<Term>),
    /// Elements in reverse.
    Reverse(Box<Term>),
    /// A sum of terms with factors, and a constant.
    Linear(Vec<(i64, Term)>, i64),
    /// A constant.
    Constant(Value),
}

impl Term {
    /// A field of a term.
    pub fn field(self, name: &str) -> Term {
        Term::Field(Box::new(self), name.to_owned())
    }

    /// Its value in an execution.
    pub fn value(&self, execution: &Execution, phase: Phase) -> Value {
        let moment = execution.moment(phase);
        let elements = |seq: &Term| match seq.value(execution, phase) {
            Value::Seq(elements) => Some(elements),
            _ => None,
        };
        match self {
            Term::This => moment.this.clone(),
            Term::Parameter(at, _) => moment.arguments.get(*at).cloned().unwrap_or(Value::Absent),
            Term::Result => execution.result().cloned().unwrap_or(Value::Absent),
            Term::Field(of, name) | Term::Observer(of, name) => {
                let of = of.value(execution, phase);
                moment.object(&of).map_or(Value::Absent, |it| it.field(name))
            }
            Term::Old(of) => of.value(execution, Phase::Before),
            Term::Length(of) => match of.value(execution, phase) {
                Value::Text(text) => Value::Int(text.encode_utf16().count() as i64),
                Value::Seq(elements) => Value::Int(elements.len() as i64),
                of => {
                    let length = moment.object(&of).and_then(|it| it.length);
                    length.map_or(Value::Absent, |it| Value::Int(it as i64))
                }
            },
            Term::Elements(of) => {
                let of = of.value(execution, phase);
                if let Value::Seq(_) = of {
                    return of;
                }
                let elements = moment.object(&of).and_then(|it| it.all_elements().cloned());
                elements.map_or(Value::Absent, Value::Seq)
            }
            Term::First(seq, count) => {
                let count = count.value(execution, phase).number();
                match (seq.known(execution, phase), count.and_then(|it| usize::try_from(it).ok())) {
                    (Some(all), Some(count)) if count <= all.len() => Value::Seq(all[..count].to_vec()),
                    _ => Value::Absent,
                }
            }
            Term::Rest(seq, from) => {
                let from = from.value(execution, phase).number();
                match (elements(seq), from.and_then(|it| usize::try_from(it).ok())) {
                    (Some(all), Some(from)) if from <= all.len() => Value::Seq(all[from..].to_vec()),
                    _ => Value::Absent,
                }
            }
            Term::At(seq, index, offset) => {
                let index = index.value(execution, phase).number().map(|it| it + i128::from(*offset));
                match (seq.known(execution, phase), index.and_then(|it| usize::try_from(it).ok())) {
                    (Some(all), Some(index)) => all.get(index).cloned().unwrap_or(Value::Absent),
                    _ => Value::Absent,
                }
            }
            Term::Sum(seq) => match elements(seq) {
                Some(all) => {
                    let sum: Option<i128> = all.iter().map(Value::number).sum();
                    sum.and_then(|it| i64::try_from(it).ok()).map_or(Value::Absent, Value::Int)
                }
                None => Value::Absent,
            },
            Term::Min(seq) | Term::Max(seq) => {
                let numbers: Option<Vec<i128>> =
                    elements(seq).and_then(|all| all.iter().map(Value::number).collect());
                let found = numbers.and_then(|all| match self {
                    Term::Min(_) => all.into_iter().min(),
                    _ => all.into_iter().max(),
                });
                found.and_then(|it| i64::try_from(it).ok()).map_or(Value::Absent, Value::Int)
            }
            Term::Append(seq, last) => match (elements(seq), last.value(execution, phase)) {
                (_, Value::Absent) | (None, _) => Value::Absent,
                (Some(mut all), last) => {
                    all.push(last);
                    Value::Seq(all)
                }
            },
            Term::Prepend(first, seq) => match (first.value(execution, phase), elements(seq)) {
                (Value::Absent, _) | (_, None) => Value::Absent,
                (first, Some(mut all)) => {
                    all.insert(0, first);
                    Value::Seq(all)
                }
            },
            Term::Reverse(seq) => match elements(seq) {
                Some(mut all) => {
                    all.reverse();
                    Value::Seq(all)
                }
                None => Value::Absent,
            },
            Term::Linear(terms, constant) => {
                let mut sum = i128::from(*constant);
                for (factor, term) in terms {
                    match term.value(execution, phase).number() {
                        Some(value) => sum += i128::from(*factor) * value,
                        None => return Value::Absent,
                    }
                }
                i64::try_from(sum).map_or(Value::Absent, Value::Int)
            }
            Term::Constant(value) => value.clone(),
        }
    }

    /// The elements that it denotes, as far as they are known: of a long sequence, the first ones.
    fn known(&self, execution: &Execution, phase: Phase) -> Option<Vec<Value>> {
        match self {
            Term::Old(of) => of.known(execution, Phase::Before),
            Term::Elements(of) => {
                let moment = execution.moment(phase);
                match of.value(execution, phase) {
                    Value::Seq(elements) => Some(elements),
                    of => moment.object(&of)?.elements.clone(),
                }
            }
            other => match other.value(execution, phase) {
                Value::Seq(elements) => Some(elements),
                _ => None,
            },
        }
    }

    /// The terms directly in it.
    pub fn parts(&self) -> Vec<&Term> {
        match self {
            Term::This | Term::Parameter(..) | Term::Result | Term::Constant(_) => Vec::new(),
            Term::Field(of, _)
            | Term::Observer(of, _)
            | Term::Old(of)
            | Term::Length(of)
            | Term::Elements(of)
            | Term::Sum(of)
            | Term::Min(of)
            | Term::Max(of)
            | Term::Reverse(of) => vec![of],
            Term::First(a, b)
            | Term::Rest(a, b)
            | Term::At(a, b, _)
            | Term::Append(a, b)
            | Term::Prepend(a, b) => {
                vec![a, b]
            }
            Term::Linear(terms, _) => terms.iter().map(|it| &it.1).collect(),
        }
    }

    /// The term with parts replaced, where `to` gives a replacement.
    pub fn replaced(&self, to: &dyn Fn(&Term) -> Option<Term>) -> Term {
        if let Some(other) = to(self) {
            return other;
        }
        let part = |it: &Term| Box::new(it.replaced(to));
        match self {
            Term::This | Term::Parameter(..) | Term::Result | Term::Constant(_) => self.clone(),
            Term::Field(of, name) => Term::Field(part(of), name.clone()),
            Term::Observer(of, name) => Term::Observer(part(of), name.clone()),
            Term::Old(of) => Term::Old(part(of)),
            Term::Length(of) => Term::Length(part(of)),
            Term::Elements(of) => Term::Elements(part(of)),
            Term::First(seq, count) => Term::First(part(seq), part(count)),
            Term::Rest(seq, from) => Term::Rest(part(seq), part(from)),
            Term::At(seq, index, offset) => Term::At(part(seq), part(index), *offset),
            Term::Sum(seq) => Term::Sum(part(seq)),
            Term::Min(seq) => Term::Min(part(seq)),
            Term::Max(seq) => Term::Max(part(seq)),
            Term::Append(seq, last) => Term::Append(part(seq), part(last)),
            Term::Prepend(first, seq) => Term::Prepend(part(first), part(seq)),
            Term::Reverse(seq) => Term::Reverse(part(seq)),
            Term::Linear(terms, constant) => {
                let terms = terms.iter().map(|(factor, it)| (*factor, it.replaced(to)));
                Term::Linear(terms.collect(), *constant)
            }
        }
    }

    /// Whether the term or a part of it satisfies a predicate.
    pub fn any(&self, is: &mut dyn FnMut(&Term) -> bool) -> bool {
        is(self) || self.parts().into_iter().any(|it| it.any(is))
    }

    /// The number of its parts.
    pub fn size(&self) -> usize {
        1 + self.parts().into_iter().map(Term::size).sum::<usize>()
    }

    /// The elements that it denotes in an execution, if it denotes elements.
    pub fn elements(&self, execution: &Execution, phase: Phase) -> Option<Vec<Value>> {
        match self.value(execution, phase) {
            Value::Seq(elements) => Some(elements),
            _ => None,
        }
    }

    /// Whether it refers to the state before the call.
    pub fn is_past(&self) -> bool {
        self.any(&mut |it| matches!(it, Term::Old(_)))
    }

    /// The array or collection whose elements it concerns, and whether it is the past one.
    pub fn base(&self) -> Option<(&Term, bool)> {
        match self {
            Term::Old(of) => of.base().map(|it| (it.0, true)),
            Term::Elements(of) => Some((of, false)),
            Term::First(seq, _)
            | Term::Rest(seq, _)
            | Term::At(seq, ..)
            | Term::Min(seq)
            | Term::Max(seq)
            | Term::Sum(seq) => seq.base(),
            _ => None,
        }
    }

    /// Whether both terms concern the same elements at the same time.
    pub fn has_same_base(&self, other: &Term) -> bool {
        self.base().is_some() && self.base() == other.base()
    }
}
