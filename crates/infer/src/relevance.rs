//! Relevance: which formulas the code intends, and which only reflect the values that were tried.

use crate::explore::Exploration;
use crate::formula::Formula;
use crate::program_point::ProgramPoint;
use crate::specification::Specification;
use crate::specification::ThrowsClause;
use crate::subject::Subject;
use crate::term::{Phase, Term};
use crate::trace::{CallOutcome, Execution};

/// Whether a formula is more than a reflection of the exploration. A relevant precondition forbids something that
/// was tried. A relevant bound is not a value that was passed, and was reached so early that longer sequences would
/// have exceeded it.
pub fn is_relevant(
    subject: &Subject,
    point: &ProgramPoint,
    claim: &Formula,
    all: &[&Execution],
    explored: &Exploration,
) -> bool {
    let when = point.phase();
    if let ProgramPoint::Entry(key) = point {
        let is_forbidden = |it: &&&Execution| {
            subject.key(it.method) == *key && claim.holds(it, Phase::Before) == Some(false)
        };
        if !all.iter().any(|it| is_forbidden(&it)) {
            return false;
        }
    }
    // A constant in an implication, or in a precondition, may belong to the few objects that were observed.
    let consequence = if let Formula::Implies(implies) = claim { Some(&*implies.consequence) } else { None };
    let formula = consequence.unwrap_or(claim);
    let is_of_part = consequence.is_some() || matches!(point, ProgramPoint::Entry(_));
    if let Some((term, Term::Constant(constant))) = formula.as_equality()
        && is_of_part
        && constant.real().is_some_and(|it| it.abs() > 1.0 || it.fract() != 0.0)
        && !term.any(&mut |it| *it == Term::Result)
    {
        return explored.closed || explored.complete > 2;
    }
    let Some((term, bound)) = claim.kind().bound() else { return true };
    let Some(bound) = bound.number().filter(|it| it.abs() > 1) else { return true };
    // A bound that equals a number of the code is intended, even if that number was also passed.
    let is_of_code = *point == ProgramPoint::Class && explored.constants.contains(&bound);
    if claim.as_compare().is_some() && explored.passed.contains(&bound) && !is_of_code {
        return false;
    }
    // Calls with the numbers of the code and their neighbours would have exceeded it.
    if is_of_code && claim.as_compare().is_some() {
        return true;
    }
    let reaching = all.iter().filter(|it| point.samples(subject, it));
    let reaching = reaching.filter(|it| term.value(it, when).number() == Some(bound));
    let earliest = reaching.filter_map(|it| it.test.as_ref()).map(|it| it.calls()).min();
    explored.closed || earliest.is_none_or(|it| it < explored.complete)
}

/// Whether throws clauses explain all exceptions of a method exactly. Then other facts that the returning calls have
/// in common are not preconditions.
pub fn is_explained_by_throws(
    subject: &Subject,
    key: &str,
    throws: &[ThrowsClause],
    all: &[&Execution],
) -> bool {
    let is_exact = |class: &str| throws.iter().any(|it| it.method == key && it.exact && *it.class == *class);
    let own = all.iter().filter(|it| subject.key(it.method) == key);
    let mut thrown = own.filter_map(|it| match &it.ending {
        CallOutcome::Threw { class, .. } => Some(&**class),
        CallOutcome::Returned(_) => None,
    });
    thrown.all(is_exact)
}

/// For each clause, whether it is needed. Preconditions characterise the calls that fail; in the order of size, a
/// precondition that forbids no failure beyond the earlier ones is an accident.
pub fn needed(subject: &Subject, specification: &Specification, all: &[&Execution]) -> Vec<bool> {
    let mut needed = vec![true; specification.clauses.len()];
    for method in 0..subject.methods.len() {
        let point = ProgramPoint::Entry(subject.key(method));
        let mut own: Vec<usize> =
            (0..needed.len()).filter(|at| specification.clauses[*at].point == point).collect();
        let formula = |at: usize| &specification.clauses[at].formula;
        own.sort_by_key(|at| {
            let is_of_elements = formula(*at).any(|it| matches!(it, Term::Elements(_)));
            (is_of_elements, formula(*at).size())
        });
        let is_failed =
            |it: &&&Execution| it.method == method && matches!(it.ending, CallOutcome::Threw { .. });
        let mut failed: Vec<&&Execution> = all.iter().filter(is_failed).collect();
        for at in own {
            let before = failed.len();
            failed.retain(|it| formula(at).holds(it, Phase::Before) != Some(false));
            needed[at] = failed.len() < before;
        }
    }
    needed
}
