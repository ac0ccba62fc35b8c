//! Reachability from named atoms: derived from the specification, or imposed on it.

use crate::boolean::circuit::{Bit, Circuit};
use crate::boolean::matrix::{Algebra, Matrix};
use crate::bounds::RelationBounds;
use crate::logic::{FieldState, Formula, FormulaKind, Rel, RelKind, SigId, Var};
use crate::model::Model;
use crate::syntax::ast::Mult;
use std::collections::BTreeSet;

/// Signatures for which a conjunct states that all atoms are reachable from named ones through fields with at
/// most one value: `Node in List.header.*next`, or `all n: Node | n in List.header.*next`. Their numbering
/// makes image comparisons unnecessary.
pub(crate) fn stated(model: &Model, formulas: &[&Formula]) -> BTreeSet<SigId> {
    let mut found = BTreeSet::new();
    formulas.iter().for_each(|it| conjunct(model, it, None, &mut found));
    found
}

fn conjunct(model: &Model, formula: &Formula, each: Option<(Var, SigId)>, found: &mut BTreeSet<SigId>) {
    match &formula.kind {
        FormulaKind::And(parts) => parts.iter().for_each(|it| conjunct(model, it, each, found)),
        FormulaKind::All(bounds, body) if each.is_none() => {
            if let ([bound], RelKind::Sig(sig, _)) = (&bounds[..], &bounds[0].set.kind) {
                conjunct(model, body, Some((bound.var, *sig)), found);
            }
        }
        FormulaKind::In(part, whole) if is_path(model, whole) => match (&part.kind, each) {
            (RelKind::Sig(sig, _), _) => {
                found.insert(*sig);
            }
            (RelKind::Var(var), Some((bound, sig))) if *var == bound => {
                found.insert(sig);
            }
            _ => {}
        },
        _ => {}
    }
}

/// Whether the expression denotes named atoms and what fields with at most one value lead to from them.
fn is_path(model: &Model, rel: &Rel) -> bool {
    match &rel.kind {
        RelKind::Sig(sig, _) => {
            let sig = model.signature(*sig);
            sig.mult == Some(Mult::One) && sig.disjoint
        }
        RelKind::Join(from, links) => is_path(model, from) && is_links(model, links),
        RelKind::Union(a, b) => is_path(model, a) && is_path(model, b),
        _ => false,
    }
}

fn is_links(model: &Model, rel: &Rel) -> bool {
    match &rel.kind {
        RelKind::Field(field, _) => model.field(*field).function.is_some(),
        RelKind::Union(a, b) | RelKind::Join(a, b) => is_links(model, a) && is_links(model, b),
        RelKind::Reflexive(a) | RelKind::Closure(a) => is_links(model, a),
        _ => false,
    }
}

/// All signatures, if all fields between atoms have at most one value.
pub(crate) fn all(model: &Model) -> BTreeSet<SigId> {
    let plain = |sig: &SigId| [Model::INT, Model::BOOL, Model::TEXT].contains(sig);
    let mut fields = model.fields().map(|it| it.1);
    if fields
        .all(|it| it.function.is_some() || it.columns.products.iter().all(|it| it[1..].iter().all(plain)))
    {
        return model.signatures().map(|it| it.0).collect();
    }
    BTreeSet::new()
}

/// Requires that every existing atom is reachable through some field from a named one.
pub(crate) fn demand(bounds: &mut RelationBounds, except: &BTreeSet<SigId>) {
    let base = bounds.universe.atoms.len().max(1) as u64;
    let circuit = std::mem::replace(&mut bounds.circuit, Circuit::new());
    let mut algebra = Algebra { circuit, base };
    let mut edges = Matrix::empty(2);
    for ((_, when), field) in &bounds.leaves.fields {
        if *when != FieldState::Now {
            continue;
        }
        // A tuple leads from its first atom to all others.
        for column in 1..field.arity as u32 {
            let below = base.pow(field.arity as u32 - 1 - column);
            let first = base.pow(field.arity as u32 - 1);
            for &(tuple, bit) in &field.cells {
                let edge = tuple / first * base + tuple / below % base;
                edges = algebra.union(&edges, &Matrix { arity: 2, cells: vec![(edge, bit)] });
            }
        }
    }
    let paths = algebra.closure(&edges);
    let fixed: Vec<u32> = bounds.pools.values().flat_map(|it| it.fixed.iter().copied()).collect();
    for (sig, pool) in bounds.pools.iter().filter(|it| !except.contains(it.0)) {
        let members = &bounds.leaves.sigs[&(*sig, FieldState::Now)];
        for atom in &pool.loose {
            let ways: Vec<Bit> =
                fixed.iter().map(|it| paths.get(u64::from(*it) * base + u64::from(*atom))).collect();
            let met = algebra.circuit.or_all(ways);
            let needed = algebra.circuit.implies(members.get(u64::from(*atom)), met);
            bounds.constraints.push(needed);
        }
    }
    bounds.circuit = algebra.circuit;
}
