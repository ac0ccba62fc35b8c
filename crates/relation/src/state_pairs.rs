//! Pairs of unknown states: decides which conditions no pair within a scope violates.

use crate::boolean::circuit::{Bit, Circuit};
use crate::boolean::matrix::Matrix;
use crate::bounds::RelationBounds;
use crate::error::Result;
use crate::logic::{FieldId, FieldState, Formula, SigId};
use crate::model::Model;
use crate::problem::{Garbage, Problem};
use crate::resolve::Condition;
use crate::symmetry::lex_leader::GateValues;
use crate::symmetry::reachability;
use crate::translate::Translator;
use crate::universe::{Scope, Universe};
use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::rc::Rc;

/// Constraints on the pairs of states around a call.
#[derive(Clone, Copy, Debug)]
pub struct StatePairs<'a> {
    /// Signatures and fields; the facts hold in both states.
    pub model: &'a Model,
    /// The scope of the state before.
    pub before: &'a Scope,
    /// The scope of the state after; at least as large.
    pub after: &'a Scope,
    /// Constraints on both states.
    pub always: &'a [Condition],
    /// Constraints on the state before, each written as if there were only one state.
    pub required: &'a [Condition],
    /// Constraints on the state after.
    pub left: &'a [Condition],
    /// Fields with equal values in both states, for atoms that exist in both.
    pub frozen: &'a [FieldId],
    /// Whether unreachable atoms count.
    pub garbage: Garbage,
}

