//! The free variables of an instance: a circuit input for every atom that may exist or belong to a signature,
//! and for every tuple that a field may contain.

use crate::boolean::circuit::{Bit, Circuit};
use crate::boolean::matrix::Matrix;
use crate::error::Result;
use crate::logic::{FieldId, FieldState, SigId};
use crate::model::Model;
use crate::syntax::ast::Mult;
use crate::translate::Leaves;
use crate::universe::{Atom, Atoms, Scope, Universe};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What a circuit input decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Whether an atom belongs to a signature.
    Member(SigId, u32),
    /// Whether a tuple belongs to a field.
    Tuple(FieldId, u64),
}

/// The atoms, inputs and leaves, and the constraints from signature declarations.
pub(crate) struct RelationBounds {
    pub(crate) universe: Universe,
    pub(crate) pools: BTreeMap<SigId, Atoms>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) leaves: Leaves,
    pub(crate) circuit: Circuit,
    pub(crate) constraints: Vec<Bit>,
}

impl RelationBounds {
    pub(crate) fn new(model: &Model, scope: &Scope) -> Result<RelationBounds> {
        RelationBounds::with(model, scope, true, Circuit::new(), Vec::new())
    }

    /// Bounds in which any atom may be missing, for problems whose atoms are not interchangeable.
    pub(crate) fn without_order(model: &Model, scope: &Scope) -> Result<RelationBounds> {
        RelationBounds::extending(model, scope, Circuit::new(), Vec::new())
    }

    /// Bounds whose inputs extend an existing circuit.
    pub(crate) fn extending(
        model: &Model,
        scope: &Scope,
        circuit: Circuit,
        inputs: Vec<Input>,
    ) -> Result<RelationBounds> {
        RelationBounds::with(model, scope, false, circuit, inputs)
    }

    fn with(
        model: &Model,
        scope: &Scope,
        ordered: bool,
        circuit: Circuit,
        inputs: Vec<Input>,
    ) -> Result<RelationBounds> {
        let (universe, pools) = Universe::within(model, scope)?;
        let mut bounds = RelationBounds {
            universe,
            pools,
            inputs,
            leaves: Leaves::default(),
            circuit,
            constraints: Vec::new(),
        };
        bounds.built_in();
        bounds.signatures(model, scope, ordered)?;
        bounds.fields(model);
        Ok(bounds)
    }

    fn input(&mut self, input: Input) -> Bit {
        self.inputs.push(input);
        self.circuit.input()
    }

    fn built_in(&mut self) {
        let of = |wanted: fn(&Atom) -> bool| {
            let atoms = self.universe.atoms.iter().enumerate().filter(|(_, it)| wanted(it));
            Rc::new(Matrix { arity: 1, cells: atoms.map(|(at, _)| (at as u64, Bit::TRUE)).collect() })
        };
        let sigs = [
            (Model::INT, of(|it| matches!(it, Atom::Int(_)))),
            (Model::BOOL, of(|it| matches!(it, Atom::Bool(_)))),
            (Model::TEXT, of(|it| matches!(it, Atom::Text(_)))),
        ];
        self.leaves.sigs.extend(sigs.map(|(sig, matrix)| ((sig, FieldState::Now), matrix)));
    }

    fn signatures(&mut self, model: &Model, scope: &Scope, ordered: bool) -> Result<()> {
        for (root, pool) in self.pools.clone() {
            let mut cells: Vec<(u64, Bit)> =
                pool.fixed.iter().map(|it| (u64::from(*it), Bit::TRUE)).collect();
            let mut before = Bit::TRUE;
            for (at, atom) in pool.loose.iter().enumerate() {
                let bit = if at < pool.least { Bit::TRUE } else { self.input(Input::Member(root, *atom)) };
                if ordered {
                    // Interchangeable atoms are used in order.
                    let order = self.circuit.implies(bit, before);
                    self.constraints.push(order);
                    before = bit;
                }
                cells.push((u64::from(*atom), bit));
            }
            self.leaves.sigs.insert((root, FieldState::Now), Rc::new(Matrix::new(1, cells)));
            self.parts(model, root)?;
        }
        for (sig, &(least, most)) in &scope.sizes {
            if model.signature(*sig).parent.is_some() {
                let bits = self.leaves.sigs[&(*sig, FieldState::Now)].bits();
                if let Ok(count) = crate::boolean::number::OrderEncoding::count(&mut self.circuit, &bits) {
                    self.constraints.push(count.at_least(least as i64));
                    self.constraints.push(!count.at_least(most as i64 + 1));
                }
            }
        }
        Ok(())
    }

