//! Assignments of numbers to terms, under which formulas about numbers and truth values are true or false.

use crate::term::Term;
use crate::value::Value;

/// A number or a truth value as a number.
pub fn number(value: &Value) -> Option<i128> {
    match value {
        Value::Bool(value) => Some(i128::from(*value)),
        other => other.number(),
    }
}

/// An assignment of numbers to terms.
#[derive(Debug)]
pub struct Assignment<'a> {
    /// The terms.
    pub atoms: &'a [&'a Term],
    /// Their numbers.
    pub values: &'a [i128],
}

impl Assignment<'_> {
    /// The number of a term; `None` if it does not consist of assigned terms.
    pub fn number(&self, term: &Term) -> Option<i128> {
        if let Some(at) = self.atoms.iter().position(|it| *it == term) {
            return Some(self.values[at]);
        }
        match term {
            Term::Constant(value) => number(value),
            Term::Linear(terms, constant) => {
                let sum: Option<i128> =
                    terms.iter().map(|(factor, term)| Some(i128::from(*factor) * self.number(term)?)).sum();
                Some(sum? + i128::from(*constant))
            }
            _ => None,
        }
    }
}
