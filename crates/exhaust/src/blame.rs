//! Specifications that no input satisfies, and which conjuncts are to blame; formulas that differ.

use crate::error::Error;
use crate::specification::Specification;
use cupping_relation::{Condition, Instance};

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