    /// The subsignatures of `parent`.
    fn parts(&mut self, model: &Model, parent: SigId) -> Result<()> {
        let whole = self.leaves.sigs[&(parent, FieldState::Now)].clone();
        let children: Vec<SigId> =
            model.signatures().filter(|(_, it)| it.parent == Some(parent)).map(|(id, _)| id).collect();
        let mut disjoint: BTreeMap<u64, Vec<Bit>> = BTreeMap::new();
        for &child in &children {
            let sig = model.signature(child);
            let mut cells = Vec::new();
            for &(at, within) in &whole.cells {
                let bit = match self.universe.atoms[at as usize] {
                    // The atom of a singleton signature belongs only to its supersignatures.
                    Atom::Only(named) if sig.disjoint => Bit::constant(model.is_within(named, child)),
                    _ if sig.disjoint && named(model, child) => Bit::FALSE,
                    _ => {
                        let bit = self.input(Input::Member(child, at as u32));
                        let inside = self.circuit.implies(bit, within);
                        self.constraints.push(inside);
                        bit
                    }
                };
                if sig.disjoint {
                    disjoint.entry(at).or_default().push(bit);
                }
                cells.push((at, bit));
            }
            let matrix = Matrix::new(1, cells);
            let bits = matrix.bits();
            match sig.mult {
                Some(Mult::Some) => self.constraints.push(self.circuit.or_all(bits)),
                Some(Mult::Lone) => self.constraints.push(self.circuit.at_most_one(&bits)),
                Some(Mult::One) => {
                    self.constraints.push(self.circuit.at_most_one(&bits));
                    self.constraints.push(self.circuit.or_all(bits));
                }
                _ => {}
            }
            self.leaves.sigs.insert((child, FieldState::Now), Rc::new(matrix));
        }
        for (at, bits) in disjoint {
            self.constraints.push(self.circuit.at_most_one(&bits));
            if model.signature(parent).is_abstract {
                let some = self.circuit.or_all(bits);
                let covered = self.circuit.implies(whole.get(at), some);
                self.constraints.push(covered);
            }
        }
        for child in children {
            self.parts(model, child)?;
        }
        Ok(())
    }

    /// Tuples of the first atoms come first, so that inputs decided early are related.
    fn fields(&mut self, model: &Model) {
        let base = self.universe.atoms.len().max(1) as u64;
        let mut tuples: BTreeSet<(u64, u32, u64)> = BTreeSet::new();
        for (id, field) in model.fields() {
            for product in &field.columns.products {
                let mut partial = vec![0];
                for sig in product {
                    let atoms = &self.leaves.sigs[&(*sig, FieldState::Now)].cells;
                    partial = partial
                        .iter()
                        .flat_map(|tuple| atoms.iter().map(move |(atom, _)| tuple * base + atom))
                        .collect();
                }
                let shift = base.pow(field.columns.arity as u32 - 1);
                tuples.extend(partial.into_iter().map(|tuple| (tuple / shift, id.0, tuple)));
            }
        }
        let mut cells: BTreeMap<u32, Vec<(u64, Bit)>> = BTreeMap::new();
        for (first, id, tuple) in tuples {
            let id = FieldId(id);
            let owner = self.leaves.sigs[&(model.field(id).owner, FieldState::Now)].get(first);
            let bit = self.input(Input::Tuple(id, tuple));
            let owned = self.circuit.implies(bit, owner);
            self.constraints.push(owned);
            cells.entry(id.0).or_default().push((tuple, bit));
        }
        for (id, field) in model.fields() {
            let cells = cells.remove(&id.0).unwrap_or_default();
            let matrix = Matrix::new(field.columns.arity, cells);
            self.leaves.fields.insert((id, FieldState::Now), Rc::new(matrix));
        }
    }
}

/// Whether the signature or a subsignature is a singleton, so that no other atom can belong to it.
fn named(model: &Model, sig: SigId) -> bool {
    model.signature(sig).mult == Some(Mult::One)
}
