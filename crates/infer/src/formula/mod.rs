//! What is said of an execution: likely specifications are made of these.

use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// `==`, or `equals`
    Equal,
    /// `!=`
    Different,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// As Java writes it.
    pub fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::Different => "!=",
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Greater => ">",
            Comparison::AtLeast => ">=",
        }
    }

    /// Whether it holds.
    pub fn holds(self, a: &Value, b: &Value) -> Option<bool> {
        match self {
            Comparison::Equal => a.same(b),
            Comparison::Different => a.same(b).map(|it| !it),
            _ => {
                if !a.is_there() || !b.is_there() {
                    return None;
                }
                let order = a.order(b)?;
                Some(match self {
                    Comparison::Less => order == Ordering::Less,
                    Comparison::AtMost => order != Ordering::Greater,
                    Comparison::Greater => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                })
            }
        }
    }
}

/// Shapes of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// Not empty.
    NotEmpty,
    /// Digits alone.
    Digits,
    /// Letters and digits alone.
    Alphanumeric,
    /// No letter in lower case.
    NoLower,
    /// No letter in upper case.
    NoUpper,
    /// No white space around it.
    Trimmed,
}

impl Shape {
    /// All of them.
    pub const ALL: [Shape; 6] =
        [Shape::Digits, Shape::Alphanumeric, Shape::NotEmpty, Shape::NoLower, Shape::NoUpper, Shape::Trimmed];

    /// Whether a string has it.
    pub fn fits(self, text: &str) -> bool {
        match self {
            Shape::NotEmpty => !text.is_empty(),
            Shape::Digits => !text.is_empty() && text.chars().all(|c| c.is_ascii_digit()),
            Shape::Alphanumeric => !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric()),
            Shape::NoLower => !text.chars().any(|c| c.is_ascii_lowercase()),
            Shape::NoUpper => !text.chars().any(|c| c.is_ascii_uppercase()),
            Shape::Trimmed => text.trim() == text,
        }
    }

    /// As a regular expression of Java.
    pub fn pattern(self) -> &'static str {
        match self {
            Shape::NotEmpty => "(?s).+",
            Shape::Digits => "[0-9]+",
            Shape::Alphanumeric => "[0-9A-Za-z]+",
            Shape::NoLower => "[^a-z]*",
            Shape::NoUpper => "[^A-Z]*",
            Shape::Trimmed => r"(?s)(\S(.*\S)?)?",
        }
    }
}

/// A claim about an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Formula {
    /// Two values compare so.
    Compare(Term, Comparison, Term),
    /// One of few values.
    OneOf(Term, Vec<Value>),
    /// A remainder: term, modulus, remainder (never negative).
    Modulus(Term, i64, i64),
    /// Bits under a mask.
    Bits(Term, i64, i64),
    /// The elements are in order; strictly, if so said.
    Sorted {
        /// The elements.
        seq: Term,
        /// Whether none is there twice in a row.
        strict: bool,
        /// Whether they fall.
        falling: bool,
    },
    /// No element is there twice.
    Distinct(Term),
    /// A value is an element.
    Member(Term, Term),
    /// All elements of one are elements of the other.
    Subset(Term, Term),
    /// Each element compares so with a value.
    Each(Term, Comparison, Term),
    /// Elements at the same places compare so, as far as both go.
    Pairwise(Term, Comparison, Term),
    /// The elements of one begin as the others are.
    Prefix(Term, Term),
    /// The elements of one are those of the other, but perhaps the one at an index.
    Frame(Term, Term, Term),
    /// A string has a shape.
    Shaped(Term, Shape),
    /// An object is of this class (internal name), exactly.
    Class(Term, String),
    /// The second holds where the first does.
    Implies(Box<Formula>, Box<Formula>),
    /// Both hold or none.
    Iff(Box<Formula>, Box<Formula>),
    /// It does not hold.
    Not(Box<Formula>),
    /// At least one holds.
    Any(Vec<Formula>),
}

