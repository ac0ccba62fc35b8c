//! Observers replaced by fields: `size()` becomes `this.size` if the specification states that they are equal.

use crate::formula::{Formula, Not};
use crate::outcome::InferenceOutcome;
use crate::program_point::ProgramPoint;
use crate::subject::Subject;
use crate::term::Term;
use crate::value::Value;
use std::collections::BTreeMap;

/// Facts about an observer's result.
#[derive(Clone, Debug)]
enum ObserverResult {
    /// It is the value of this term.
    Value(Term),
    /// It is `true` exactly where this formula holds.
    Truth(Formula),
}

/// Facts about the observers of a class.
#[derive(Clone, Debug, Default)]
pub struct Observers(BTreeMap<String, ObserverResult>);

/// Limit on the depth at which observers are defined by other observers.
const DEPTH: usize = 3;

impl Observers {
    /// Collects what a specification says of observers.
    pub fn new(subject: &Subject, outcome: &InferenceOutcome) -> Observers {
        let mut known = BTreeMap::new();
        for observer in &subject.observers {
            let point = ProgramPoint::Exit(format!("{}{}", observer.name, observer.descriptor));
            let itself = Term::Observer(Box::new(Term::This), observer.shown.to_string());
            let found = outcome.specification.clauses.iter().find_map(|it| match &it.point {
                ProgramPoint::Class => known_of(&it.formula, &itself),
                other if *other == point => known_of(&it.formula, &Term::Result),
                _ => None,
            });
            if let Some(found) = found {
                known.insert(observer.shown.to_string(), found);
            }
        }
        Observers(known)
    }

    /// A formula with known observers replaced.
    pub fn resolved(&self, formula: &Formula) -> Formula {
        let mut formula = formula.clone();
        for _ in 0..DEPTH {
            formula = self.step(&formula);
        }
        formula
    }

    fn step(&self, formula: &Formula) -> Formula {
        if let Some((a, b)) = formula.as_equality() {
            match (self.truth(a), self.truth(b), formula.as_truth()) {
                (Some(truth), _, Some((_, true))) => return truth,
                (Some(truth), _, Some((_, false))) => return Not { negated: Box::new(truth) }.into(),
                (Some(a), Some(b), None) => return Formula::iff(a, b),
                _ => {}
            }
        }
        formula.kind().rebuilt(&|it| self.term(it), &|it| self.step(it))
    }

    /// The formula that is equivalent to a term that is an observer.
    fn truth(&self, term: &Term) -> Option<Formula> {
        match term {
            Term::Observer(of, name) => match self.0.get(name)? {
                ObserverResult::Truth(formula) => Some(formula.map(&|it| of_object(it, of))),
                ObserverResult::Value(Term::Constant(Value::Bool(truth))) => {
                    // A constant truth value, as a comparison that holds or does not.
                    let one = Term::Constant(Value::Int(1));
                    let other = Term::Constant(Value::Int(i64::from(*truth)));
                    Some(Formula::equal(one, other))
                }
                ObserverResult::Value(_) => None,
            },
            Term::Old(of) => Some(self.truth(of)?.map(&|it| match it {
                Term::Constant(_) | Term::Parameter(..) => it.clone(),
                other => Term::Old(Box::new(other.clone())),
            })),
            _ => None,
        }
    }

    fn term(&self, term: &Term) -> Term {
        term.replaced(&|it| match it {
            Term::Observer(of, name) => match self.0.get(name)? {
                ObserverResult::Value(value) => Some(of_object(value, of)),
                ObserverResult::Truth(_) => None,
            },
            _ => None,
        })
    }
}

/// A term about `this` as a term about another object.
fn of_object(term: &Term, object: &Term) -> Term {
    term.replaced(&|it| (*it == Term::This).then(|| object.clone()))
}

/// A formula about the value of an observer, which occurs in it as `itself`.
fn known_of(formula: &Formula, itself: &Term) -> Option<ObserverResult> {
    let is_state = |it: &Term| {
        !it.any(&mut |it| {
            it == itself
                || matches!(it, Term::Old(_) | Term::Parameter(..) | Term::Result | Term::Observer(..))
        })
    };
    if let Some((a, b)) = formula.as_equality() {
        let value = if a == itself { b } else { a };
        let is_value = (a == itself || b == itself) && is_state(value);
        return is_value.then(|| ObserverResult::Value(value.clone()));
    }
    let Formula::Iff(iff) = formula else { return None };
    let is_truth = iff.left.as_truth() == Some((itself, true)) && iff.right.terms().into_iter().all(is_state);
    is_truth.then(|| ObserverResult::Truth((*iff.right).clone()))
}
