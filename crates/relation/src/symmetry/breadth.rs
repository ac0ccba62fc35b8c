//! The order in which a traversal meets atoms, as constraints.
//!
//! Signatures are numbered one after the other. The traversal looks at *slots* in a fixed order: the fields of atoms of
//! signatures numbered before, then those of the signature's own atoms by number. A slot may lead to an atom only if all
//! with smaller numbers have been met by an earlier slot; an atom is *reached* if it is met before its own slots' turn.

use crate::boolean::circuit::Bit;
use crate::bounds::Bounds;
use crate::logic::{FieldId, SigId, When};
use crate::model::Model;
use std::collections::{BTreeMap, BTreeSet};

/// What the traversal meets.
pub(crate) struct Reached {
    /// For each signature without parent, whether each of its exchangeable atoms is reached.
    pub(crate) atoms: BTreeMap<SigId, Vec<Bit>>,
    /// Signatures of which all atoms that exist are reached.
    pub(crate) whole: BTreeSet<SigId>,
}

/// Fields with at most one value, with the signatures (without parent) of owner and values.
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

    /// Signatures in an order in which, where that is possible, each comes after those whose fields lead to it.
    fn order(&self, bounds: &Bounds) -> Vec<SigId> {
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

/// Adds the constraints to the bounds. All atoms of the signatures of `reachable` are known to be led to from named atoms
/// by fields with at most one value.
pub(crate) fn number(model: &Model, bounds: &mut Bounds, reachable: &BTreeSet<SigId>) -> Reached {
    let links = Links::new(model);
    let mut reached: BTreeMap<SigId, Vec<Bit>> = BTreeMap::new();
    // Signatures of which the traversal meets all that can be reached: what leads to them is numbered before.
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
            let members = bounds.leaves.sigs[&(sig, When::Now)].clone();
            for (at, atom) in pool.loose.iter().enumerate() {
                let needed = bounds.circuit.implies(members.get(u64::from(*atom)), own[at]);
                bounds.constraints.push(needed);
            }
        }
        reached.insert(sig, own);
    }
    Reached { atoms: reached, whole }
}

/// The slots of one atom, which counts where it is reached itself (`live`).
fn slots(
    bounds: &mut Bounds,
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
        let matrix = bounds.leaves.fields[&(*field, When::Now)].clone();
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