impl Formula {
    /// Whether it holds of an execution; `None` where something that it speaks of is not there.
    pub fn holds(&self, execution: &Execution, when: Phase) -> Option<bool> {
        let value = |term: &Term| term.value(execution, when);
        let seq = |term: &Term| match value(term) {
            Value::Seq(elements) => Some(elements),
            _ => None,
        };
        match self {
            Formula::Compare(a, comparison, b) => comparison.holds(&value(a), &value(b)),
            Formula::OneOf(term, values) => {
                let value = value(term);
                value.is_there().then(|| values.iter().any(|it| it.same(&value) == Some(true)))
            }
            Formula::Modulus(term, modulus, rest) => {
                Some(value(term).number()?.rem_euclid(i128::from(*modulus)) == i128::from(*rest))
            }
            Formula::Bits(term, mask, bits) => {
                Some(value(term).number()? & i128::from(*mask) == i128::from(*bits))
            }
            Formula::Sorted { seq: term, strict, falling } => {
                let all = seq(term)?;
                let mut sorted = true;
                for pair in all.windows(2) {
                    let order = pair[0].order(&pair[1])?;
                    let order = if *falling { order.reverse() } else { order };
                    sorted &= order == Ordering::Less || !*strict && order == Ordering::Equal;
                }
                Some(sorted)
            }
            Formula::Distinct(term) => {
                let all = seq(term)?;
                let twice = |at: usize| all[..at].iter().any(|it| it.same(&all[at]) == Some(true));
                Some(!(0..all.len()).any(twice))
            }
            Formula::Member(term, of) => {
                let (value, all) = (value(term), seq(of)?);
                value.is_there().then(|| all.iter().any(|it| it.same(&value) == Some(true)))
            }
            Formula::Subset(a, b) => {
                let (a, b) = (seq(a)?, seq(b)?);
                Some(a.iter().all(|it| b.iter().any(|other| it.same(other) == Some(true))))
            }
            Formula::Each(term, comparison, with) => {
                let with = value(with);
                let mut all = true;
                for element in seq(term)? {
                    all &= comparison.holds(&element, &with)?;
                }
                Some(all)
            }
            Formula::Pairwise(a, comparison, b) => {
                let mut all = true;
                for (a, b) in seq(a)?.iter().zip(&seq(b)?) {
                    all &= comparison.holds(a, b)?;
                }
                Some(all)
            }
            Formula::Prefix(a, b) => {
                let (a, b) = (seq(a)?, seq(b)?);
                Some(a.len() <= b.len() && a.iter().zip(&b).all(|(a, b)| a.same(b) == Some(true)))
            }
            Formula::Frame(a, b, index) => {
                let (a, b, index) = (seq(a)?, seq(b)?, value(index).number()?);
                let same = |at: usize| at as i128 == index || a[at].same(&b[at]) == Some(true);
                Some(a.len() == b.len() && (0..a.len()).all(same))
            }
            Formula::Shaped(term, shape) => match value(term) {
                Value::Text(text) => Some(shape.fits(&text)),
                _ => None,
            },
            Formula::Class(term, class) => {
                let value = value(term);
                if value == Value::Null {
                    return Some(false);
                }
                let moment = if when == Phase::Before { &execution.entry } else { &execution.exit };
                Some(*moment.object(&value)?.class == **class)
            }
            Formula::Implies(a, b) => match a.holds(execution, when)? {
                true => b.holds(execution, when),
                false => Some(true),
            },
            Formula::Iff(a, b) => Some(a.holds(execution, when)? == b.holds(execution, when)?),
            Formula::Not(a) => a.holds(execution, when).map(|it| !it),
            // One that holds is enough, whatever is not there for the others.
            Formula::Any(all) => {
                let each: Vec<Option<bool>> = all.iter().map(|it| it.holds(execution, when)).collect();
                if each.contains(&Some(true)) {
                    Some(true)
                } else {
                    each.iter().all(Option::is_some).then_some(false)
                }
            }
        }
    }

    /// The terms that it speaks of.
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Formula::Compare(a, _, b)
            | Formula::Member(a, b)
            | Formula::Subset(a, b)
            | Formula::Each(a, _, b)
            | Formula::Pairwise(a, _, b)
            | Formula::Prefix(a, b) => vec![a, b],
            Formula::Frame(a, b, c) => vec![a, b, c],
            Formula::OneOf(a, _)
            | Formula::Modulus(a, ..)
            | Formula::Bits(a, ..)
            | Formula::Sorted { seq: a, .. }
            | Formula::Distinct(a)
            | Formula::Shaped(a, _)
            | Formula::Class(a, _) => vec![a],
            Formula::Implies(a, b) | Formula::Iff(a, b) => a.terms().into_iter().chain(b.terms()).collect(),
            Formula::Not(a) => a.terms(),
            Formula::Any(all) => all.iter().flat_map(Formula::terms).collect(),
        }
    }

    /// The formula with other terms in the places of these.
    pub fn map(&self, to: &dyn Fn(&Term) -> Term) -> Formula {
        let boxed = |it: &Formula| Box::new(it.map(to));
        match self {
            Formula::Compare(a, comparison, b) => Formula::Compare(to(a), *comparison, to(b)),
            Formula::OneOf(a, values) => Formula::OneOf(to(a), values.clone()),
            Formula::Modulus(a, modulus, rest) => Formula::Modulus(to(a), *modulus, *rest),
            Formula::Bits(a, mask, bits) => Formula::Bits(to(a), *mask, *bits),
            Formula::Sorted { seq, strict, falling } => {
                Formula::Sorted { seq: to(seq), strict: *strict, falling: *falling }
            }
            Formula::Distinct(a) => Formula::Distinct(to(a)),
            Formula::Member(a, b) => Formula::Member(to(a), to(b)),
            Formula::Subset(a, b) => Formula::Subset(to(a), to(b)),
            Formula::Each(a, comparison, b) => Formula::Each(to(a), *comparison, to(b)),
            Formula::Pairwise(a, comparison, b) => Formula::Pairwise(to(a), *comparison, to(b)),
            Formula::Prefix(a, b) => Formula::Prefix(to(a), to(b)),
            Formula::Frame(a, b, index) => Formula::Frame(to(a), to(b), to(index)),
            Formula::Shaped(a, shape) => Formula::Shaped(to(a), *shape),
            Formula::Class(a, class) => Formula::Class(to(a), class.clone()),
            Formula::Implies(a, b) => Formula::Implies(boxed(a), boxed(b)),
            Formula::Iff(a, b) => Formula::Iff(boxed(a), boxed(b)),
            Formula::Not(a) => Formula::Not(boxed(a)),
            Formula::Any(all) => Formula::Any(all.iter().map(|it| it.map(to)).collect()),
        }
    }

    /// Whether a term in it, or a part of one, is so.
    pub fn any(&self, mut is: impl FnMut(&Term) -> bool) -> bool {
        self.terms().into_iter().any(|it| it.any(&mut is))
    }
}
