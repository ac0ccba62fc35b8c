//! What of all that holds is meant, and what is only a trace of what happened to be tried.

use crate::exceptions::ThrowsClause;
use crate::explore::Exploration;
use crate::formula::{Comparison, Formula};
use crate::inference::Specification;
use crate::subject::Subject;
use crate::table::ProgramPoint;
use crate::term::{Phase, Term};
use crate::trace::{Ending, Execution};

/// Whether a likely specification is more than a trace of how exploration went: a precondition forbids something that was
/// tried; a bound is no value that was passed, and was met early enough for longer sequences to pass it.
pub fn is_relevant(
    subject: &Subject,
    point: &ProgramPoint,
    said: &Formula,
    all: &[&Execution],
    explored: &Exploration,
) -> bool {
    let when = point.when();
    if let ProgramPoint::Entry(key) = point {
        let is_forbidden =
            |it: &&&Execution| subject.key(it.method) == *key && said.holds(it, Phase::Before) == Some(false);
        if !all.iter().any(|it| is_forbidden(&it)) {
            return false;
        }
    }
    // A constant of its own in a part of what was seen, or in what was required, may be that of the few objects there.
    let (formula, is_of_part) = match (said, point) {
        (Formula::Implies(_, then), _) => (&**then, true),
        (formula, point) => (formula, matches!(point, ProgramPoint::Entry(_))),
    };
    if let Formula::Compare(term, Comparison::Equal, Term::Constant(constant)) = formula
        && is_of_part
        && constant.real().is_some_and(|it| it.abs() > 1.0 || it.fract() != 0.0)
        && !term.any(&mut |it| *it == Term::Result)
    {
        return explored.closed || explored.complete > 2;
    }
    let (term, bounds) = match said {
        Formula::Compare(term, Comparison::AtMost | Comparison::AtLeast, Term::Constant(bound)) => {
            (term, vec![bound.clone()])
        }
        Formula::OneOf(term, values) => (term, values.iter().rev().take(1).cloned().collect()),
        _ => return true,
    };
    let Some(bound) = bounds[0].number().filter(|it| it.abs() > 1) else { return true };
    if let Formula::Compare(..) = said
        && explored.passed.contains(&bound)
    {
        return false;
    }
    let reaching = all.iter().filter(|it| point.samples(subject, it));
    let reaching = reaching.filter(|it| term.value(it, when).number() == Some(bound));
    let earliest = reaching.filter_map(|it| it.test.as_ref()).map(|it| it.calls()).min();
    explored.closed || earliest.is_none_or(|it| it < explored.complete)
}

/// Whether all that a method throws is thrown exactly under conditions that are known: what else the calls that returned have
/// in common is no precondition.
pub fn is_explained_by_throws(
    subject: &Subject,
    key: &str,
    throws: &[ThrowsClause],
    all: &[&Execution],
) -> bool {
    let is_exact = |class: &str| throws.iter().any(|it| it.method == key && it.exact && *it.class == *class);
    let own = all.iter().filter(|it| subject.key(it.method) == key);
    let mut thrown = own.filter_map(|it| match &it.ending {
        Ending::Threw { class, .. } => Some(&**class),
        Ending::Returned(_) => None,
    });
    thrown.all(is_exact)
}

/// For each likely specification whether it is needed: preconditions are there to tell what fails, the simplest first; one that
/// forbids nothing which those before it allow is how the others happen to look.
pub fn needed(subject: &Subject, specification: &Specification, all: &[&Execution]) -> Vec<bool> {
    let mut needed = vec![true; specification.clauses.len()];
    for method in 0..subject.methods.len() {
        let point = ProgramPoint::Entry(subject.key(method));
        let mut own: Vec<usize> =
            (0..needed.len()).filter(|at| specification.clauses[*at].point == point).collect();
        let formula = |at: usize| &specification.clauses[at].formula;
        own.sort_by_key(|at| {
            let is_of_elements = formula(*at).any(|it| matches!(it, Term::Elements(_)));
            (is_of_elements, formula(*at).terms().iter().map(|it| it.size()).sum::<usize>())
        });
        let is_failed = |it: &&&Execution| it.method == method && matches!(it.ending, Ending::Threw { .. });
        let mut failed: Vec<&&Execution> = all.iter().filter(is_failed).collect();
        for at in own {
            let before = failed.len();
            failed.retain(|it| formula(at).holds(it, Phase::Before) != Some(false));
            needed[at] = failed.len() < before;
        }
    }
    needed
}
