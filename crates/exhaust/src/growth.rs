//! Growing scopes (TestEra, section 7): the next larger scope, and the inputs that are new in it.

use crate::error::Error;
use crate::specification::Specification;
use cupping_relation::syntax::parse_expression;
use cupping_relation::{Condition, Model, Scope, SigId};

/// The sizes of a class of objects in a scope.
struct Sizes {
    sig: SigId,
    least: usize,
    most: usize,
}

/// The next larger scope: one more object of each class and one more integer. A class under test that has one
/// object keeps it; strings and enums stay.
pub fn larger(specification: &Specification) -> Scope {
    let scope = &specification.scope;
    let receiver = receiver(specification);
    let mut next = scope.clone();
    for Sizes { sig, least, most } in sizes(specification, scope) {
        if Some(sig) == receiver && most <= 1 {
            continue;
        }
        next.sizes.insert(sig, if least == most { (least + 1, most + 1) } else { (least, most + 1) });
    }
    next.default += 1;
    next.integers.1 += 1;
    next
}

/// Holds for the inputs that a smaller scope does not have: a class has another number of objects, or an integer is
/// beyond its range.
///
/// # Errors
///
/// The names of the classes cannot be resolved.
pub fn is_new(specification: &Specification, smaller: &Scope) -> Result<Condition, Error> {
    let model = &specification.before.model;
    let mut ways = Vec::new();
    for Sizes { sig, least, most } in sizes(specification, smaller) {
        let name = &model.signature(sig).name;
        ways.push(format!("#{name} > {most}"));
        if least > 0 {
            ways.push(format!("#{name} < {least}"));
        }
    }
    let (lowest, highest) = smaller.integers;
    let held = integers(model);
    if !held.is_empty() {
        let held = held.join(" + ");
        ways.push(format!("(some i: Int & ({held}) | i > {highest} or i < {lowest})"));
    }
    specification.before.condition_of_one_state(&parse_expression(&ways.join(" or "))?)
}

/// The scope as a specification writes it.
pub fn shown(specification: &Specification, scope: &Scope) -> String {
    let mut parts = Vec::new();
    for Sizes { sig, least, most } in sizes(specification, scope) {
        let name = &specification.before.model.signature(sig).name;
        parts.push(match (least, most) {
            (least, most) if least == most => format!("exactly {most} {name}"),
            (0, most) => format!("{most} {name}"),
            (least, most) => format!("{least}..{most} {name}"),
        });
    }
    let (lowest, highest) = scope.integers;
    parts.push(format!("{lowest}..{highest} int"));
    parts.join(", ")
}

/// The classes whose objects are interchangeable, with their sizes.
fn sizes(specification: &Specification, scope: &Scope) -> Vec<Sizes> {
    let model = &specification.before.model;
    let classes = &specification.plan.classes.classes;
    let is_enum = |sig: SigId| {
        let names = specification.before.classes.iter().filter(|it| *it.1 == sig);
        names.filter_map(|it| classes.get(it.0)).any(|it| it.constants.is_some())
    };
    let is_counted = |sig: SigId, name: &str| {
        let it = model.signature(sig);
        it.parent.is_none() && it.mult.is_none() && !name.starts_with('$') && !is_enum(sig)
    };
    let built_in = [Model::INT, Model::BOOL, Model::TEXT];
    model
        .signatures()
        .filter(|(sig, it)| {
            !built_in.contains(sig) && is_counted(*sig, &it.name) || scope.sizes.contains_key(sig)
        })
        .map(|(sig, _)| {
            let (least, most) = scope.sizes.get(&sig).copied().unwrap_or((0, scope.default));
            Sizes { sig, least, most }
        })
        .collect()
}

fn receiver(specification: &Specification) -> Option<SigId> {
    let name = specification.plan.receiver.as_ref()?;
    let modelled = &specification.before;
    modelled.classes.get(name).map(|sig| modelled.model.root(*sig))
}

/// Expressions of the integers that an input holds.
fn integers(model: &Model) -> Vec<String> {
    let mut all = Vec::new();
    for (_, field) in model.fields() {
        let owner = &model.signature(field.owner).name;
        for column in 1..field.columns.arity {
            if !field.columns.products.iter().any(|it| it[column] == Model::INT) {
                continue;
            }
            let before = "univ.".repeat(column - 1);
            let after = ".univ".repeat(field.columns.arity - 1 - column);
            all.push(format!("({before}({owner}.@{}){after})", field.name));
        }
    }
    all
}
