//! What follows from what is said already: suppressed.
//!
//! Formulas over numbers and truth values are held against all small assignments of the terms in them, and those around the
//! constants that occur. What no such assignment tells apart is taken to follow. It can err where the first difference is
//! further out, which suppresses a formula that would have been true all the same.

use crate::formula::Formula;
use crate::term::Term;
use crate::value::Value;

/// Terms of a formula that is asked about, at most.
const MOST_ATOMS: usize = 3;
/// Values of one term at most.
const MOST_VALUES: usize = 14;

/// Whether a formula follows from others.
pub fn is_implied(formula: &Formula, given: &[&Formula]) -> bool {
    if given.contains(&formula) {
        return true;
    }
    let mut atoms: Vec<&Term> = Vec::new();
    if !collect(formula, &mut atoms) || atoms.is_empty() || atoms.len() > MOST_ATOMS {
        return false;
    }
    let about: Vec<&Formula> = given
        .iter()
        .copied()
        .filter(|it| {
            let mut own: Vec<&Term> = Vec::new();
            collect(it, &mut own) && own.iter().all(|term| atoms.contains(term))
        })
        .collect();
    let mut domain: Vec<i128> = (-3..=3).collect();
    let add = |formula: &Formula, domain: &mut Vec<i128>| {
        let mut constants = Vec::new();
        numbers(formula, &mut constants);
        for value in constants {
            for near in [value, value - 1, value + 1] {
                if !domain.contains(&near) && domain.len() < MOST_VALUES {
                    domain.push(near);
                }
            }
        }
    };
    add(formula, &mut domain);
    about.iter().for_each(|it| add(it, &mut domain));
    let mut chosen = vec![0; atoms.len()];
    loop {
        let values: Vec<i128> = chosen.iter().map(|at| domain[*at]).collect();
        let env = Assignment { atoms: &atoms, values: &values };
        let is_given = about.iter().all(|it| env.truth(it) != Some(false));
        if is_given && env.truth(formula) != Some(true) {
            return false;
        }
        let Some(next) = chosen.iter().position(|at| at + 1 < domain.len()) else { return true };
        chosen[..next].fill(0);
        chosen[next] += 1;
    }
}

/// The terms that a formula compares; whether it is of the kind that is understood.
fn collect<'f>(formula: &'f Formula, atoms: &mut Vec<&'f Term>) -> bool {
    match formula {
        Formula::Compare(a, _, b) => term(a, atoms) && term(b, atoms),
        Formula::OneOf(a, values) => values.iter().all(|it| number(it).is_some()) && term(a, atoms),
        Formula::Modulus(a, ..) | Formula::Bits(a, ..) => term(a, atoms),
        Formula::Implies(a, b) | Formula::Iff(a, b) => collect(a, atoms) && collect(b, atoms),
        Formula::Not(a) => collect(a, atoms),
        Formula::Any(all) => all.iter().all(|it| collect(it, atoms)),
        _ => false,
    }
}

fn term<'f>(of: &'f Term, atoms: &mut Vec<&'f Term>) -> bool {
    match of {
        Term::Constant(value) => number(value).is_some(),
        Term::Linear(terms, _) => terms.iter().all(|it| term(&it.1, atoms)),
        Term::Elements(_) | Term::First(..) | Term::Append(..) | Term::Reverse(_) => false,
        other => {
            if !atoms.contains(&other) {
                atoms.push(other);
            }
            true
        }
    }
}

fn number(value: &Value) -> Option<i128> {
    match value {
        Value::Bool(value) => Some(i128::from(*value)),
        other => other.number(),
    }
}

fn numbers(formula: &Formula, found: &mut Vec<i128>) {
    if let Formula::OneOf(_, values) = formula {
        found.extend(values.iter().filter_map(number));
    }
    for term in formula.terms() {
        term.any(&mut |it| {
            match it {
                Term::Constant(value) => found.extend(number(value)),
                Term::Linear(_, constant) => found.push(i128::from(*constant)),
                _ => {}
            }
            false
        });
    }
}

struct Assignment<'a> {
    atoms: &'a [&'a Term],
    values: &'a [i128],
}

impl Assignment<'_> {
    fn number(&self, term: &Term) -> Option<i128> {
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

    fn truth(&self, formula: &Formula) -> Option<bool> {
        use crate::formula::Comparison::{AtLeast, AtMost, Different, Equal, Greater, Less};
        match formula {
            Formula::Compare(a, comparison, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                Some(match comparison {
                    Equal => a == b,
                    Different => a != b,
                    Less => a < b,
                    AtMost => a <= b,
                    Greater => a > b,
                    AtLeast => a >= b,
                })
            }
            Formula::OneOf(a, values) => {
                let a = self.number(a)?;
                Some(values.iter().any(|it| number(it) == Some(a)))
            }
            Formula::Modulus(a, modulus, rest) => {
                Some(self.number(a)?.rem_euclid(i128::from(*modulus)) == i128::from(*rest))
            }
            Formula::Bits(a, mask, bits) => Some(self.number(a)? & i128::from(*mask) == i128::from(*bits)),
            Formula::Implies(a, b) => Some(!self.truth(a)? || self.truth(b)?),
            Formula::Iff(a, b) => Some(self.truth(a)? == self.truth(b)?),
            Formula::Not(a) => self.truth(a).map(|it| !it),
            Formula::Any(all) => {
                all.iter().map(|it| self.truth(it)).try_fold(false, |any, it| Some(any | it?))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Comparison;

    fn compare(a: Term, comparison: Comparison, b: Term) -> Formula {
        Formula::Compare(a, comparison, b)
    }

    fn int(value: i64) -> Term {
        Term::Constant(Value::Int(value))
    }

    #[test]
    fn what_follows_is_seen() {
        let (x, y) = (Term::This.field("x"), Term::This.field("y"));
        let more = compare(x.clone(), Comparison::Equal, Term::Linear(vec![(1, y.clone())], 1));
        let less = compare(y.clone(), Comparison::Less, x.clone());
        assert!(is_implied(&less, &[&more]));
        assert!(!is_implied(&more, &[&less]));
        let low = compare(x.clone(), Comparison::AtLeast, int(0));
        assert!(is_implied(&low, &[&compare(x.clone(), Comparison::Equal, int(200))]));
        assert!(!is_implied(&low, &[&compare(y, Comparison::AtLeast, int(0))]));
        assert!(is_implied(&compare(x.clone(), Comparison::Different, int(-7)), &[&low]));
        assert!(!is_implied(&compare(x, Comparison::Different, int(7)), &[&low]));
    }
}
