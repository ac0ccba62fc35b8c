//! Specifications that no input satisfies, and which conjuncts are to blame; postconditions that no outcome violates; formulas
//! that differ.

use crate::error::Error;
use crate::report::conjunct;
use crate::specification::{Part, Specification};
use cupping_relation::{Condition, Instance, Pairs, Scope, enlarged};

/// Why there is no input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vacuity {
    /// Facts, declarations and scope allow none.
    Declarations,
    /// These of the required conjuncts contradict each other: without any one of them there are inputs.
    Conjuncts(Vec<usize>),
}

/// Why a specification has no input; none if it has one.
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

/// Objects of a class among which pairs are looked for first.
const FEW: usize = 3;
/// The work that looking for pairs may be, in conflicts of the solver.
const MOST_CONFLICTS: u64 = 20_000;

/// The promised conjuncts that are true whatever a call does: no pair of a state before, which is an input within the scope,
/// and a state after, which may have one more of everything, violates them. What the solver does not decide within bounds, or
/// what few objects violate already, is not among them.
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
        let pairs = Pairs {
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

/// What is to be said of conjuncts that are true whatever a call does.
pub fn trivial_notes(specification: &Specification, trivial: &[usize]) -> Vec<String> {
    let post = |at: &usize| specification.promised[*at].part == Part::Post;
    let all = (0..specification.promised.len()).filter(post).count();
    let mut notes = Vec::new();
    if all > 0 && trivial.iter().filter(|it| post(it)).count() == all {
        notes.push(
            "warning: the postcondition demands nothing: it holds whatever the method leaves within the scope".to_owned(),
        );
    }
    for at in trivial {
        let span = specification.promised[*at].condition.span();
        let name = match specification.comment(span) {
            Some(_) => conjunct(specification, *at),
            None => format!("the {}", specification.promised[*at].part.name()),
        };
        notes.push(format!(
            "warning: {}:{}: {name} holds whatever the method leaves within the scope, so that no fault violates it: {}",
            specification.file,
            specification.line(span),
            specification.words(span)
        ));
    }
    notes
}

/// An instance that tells two formulas apart, within facts and declarations; the first of them holds in it if the flag
/// is set, else the second.
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