impl StatePairs<'_> {
    /// Whether some pair violates each condition; `None` if the solver's conflict limit is too small to
    /// decide.
    pub fn violable(&self, conditions: &[Condition], conflicts: u64) -> Result<Vec<Option<bool>>> {
        let StatePairs { model, .. } = *self;
        // The scope after contains the atoms of both states.
        let mut before = RelationBounds::without_order(model, self.after)?;
        self.within(&mut before)?;
        if self.garbage == Garbage::None {
            reachability::demand(&mut before, &BTreeSet::new());
        }
        let circuit = mem::replace(&mut before.circuit, Circuit::new());
        let mut after = RelationBounds::extending(model, self.after, circuit, mem::take(&mut before.inputs))?;
        if self.garbage == Garbage::None {
            reachability::demand(&mut after, &BTreeSet::new());
        }
        self.same(&before, &mut after);
        let mut required = mem::take(&mut before.constraints);
        required.append(&mut after.constraints);
        for (&(sig, _), matrix) in &before.leaves.sigs {
            after.leaves.sigs.insert((sig, FieldState::Before), matrix.clone());
        }
        for (&(field, _), matrix) in &before.leaves.fields {
            after.leaves.fields.insert((field, FieldState::Before), matrix.clone());
        }
        let facts = || model.facts.iter().map(|it| &it.formula);
        let plain = |it: &'_ Condition| it.0.clone();
        let universe = after.universe;
        let mut translator = Translator::new(model, &universe, &before.leaves, after.circuit);
        let firsts: Vec<Formula> =
            facts().cloned().chain(self.always.iter().chain(self.required).map(plain)).collect();
        for formula in &firsts {
            required.push(translator.formula(formula)?);
        }
        let circuit = translator.algebra.circuit;
        let mut translator = Translator::new(model, &universe, &after.leaves, circuit);
        let seconds: Vec<Formula> =
            facts().cloned().chain(self.always.iter().chain(self.left).map(plain)).collect();
        for formula in &seconds {
            required.push(translator.formula(formula)?);
        }
        let mut bits = Vec::new();
        for condition in conditions {
            bits.push(translator.formula(&condition.0)?);
        }
        let mut circuit = translator.algebra.circuit;
        let (mut universe, mut inputs, mut leaves) = (universe, after.inputs, after.leaves);
        let mut found: Vec<Option<bool>> = vec![None; bits.len()];
        let mut left = conflicts;
        // A pair may violate several conditions; all of them are then decided.
        loop {
            let open: Vec<usize> = (0..bits.len()).filter(|at| found[*at].is_none()).collect();
            if open.is_empty() {
                return Ok(found);
            }
            let violated = circuit.or_all(open.iter().map(|at| !bits[*at]).collect());
            let all: Vec<Bit> = required.iter().copied().chain([violated]).collect();
            let mut problem = Problem::solved(model, universe, inputs, leaves, circuit, all, None);
            match problem.advance_within(left) {
                None => return Ok(found),
                Some(false) => {
                    open.iter().for_each(|at| found[*at] = Some(false));
                    return Ok(found);
                }
                Some(true) => {
                    let mut evaluated = GateValues::new(&problem.circuit);
                    for at in open {
                        if !evaluated.value(bits[at], &|it| problem.solver.input(it)) {
                            found[at] = Some(true);
                        }
                    }
                }
            }
            left = left.saturating_sub(problem.effort().conflicts);
            (universe, inputs, leaves, circuit) = problem.into_parts();
        }
    }

    /// The state before uses only the atoms of its scope, and within each signature the first ones.
    fn within(&self, bounds: &mut RelationBounds) -> Result<()> {
        let (known, pools) = Universe::within(self.model, self.before)?;
        let is_there: Vec<bool> = bounds.universe.atoms.iter().map(|it| known.find(it).is_some()).collect();
        for (sig, pool) in pools {
            let members = bounds.leaves.sigs[&(sig, FieldState::Now)].clone();
            let mut earlier = Bit::TRUE;
            for (at, atom) in pool.loose.iter().enumerate() {
                let Some(atom) = bounds.universe.find(&known.atoms[*atom as usize]) else { continue };
                let bit = members.get(u64::from(atom));
                let in_order = bounds.circuit.implies(bit, earlier);
                bounds.constraints.push(if at < pool.least { bit } else { in_order });
                earlier = bit;
            }
            let beyond = members.cells.iter().filter(|it| !is_there[it.0 as usize]).map(|it| !it.1);
            bounds.constraints.extend(beyond);
        }
        // There are no other integers and strings either: formulas quantify over them.
        for sig in [Model::INT, Model::TEXT] {
            if let Some(matrix) = bounds.leaves.sigs.get_mut(&(sig, FieldState::Now)) {
                let cells = matrix.cells.iter().filter(|it| is_there[it.0 as usize]).copied().collect();
                *matrix = Rc::new(Matrix { arity: 1, cells });
            }
        }
        let base = bounds.universe.atoms.len().max(1) as u64;
        for matrix in bounds.leaves.fields.values() {
            for &(tuple, bit) in &matrix.cells {
                let mut rest = tuple;
                let atoms = (0..matrix.arity).map(|_| {
                    let atom = rest % base;
                    rest /= base;
                    atom as usize
                });
                if atoms.into_iter().any(|it| !is_there[it]) {
                    bounds.constraints.push(!bit);
                }
            }
        }
        Ok(())
    }

    /// An atom of both states keeps its signatures and its values in the frozen fields.
    fn same(&self, before: &RelationBounds, after: &mut RelationBounds) {
        let base = after.universe.atoms.len().max(1) as u64;
        let mut equal: Vec<(Bit, Bit, Bit, Bit)> = Vec::new();
        let cells = |bounds: &RelationBounds, sig: SigId| -> BTreeMap<u64, Bit> {
            bounds.leaves.sigs[&(sig, FieldState::Now)].cells.iter().copied().collect()
        };
        for (id, signature) in self.model.signatures() {
            if signature.parent.is_none() || !signature.disjoint {
                continue;
            }
            let root = self.model.root(id);
            let (was, is) = (cells(before, root), cells(after, root));
            let now = cells(after, id);
            for (atom, bit) in cells(before, id) {
                let of = |it: &BTreeMap<u64, Bit>| it.get(&atom).copied().unwrap_or(Bit::FALSE);
                equal.push((of(&was), of(&is), bit, of(&now)));
            }
        }
        for id in self.frozen {
            let field = self.model.field(*id);
            let shift = base.pow(field.columns.arity as u32 - 1);
            let (was, is) = (cells(before, field.owner), cells(after, field.owner));
            let now = &after.leaves.fields[&(*id, FieldState::Now)];
            for &(tuple, bit) in &before.leaves.fields[&(*id, FieldState::Now)].cells {
                let of = |it: &BTreeMap<u64, Bit>| it.get(&(tuple / shift)).copied().unwrap_or(Bit::FALSE);
                equal.push((of(&was), of(&is), bit, now.get(tuple)));
            }
        }
        for (was, is, before, after_bit) in equal {
            let both = after.circuit.and(was, is);
            let same = after.circuit.iff(before, after_bit);
            let demanded = after.circuit.implies(both, same);
            after.constraints.push(demanded);
        }
    }
}

/// A scope with one more atom of each scalable signature: room for what a call may create.
pub fn enlarged(model: &Model, scope: &Scope) -> Result<Scope> {
    let (_, pools) = Universe::within(model, scope)?;
    let mut larger = scope.clone();
    larger.sizes.retain(|sig, _| model.signature(*sig).parent.is_none());
    for (sig, pool) in pools {
        let counted = pool.loose.len() + pool.fixed.len();
        let is_open =
            model.signature(sig).mult.is_none() && (pool.fixed.is_empty() || !pool.loose.is_empty());
        larger.sizes.insert(sig, if is_open { (0, counted + 1) } else { (pool.fixed.len(), counted) });
    }
    larger.integers = (scope.integers.0.saturating_sub(1), scope.integers.1.saturating_add(1));
    let mut other = String::from("?");
    while scope.texts.contains(&other) {
        other.push('?');
    }
    larger.texts.push(other);
    Ok(larger)
}
