//! Numbers atoms in the order in which a breadth-first traversal visits them, as constraints.
//!
//! Signatures are numbered one after the other. The traversal visits *slots* in a fixed order: first the
//! fields of atoms of signatures numbered earlier, then those of the signature's own atoms by number. A slot
//! may refer to an atom only if all atoms with smaller numbers were visited through an earlier slot. An atom
//! is *reached* if it is visited before its own slots.

use crate::boolean::circuit::Bit;
use crate::bounds::RelationBounds;
use crate::logic::{FieldId, FieldState, SigId};
use crate::model::Model;
use std::collections::{BTreeMap, BTreeSet};

/// The result of the traversal.
pub(crate) struct ReachedAtoms {
    /// For each top-level signature, whether each of its interchangeable atoms is reached.
    pub(crate) atoms: BTreeMap<SigId, Vec<Bit>>,
    /// Signatures whose existing atoms are all reached.
    pub(crate) whole: BTreeSet<SigId>,
}

/// Fields with at most one value, with the top-level signatures of owner and values.
struct Links(Vec<(FieldId, SigId, BTreeSet<SigId>)>);

impl Links {
    fn new(model: &Model) -> Links {
        let functions = model.fields().filter(|(_, it)| it.function.is_some());
        let links = functions.map(|(id, field)| {
            let values = field.columns.column(1).into_iter().map(|it| model.root(it)).collect();
            (id, model.root(field.owner), values)
        });
        Links(links.collect())
    }

    fn leads(&self, from: SigId, to: SigId) -> bool {
        self.0.iter().any(|(_, owner, values)| *owner == from && values.contains(&to))
    }

    /// An order of the signatures in which, if possible, each comes after those whose fields refer to it.
    fn order(&self, bounds: &RelationBounds) -> Vec<SigId> {
        let mut left: Vec<SigId> = bounds.pools.keys().copied().collect();
        let mut order: Vec<SigId> = Vec::new();
        while !left.is_empty() {
            let sources =
                |it: SigId| left.iter().filter(|from| **from != it && self.leads(**from, it)).count();
            let led = |it: SigId| {
                order.iter().any(|from| self.leads(*from, it)) || !bounds.pools[&it].fixed.is_empty()
            };
            let next = (0..left.len()).min_by_key(|at| {
                let it = left[*at];
                let waiting = sources(it);
                (waiting > 0, !led(it), waiting, *at)
            });
            order.push(left.remove(next.unwrap_or(0)));
        }
        order
    }
}

/// Adds the constraints to the bounds. All atoms of the signatures in `reachable` are known to be reachable
/// from named atoms through fields with at most one value.
pub(crate) fn number(
    model: &Model,
    bounds: &mut RelationBounds,
    reachable: &BTreeSet<SigId>,
) -> ReachedAtoms {
    let links = Links::new(model);
    let mut reached: BTreeMap<SigId, Vec<Bit>> = BTreeMap::new();
    // Signatures of which the traversal visits every reachable atom, because all referring signatures are
    // numbered earlier.
    let mut traversed: BTreeSet<SigId> = BTreeSet::new();
    let mut whole = BTreeSet::new();
    let order = links.order(bounds);
    for (place, &sig) in order.iter().enumerate() {
        let pool = bounds.pools[&sig].clone();
        let mut met = vec![Bit::FALSE; pool.loose.len()];
        for &source in &order[..place] {
            let other = bounds.pools[&source].clone();
            for owner in &other.fixed {
                slots(bounds, &links, (source, *owner, Bit::TRUE), sig, &pool.loose, &mut met);
            }
            for (at, owner) in other.loose.iter().enumerate() {
                let live = reached[&source][at];
                slots(bounds, &links, (source, *owner, live), sig, &pool.loose, &mut met);
            }
        }
        for owner in &pool.fixed {
            slots(bounds, &links, (sig, *owner, Bit::TRUE), sig, &pool.loose, &mut met);
        }
        let mut own: Vec<Bit> = Vec::new();
        for (at, atom) in pool.loose.iter().enumerate() {
            let bit = met[at];
            if let Some(&last) = own.last() {
                let ordered = bounds.circuit.implies(bit, last);
                bounds.constraints.push(ordered);
            }
            own.push(bit);
            slots(bounds, &links, (sig, *atom, bit), sig, &pool.loose, &mut met);
        }
        let leads = |from: &SigId| *from == sig || !links.leads(*from, sig) || traversed.contains(from);
        if bounds.pools.keys().all(leads) {
            traversed.insert(sig);
        }
        if reachable.contains(&sig) && traversed.contains(&sig) {
            whole.insert(sig);
            let members = bounds.leaves.sigs[&(sig, FieldState::Now)].clone();
            for (at, atom) in pool.loose.iter().enumerate() {
                let needed = bounds.circuit.implies(members.get(u64::from(*atom)), own[at]);
                bounds.constraints.push(needed);
            }
        }
        reached.insert(sig, own);
    }
    ReachedAtoms { atoms: reached, whole }
}

/// The slots of one atom, guarded by whether the atom itself is reached (`live`).
fn slots(
    bounds: &mut RelationBounds,
    links: &Links,
    (source, owner, live): (SigId, u32, Bit),
    target: SigId,
    loose: &[u32],
    met: &mut [Bit],
) {
    if live == Bit::FALSE {
        return;
    }
    let base = bounds.universe.atoms.len() as u64;
    for (field, from, to) in &links.0 {
        if *from != source || !to.contains(&target) {
            continue;
        }
        let matrix = bounds.leaves.fields[&(*field, FieldState::Now)].clone();
        let before = met.to_vec();
        for (at, atom) in loose.iter().enumerate() {
            let bit = matrix.get(u64::from(owner) * base + u64::from(*atom));
            if bit == Bit::FALSE {
                continue;
            }
            let leads = bounds.circuit.and(bit, live);
            if at > 0 {
                let in_order = bounds.circuit.implies(leads, before[at - 1]);
                bounds.constraints.push(in_order);
            }
            met[at] = bounds.circuit.or(before[at], leads);
        }
    }
}
