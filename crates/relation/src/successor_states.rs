//! Enumerates the states that conditions allow after a given state.

use crate::boolean::circuit::Bit;
use crate::boolean::matrix::Matrix;
use crate::bounds::RelationBounds;
use crate::error::Result;
use crate::instance::Structure;
use crate::logic::{FieldId, FieldState, SigId};
use crate::model::Model;
use crate::problem::{Garbage, Problem};
use crate::resolve::Condition;
use crate::symmetry::reachability;
use crate::translate::Translator;
use crate::universe::{Scope, Universe};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

impl Problem {
    /// The search for all states after `before` that satisfy the conditions. An atom of the state before that
    /// still exists keeps its signatures, and its values in the `frozen` fields. No symmetry is broken: atoms
    /// of the state before have an identity. `None` if the scope lacks an atom of that state.
    pub fn after(
        model: &Model,
        scope: &Scope,
        conditions: &[Condition],
        garbage: Garbage,
        (known, before): (&Universe, &Structure),
        frozen: &[FieldId],
    ) -> Result<Option<Problem>> {
        let mut bounds = RelationBounds::without_order(model, scope)?;
        let base = bounds.universe.atoms.len().max(1) as u64;
        let atom = |at: &u32| bounds.universe.find(&known.atoms[*at as usize]).map(u64::from);
        let mut sigs: Vec<BTreeSet<u64>> = Vec::new();
        for (at, atoms) in before.sigs.iter().enumerate() {
            let found: Option<BTreeSet<u64>> = atoms.iter().map(atom).collect();
            match found {
                _ if [Model::INT, Model::BOOL, Model::TEXT].contains(&SigId(at as u32)) => {
                    sigs.push(BTreeSet::new());
                }
                Some(found) => sigs.push(found),
                None => return Ok(None),
            }
        }
        let mut fields: Vec<BTreeSet<u64>> = Vec::new();
        for tuples in &before.fields {
            let key = |tuple: &Vec<u32>| tuple.iter().try_fold(0, |key, it| Some(key * base + atom(it)?));
            match tuples.iter().map(key).collect() {
                Some(found) => fields.push(found),
                None => return Ok(None),
            }
        }
        let was = |sig: SigId, atom: u64| sigs.get(sig.0 as usize).is_some_and(|it| it.contains(&atom));
        let mut same: Vec<(Bit, Bit)> = Vec::new();
        let mut never: Vec<Bit> = Vec::new();
        for (id, signature) in model.signatures().filter(|it| it.1.parent.is_some()) {
            let root = model.root(id);
            let whole: BTreeMap<u64, Bit> =
                bounds.leaves.sigs[&(root, FieldState::Now)].cells.iter().copied().collect();
            for &(atom, bit) in &bounds.leaves.sigs[&(id, FieldState::Now)].cells {
                if signature.disjoint && was(root, atom) {
                    match was(id, atom) {
                        true => same.push((bit, whole.get(&atom).copied().unwrap_or(Bit::FALSE))),
                        false => never.push(bit),
                    }
                }
            }
        }
        for id in frozen {
            let field = model.field(*id);
            let shift = base.pow(field.columns.arity as u32 - 1);
            let owners = &bounds.leaves.sigs[&(field.owner, FieldState::Now)];
            for &(tuple, bit) in &bounds.leaves.fields[&(*id, FieldState::Now)].cells {
                if was(field.owner, tuple / shift) {
                    match fields[id.0 as usize].contains(&tuple) {
                        true => same.push((bit, owners.get(tuple / shift))),
                        false => never.push(bit),
                    }
                }
            }
        }
        for (bit, owner) in same {
            let kept = bounds.circuit.implies(owner, bit);
            let owned = bounds.circuit.implies(bit, owner);
            bounds.constraints.extend([kept, owned]);
        }
        bounds.constraints.extend(never.into_iter().map(|it| !it));
        for (at, atoms) in sigs.iter().enumerate() {
            let sig = SigId(at as u32);
            let matrix = match [Model::INT, Model::BOOL, Model::TEXT].contains(&sig) {
                true => bounds.leaves.sigs[&(sig, FieldState::Now)].clone(),
                false => Rc::new(Matrix::new(1, atoms.iter().map(|it| (*it, Bit::TRUE)).collect())),
            };
            bounds.leaves.sigs.insert((sig, FieldState::Before), matrix);
        }
        for (at, tuples) in fields.iter().enumerate() {
            let id = FieldId(at as u32);
            let cells = tuples.iter().map(|it| (*it, Bit::TRUE)).collect();
            let matrix = Matrix::new(model.field(id).columns.arity, cells);
            bounds.leaves.fields.insert((id, FieldState::Before), Rc::new(matrix));
        }
        if garbage == Garbage::None {
            reachability::demand(&mut bounds, &BTreeSet::new());
        }
        let RelationBounds { universe, inputs, leaves, circuit, constraints, .. } = bounds;
        let mut translator = Translator::new(model, &universe, &leaves, circuit);
        let mut required = constraints;
        for formula in model.facts.iter().map(|it| &it.formula).chain(conditions.iter().map(|it| &it.0)) {
            required.push(translator.formula(formula)?);
        }
        let circuit = translator.algebra.circuit;
        Ok(Some(Problem::solved(model, universe, inputs, leaves, circuit, required, None)))
    }
}
