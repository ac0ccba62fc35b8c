//! Right sides: templates of axioms (slide 27) with their arguments.

use super::sample::Sample;
use super::words::{call, parameter};
use crate::subject::Subject;
use crate::value::Value;

/// The right side of an axiom.
#[derive(Clone, Debug, PartialEq)]
pub enum Rhs {
    /// A constant.
    Constant(Value),
    /// An argument of the first call, plus a constant.
    First(usize, i64),
    /// An argument of the second call, plus a constant.
    Second(usize, i64),
    /// The result of the second method in the state before both calls, plus a constant (differencing axioms).
    Before(i64),
    /// The state after the first call.
    AfterFirst,
    /// The state before.
    State,
    /// The state after the same calls in the other order.
    Swapped,
}

impl Rhs {
    /// Whether it equals the left side of a sample; `None` if one of the two is not known.
    pub fn fits(&self, sample: &Sample<'_>, of_state: bool) -> Option<bool> {
        if of_state {
            let after = sample.after?;
            return Some(match self {
                Rhs::AfterFirst => after == sample.middle?,
                Rhs::State => after == sample.before?,
                Rhs::Swapped if sample.throws_alone => false,
                Rhs::Swapped => after == sample.swapped?,
                _ => return None,
            });
        }
        let result = sample.result?;
        let plus = |value: &Value, by: i64| match by {
            // Calls ran on forks of the machine, so different addresses do not imply different objects.
            0 if is_other_object(result, value) => None,
            0 => result.same(value),
            _ => Some(result.number()? == value.number()? + i128::from(by)),
        };
        match self {
            Rhs::Constant(value) => result.same(value),
            Rhs::First(at, by) => plus(sample.first.get(*at)?, *by),
            Rhs::Second(at, by) => plus(sample.second.get(*at)?, *by),
            // A missing value equals nothing.
            Rhs::Before(_) if sample.throws_alone => Some(false),
            Rhs::Before(by) => plus(sample.alone?, *by),
            _ => None,
        }
    }

    /// The right sides that a sample suggests. Other samples decide which of them hold.
    pub fn suggested(sample: &Sample<'_>, of_state: bool, is_single: bool) -> Vec<Rhs> {
        if of_state {
            return if is_single {
                vec![Rhs::State]
            } else {
                vec![Rhs::State, Rhs::AfterFirst, Rhs::Swapped]
            };
        }
        let Some(result) = sample.result else { return Vec::new() };
        let mut found = Vec::new();
        let has_literal = |it: &Value| !matches!(it, Value::Absent | Value::Object(_) | Value::Seq(_));
        if has_literal(result) {
            found.push(Rhs::Constant(result.clone()));
        }
        let difference = |value: &Value| -> Option<i64> {
            match (result.number(), value.number()) {
                (Some(a), Some(b)) => i64::try_from(a - b).ok().filter(|it| it.abs() <= 16),
                _ => (result.same(value) == Some(true) && has_literal(value)).then_some(0),
            }
        };
        let arguments = sample.first.iter().enumerate().map(|(at, it)| (true, at, it));
        for (is_first, at, value) in
            arguments.chain(sample.second.iter().enumerate().map(|(at, it)| (false, at, it)))
        {
            if let Some(by) = difference(value) {
                found.push(if is_first { Rhs::First(at, by) } else { Rhs::Second(at, by) });
            }
        }
        if let Some(by) = sample.alone.and_then(difference) {
            found.push(Rhs::Before(by));
        }
        found
    }

    /// In the notation of the slides.
    pub fn text(&self, subject: &Subject, first: usize, second: Option<usize>) -> String {
        let plus = |text: String, by: i64| match by {
            0 => text,
            _ if by < 0 => format!("{text} - {}", -by),
            _ => format!("{text} + {by}"),
        };
        let numbers = |which: usize| second.is_some().then_some(which);
        let second = second.unwrap_or(first);
        match self {
            Rhs::Constant(value) => value.to_string(),
            Rhs::First(at, by) => plus(parameter(subject, first, *at, numbers(1)), *by),
            Rhs::Second(at, by) => plus(parameter(subject, second, *at, numbers(2)), *by),
            Rhs::Before(by) => plus(call(subject, second, "S", Some(2)), *by),
            Rhs::AfterFirst => call(subject, first, "S", numbers(1)),
            Rhs::State => "S".into(),
            Rhs::Swapped => {
                let inner = call(subject, second, "S", Some(2));
                call(subject, first, &inner, Some(1))
            }
        }
    }
}

/// Whether two values are objects at different addresses.
fn is_other_object(a: &Value, b: &Value) -> bool {
    matches!((a, b), (Value::Object(a), Value::Object(b)) if a != b)
}
