//! What follows from what is said already: suppressed.
//!
//! Formulas over numbers and truth values are held against all small assignments of the terms in them, those around the
//! constants that occur, and of some terms that what is said ties to them: `old(n) < size(a)` follows from `n < size(a)` and
//! `old(n) == n - 1`. What no such assignment tells apart is taken to follow. It can err where the first difference is
//! further out, which suppresses a formula that would have been true all the same.

use crate::formula::{Comparison, Formula};
use crate::term::Term;
use crate::value::Value;

/// Terms of a formula that is asked about, at most.
const MOST_ATOMS: usize = 4;
/// Terms with those that are tied to them.
const MOST_TIED: usize = 6;
/// Values of one term at most, by how many terms there are.
const MOST_VALUES: [usize; MOST_TIED + 1] = [14, 14, 14, 14, 10, 8, 7];

/// What is said, taken apart once for many questions.
#[derive(Debug, Default)]
pub struct Premises<'f> {
    all: Vec<(&'f Formula, Option<Vec<&'f Term>>)>,
}

impl<'f> Premises<'f> {
    /// Takes formulas apart.
    pub fn new(given: impl IntoIterator<Item = &'f Formula>) -> Premises<'f> {
        let mut said = Premises::default();
        given.into_iter().for_each(|it| said.push(it));
        said
    }

    /// Says one more.
    pub fn push(&mut self, formula: &'f Formula) {
        let mut atoms = Vec::new();
        let is_understood = collect(formula, &mut atoms);
        self.all.push((formula, is_understood.then_some(atoms)));
    }

    /// Whether a formula follows, without those at places that are `left_out`.
    pub fn implies(&self, formula: &Formula, left_out: &dyn Fn(usize) -> bool) -> bool {
        let given = || self.all.iter().enumerate().filter(|it| !left_out(it.0)).map(|it| it.1);
        if given().any(|it| it.0 == formula) {
            return true;
        }
        let mut atoms: Vec<&Term> = Vec::new();
        if !collect(formula, &mut atoms) || atoms.is_empty() || atoms.len() > MOST_ATOMS {
            return false;
        }
        let own = atoms.len();
        // Terms that what is said ties to these: by equalities rather than by anything else.
        for wanted in [3, 2, 1, 3, 2] {
            for (given, of) in given().filter_map(|it| Some((it.0, it.1.as_ref()?))) {
                let is_tied = tie(given) >= wanted && of.iter().any(|it| atoms.contains(it));
                let mut new = of.iter().filter(|it| !atoms.contains(it));
                if let (true, Some(first), None) = (is_tied, new.next(), new.next())
                    && atoms.len() < MOST_TIED
                {
                    atoms.push(first);
                }
            }
        }
        let about: Vec<(&Formula, &Vec<&Term>)> = given()
            .filter_map(|it| Some((it.0, it.1.as_ref()?)))
            .filter(|it| it.1.iter().all(|term| atoms.contains(term)))
            .collect();
        let most = MOST_VALUES[atoms.len()];
        let mut domain: Vec<i128> = vec![0, 1, -1, 2, 3, -2, -3];
        let add = |formula: &Formula, domain: &mut Vec<i128>| {
            let mut constants = Vec::new();
            numbers(formula, &mut constants);
            for value in constants {
                for near in [value, value - 1, value + 1] {
                    if !domain.contains(&near) && domain.len() < most.max(7) {
                        domain.push(near);
                    }
                }
            }
        };
        add(formula, &mut domain);
        about.iter().for_each(|it| add(it.0, &mut domain));
        let truths = [0, 1];
        let is_truth = |term: &Term| is_truth(formula, term) || about.iter().any(|it| is_truth(it.0, term));
        let domains: Vec<&[i128]> =
            atoms.iter().map(|it| if is_truth(it) { &truths[..] } else { &domain[..] }).collect();
        // By the last term that it needs: what is to be asked when that has got its value.
        let mut due: Vec<Vec<&Formula>> = vec![Vec::new(); atoms.len()];
        for (given, of) in about {
            let last = of.iter().filter_map(|it| atoms.iter().position(|own| own == it)).max();
            due[last.unwrap_or(0)].push(given);
        }
        !has_counterexample(
            formula,
            own,
            &Assigning { atoms: &atoms, domains: &domains, due: &due },
            &mut Vec::new(),
        )
    }
}

/// Whether a formula follows from others.
#[cfg(test)]
fn is_implied(formula: &Formula, given: &[&Formula]) -> bool {
    Premises::new(given.iter().copied()).implies(formula, &|_| false)
}

/// How closely a formula ties its terms to each other.
fn tie(formula: &Formula) -> usize {
    match formula {
        Formula::Compare(_, Comparison::Equal, _) => 3,
        Formula::Iff(..) => 2,
        _ => 1,
    }
}

struct Assigning<'a> {
    atoms: &'a [&'a Term],
    domains: &'a [&'a [i128]],
    due: &'a [Vec<&'a Formula>],
}

/// Whether values can be given to all terms so that what is due holds and the formula does not; its own terms come first.
fn has_counterexample(formula: &Formula, own: usize, of: &Assigning<'_>, values: &mut Vec<i128>) -> bool {
    let at = values.len();
    if at == own && (Assignment { atoms: &of.atoms[..at], values }).truth(formula) == Some(true) {
        return false;
    }
    if at == of.atoms.len() {
        return true;
    }
    for value in of.domains[at] {
        values.push(*value);
        let env = Assignment { atoms: &of.atoms[..=at], values };
        let is_given = of.due[at].iter().all(|it| env.truth(it) != Some(false));
        let found = is_given && has_counterexample(formula, own, of, values);
        values.pop();
        if found {
            return true;
        }
    }
    false
}

/// Whether a formula compares a term with a truth value.
fn is_truth(formula: &Formula, term: &Term) -> bool {
    match formula {
        Formula::Compare(a, _, Term::Constant(Value::Bool(_))) => a == term,
        Formula::Implies(a, b) | Formula::Iff(a, b) => is_truth(a, term) || is_truth(b, term),
        Formula::Not(a) => is_truth(a, term),
        Formula::Any(all) => all.iter().any(|it| is_truth(it, term)),
        _ => false,
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
        Term::Elements(_)
        | Term::First(..)
        | Term::Rest(..)
        | Term::Append(..)
        | Term::Prepend(..)
        | Term::Reverse(_) => false,
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
        assert!(!is_implied(&compare(x.clone(), Comparison::Different, int(7)), &[&low]));
        // By way of another term.
        let (old, z) = (Term::Old(Box::new(x.clone())), Term::This.field("z"));
        let step = compare(x.clone(), Comparison::Equal, Term::Linear(vec![(1, old.clone())], 1));
        let below = compare(x.clone(), Comparison::AtMost, z.clone());
        let strictly = compare(old, Comparison::Less, z);
        assert!(is_implied(&strictly, &[&step, &below]));
        assert!(!is_implied(&strictly, &[&below]));
        assert!(!is_implied(&strictly, &[&step]));
    }
}
