//! Observers in the words of fields: `size()` is `this.size`, if that is what is known of its result.

use crate::formula::{Comparison, Formula};
use crate::rounds::Outcome;
use crate::subject::Subject;
use crate::table::ProgramPoint;
use crate::term::Term;
use crate::value::Value;
use std::collections::BTreeMap;

/// What an observer returns.
#[derive(Clone, Debug)]
enum Known {
    /// This value.
    Value(Term),
    /// `true` exactly where this holds.
    Truth(Formula),
}

/// What is known of the observers of a class.
#[derive(Clone, Debug, Default)]
pub struct Observers(BTreeMap<String, Known>);

/// Observers within observers.
const DEPTH: usize = 3;

impl Observers {
    /// What the specification says of their results.
    pub fn new(subject: &Subject, outcome: &Outcome) -> Observers {
        let mut known = BTreeMap::new();
        for observer in &subject.observers {
            let point = ProgramPoint::Exit(format!("{}{}", observer.name, observer.descriptor));
            let itself = Term::Observer(Box::new(Term::This), observer.shown.to_string());
            let said = outcome.specification.clauses.iter().find_map(|it| match &it.point {
                ProgramPoint::Class => known_of(&it.formula, &itself),
                other if *other == point => known_of(&it.formula, &Term::Result),
                _ => None,
            });
            if let Some(said) = said {
                known.insert(observer.shown.to_string(), said);
            }
        }
        Observers(known)
    }

    /// A formula without the observers that something is known of.
    pub fn resolved(&self, formula: &Formula) -> Formula {
        let mut formula = formula.clone();
        for _ in 0..DEPTH {
            formula = self.step(&formula);
        }
        formula
    }

    fn step(&self, formula: &Formula) -> Formula {
        let again = |it: &Formula| Box::new(self.step(it));
        match formula {
            Formula::Compare(a, Comparison::Equal, b) => match (self.truth(a), self.truth(b), b) {
                (Some(truth), _, Term::Constant(Value::Bool(true))) => truth,
                (Some(truth), _, Term::Constant(Value::Bool(false))) => Formula::Not(Box::new(truth)),
                (Some(a), Some(b), _) => Formula::Iff(Box::new(a), Box::new(b)),
                _ => formula.map(&|it| self.term(it)),
            },
            Formula::Implies(a, b) => Formula::Implies(again(a), again(b)),
            Formula::Iff(a, b) => Formula::Iff(again(a), again(b)),
            Formula::Not(a) => Formula::Not(again(a)),
            Formula::Any(all) => Formula::Any(all.iter().map(|it| self.step(it)).collect()),
            other => other.map(&|it| self.term(it)),
        }
    }

    /// When an observer is true, if that is what a term is.
    fn truth(&self, term: &Term) -> Option<Formula> {
        match term {
            Term::Observer(of, name) => match self.0.get(name)? {
                Known::Truth(formula) => Some(formula.map(&|it| of_object(it, of))),
                Known::Value(Term::Constant(Value::Bool(truth))) => {
                    // One that is always the same: of a comparison that holds or does not.
                    let one = Term::Constant(Value::Int(1));
                    let other = Term::Constant(Value::Int(i64::from(*truth)));
                    Some(Formula::Compare(one, Comparison::Equal, other))
                }
                Known::Value(_) => None,
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
                Known::Value(value) => Some(of_object(value, of)),
                Known::Truth(_) => None,
            },
            _ => None,
        })
    }
}

/// A term about `this`, of another object.
fn of_object(term: &Term, object: &Term) -> Term {
    term.replaced(&|it| (*it == Term::This).then(|| object.clone()))
}

/// What a formula says of the value of an observer, which is `itself` in it.
fn known_of(formula: &Formula, itself: &Term) -> Option<Known> {
    let is_state = |it: &Term| {
        !it.any(&mut |it| {
            it == itself
                || matches!(it, Term::Old(_) | Term::Parameter(..) | Term::Result | Term::Observer(..))
        })
    };
    match formula {
        Formula::Compare(a, Comparison::Equal, value) | Formula::Compare(value, Comparison::Equal, a)
            if a == itself && is_state(value) =>
        {
            Some(Known::Value(value.clone()))
        }
        Formula::Iff(result, truth) => match &**result {
            Formula::Compare(a, Comparison::Equal, Term::Constant(Value::Bool(true)))
                if a == itself && truth.terms().into_iter().all(is_state) =>
            {
                Some(Known::Truth((**truth).clone()))
            }
            _ => None,
        },
        _ => None,
    }
}
