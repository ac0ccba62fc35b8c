//! Diagnoses the specification itself: vacuity (no input satisfies it, and which conjuncts conflict), trivial
//! postconditions (no outcome violates them), and differences between formulas.

use crate::error::Error;
use crate::report::conjunct;
use crate::specification::{Specification, SpecificationPart};
use cupping_relation::{Condition, Error as Doubt, Instance, Scope, StatePairs, enlarged};

/// Why a specification has no input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vacuity {
    /// Facts, declarations and scope together admit none.
    Declarations,
    /// A minimal set of conflicting conjuncts: without any one of them there are inputs.
    Conjuncts(Vec<usize>),
}

/// Why a specification has no input; `None` if it has one.
pub fn vacuity(specification: &Specification) -> Result<Option<Vacuity>, Error> {
    let all: Vec<usize> = (0..specification.required.len()).collect();
    let satisfiable = |kept: &[usize]| -> Result<bool, Error> {
        let conjuncts: Vec<&Condition> =
            kept.iter().map(|at| &specification.required[*at].condition).collect();
        Ok(specification.problem_of(&conjuncts, &[])?.advance())
    };
    if satisfiable(&all)? {
        return Ok(None);
    }
    if !satisfiable(&[])? {
        return Ok(Some(Vacuity::Declarations));
    }
    let mut core = all;
    let mut at = 0;
    while at < core.len() {
        let mut fewer = core.clone();
        fewer.remove(at);
        if satisfiable(&fewer)? {
            at += 1;
        } else {
            core = fewer;
        }
    }
    Ok(Some(Vacuity::Conjuncts(core)))
}

/// Number of objects per class in the first, cheap attempt to find a violation.
const FEW: usize = 3;
/// Limit on the search for a violation, in conflicts of the SAT solver.
const MOST_CONFLICTS: u64 = 20_000;

/// Postcondition conjuncts that hold whatever the call does: no pair of an input within the scope and an
/// outcome, with at most one more object of every class, violates them. Conjuncts that the solver cannot
/// decide within its limit are not reported.
pub fn trivial(specification: &Specification) -> Result<Vec<usize>, Error> {
    let modelled = &specification.after;
    let mut required = Vec::new();
    for name in ["invariant", "pre"] {
        for section in modelled.model.sections(name).filter(|_| name == "pre" || !specification.constructs())
        {
            required.push(modelled.condition(section)?);
        }
    }
    let left = modelled.of_outcomes(&specification.plan)?;
    let mut frozen = modelled.call.parameters.clone();
    frozen.extend(modelled.call.this);
    frozen.extend(modelled.arrays.iter().map(|it| it.length));
    let violable = |scope: &Scope, conditions: &[Condition]| {
        let after = enlarged(&modelled.model, scope)?;
        let pairs = StatePairs {
            model: &modelled.model,
            before: scope,
            after: &after,
            always: &modelled.always,
            required: &required,
            left: &left,
            frozen: &frozen,
            garbage: specification.garbage(),
        };
        pairs.violable(conditions, MOST_CONFLICTS)
    };
    let mut few = specification.scope.clone();
    few.default = few.default.min(FEW);
    few.sizes.values_mut().for_each(|it| *it = (it.0.min(FEW), it.1.min(FEW)));
    let mut open: Vec<usize> = (0..specification.promised.len()).collect();
    for scope in [&few, &specification.scope] {
        let conditions: Vec<Condition> =
            open.iter().map(|at| specification.promised[*at].condition.clone()).collect();
        if conditions.is_empty() {
            break;
        }
        let answers = violable(scope, &conditions)?;
        let is_whole = std::ptr::eq(scope, &specification.scope);
        let kept =
            |answer: &Option<bool>| if is_whole { *answer == Some(false) } else { *answer != Some(true) };
        open = open.into_iter().zip(answers).filter(|(_, it)| kept(it)).map(|it| it.0).collect();
    }
    Ok(open)
}

/// Warnings about trivial conjuncts.
pub fn trivial_doubts(specification: &Specification, trivial: &[usize]) -> Vec<Doubt> {
    let post = |at: &usize| specification.promised[*at].part == SpecificationPart::Post;
    let span = |at: usize| specification.promised[at].condition.span();
    let all: Vec<usize> = (0..specification.promised.len()).filter(post).collect();
    let about = |span, what: String| {
        Doubt::new(span, format!("{what} is trivial: every outcome within the scope satisfies it"))
    };
    if let (Some(first), Some(last)) = (all.first(), all.last())
        && all.iter().all(|it| trivial.contains(it))
    {
        let whole = about(span(*first).to(span(*last)), "the postcondition".to_owned());
        let others =
            trivial.iter().filter(|it| !post(it)).map(|at| about(span(*at), named(specification, *at)));
        return std::iter::once(whole).chain(others).collect();
    }
    trivial.iter().map(|at| about(span(*at), named(specification, *at))).collect()
}

/// The conjunct by its comment, else by its part.
fn named(specification: &Specification, at: usize) -> String {
    let promised = &specification.promised[at];
    match specification.comment(promised.condition.span()) {
        Some(_) => conjunct(specification, at),
        None => format!("the {}", promised.part.name()),
    }
}

/// An instance that distinguishes two formulas under facts and declarations. The first formula holds in it if
/// the flag is set, else the second.
pub fn difference(
    specification: &Specification,
    a: &Condition,
    b: &Condition,
) -> Result<Option<(Instance, bool)>, Error> {
    let differ = specification.before.model.difference(a, b);
    let Some(instance) = specification.problem_of(&[], &[differ])?.next() else { return Ok(None) };
    let states =
        cupping_relation::States { universe: &instance.universe, now: &instance.structure, before: None };
    let first = cupping_relation::evaluate(&specification.before.model, &states, a)?;
    Ok(Some((instance, first)))
}
