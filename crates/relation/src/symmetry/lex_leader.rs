//! Lex-leader test: decides whether a candidate is the lexicographically greatest of its images.
//!
//! Inputs are compared in an order that starts with those of the first atoms, so an image can be compared as
//! far as its permutation has been chosen.

use super::traversal::ReachedAtoms;
use crate::boolean::circuit::{Bit, Circuit};
use crate::bounds::{Input, RelationBounds};
use crate::logic::{FieldState, SigId};
use rustc_hash::FxHashMap;

/// An interchangeable atom.
struct FreeAtom {
    sig: SigId,
    atom: u32,
    /// Whether the traversal numbers it.
    reached: Bit,
    exists: Bit,
}

/// An input that mentions interchangeable atoms.
struct Cell {
    input: u32,
    atoms: Vec<u32>,
    /// Its signature or field.
    about: (bool, u32),
}

/// Compares candidates with their images.
pub(crate) struct Leader {
    loose: Vec<FreeAtom>,
    /// Inputs grouped by the last interchangeable atom that they mention.
    blocks: Vec<Vec<Cell>>,
    inputs: FxHashMap<((bool, u32), Vec<u32>), u32>,
}

/// A literal of the clause that a rejected candidate falsifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LeaderPart {
    /// An input, and the value that it must not have.
    Input(u32, bool),
    /// A bit that must be true.
    Bit(Bit),
}

impl Leader {
    /// `None` if no atoms are interchangeable.
    pub(crate) fn new(bounds: &RelationBounds, reached: &ReachedAtoms) -> Option<Leader> {
        let mut loose = Vec::new();
        for (sig, pool) in &bounds.pools {
            let members = &bounds.leaves.sigs[&(*sig, FieldState::Now)];
            let bits = &reached.atoms[sig];
            if pool.loose.len() < 2 || reached.whole.contains(sig) {
                continue;
            }
            for (at, atom) in pool.loose.iter().enumerate() {
                let exists = members.get(u64::from(*atom));
                loose.push(FreeAtom { sig: *sig, atom: *atom, reached: bits[at], exists });
            }
        }
        if loose.is_empty() {
            return None;
        }
        let rank: FxHashMap<u32, usize> = loose.iter().enumerate().map(|(at, it)| (it.atom, at)).collect();
        let base = bounds.universe.atoms.len() as u64;
        let mut blocks: Vec<Vec<Cell>> = loose.iter().map(|_| Vec::new()).collect();
        let mut inputs = FxHashMap::default();
        for (at, input) in bounds.inputs.iter().enumerate() {
            let (about, atoms) = match *input {
                Input::Member(sig, atom) => ((true, sig.0), vec![atom]),
                Input::Tuple(field, mut tuple) => {
                    let arity = bounds.leaves.fields[&(field, FieldState::Now)].arity;
                    let mut atoms = vec![0; arity];
                    for place in atoms.iter_mut().rev() {
                        *place = (tuple % base) as u32;
                        tuple /= base;
                    }
                    ((false, field.0), atoms)
                }
            };
            let last = atoms.iter().filter_map(|it| rank.get(it)).max();
            inputs.insert((about, atoms.clone()), at as u32);
            if let Some(&last) = last {
                blocks[last].push(Cell { input: at as u32, atoms, about });
            }
        }
        Some(Leader { loose, blocks, inputs })
    }

    /// Bits that clauses may mention: they need clauses in both polarities.
    pub(crate) fn guards(&self) -> Vec<Bit> {
        self.loose.iter().map(|it| it.reached).filter(|it| *it != Bit::FALSE).collect()
    }

    /// Constraints that compare the candidate with its images under transpositions.
    pub(crate) fn exchanges(&self, bounds: &mut RelationBounds) {
        for (i, a) in self.loose.iter().enumerate() {
            for b in self.loose[i + 1..].iter().filter(|it| it.sig == a.sig) {
                let mut pairs: Vec<(u32, u32)> = Vec::new();
                for cell in self.blocks.iter().flatten() {
                    let swapped = cell.atoms.iter().map(|it| match *it {
                        it if it == a.atom => b.atom,
                        it if it == b.atom => a.atom,
                        it => it,
                    });
                    let Some(&image) = self.inputs.get(&(cell.about, swapped.collect())) else { continue };
                    if image != cell.input && !pairs.contains(&(image, cell.input)) {
                        pairs.push((cell.input, image));
                    }
                }
                let greatest = at_least(&mut bounds.circuit, &pairs);
                let free = bounds.circuit.and(!a.reached, b.exists);
                let constraint = bounds.circuit.implies(free, greatest);
                bounds.constraints.push(constraint);
            }
        }
    }

    /// A clause that the candidate falsifies, if one of its images is greater.
    pub(crate) fn judge(
        &self,
        circuit: &mut GateValues,
        value: &dyn Fn(u32) -> bool,
    ) -> Option<Vec<LeaderPart>> {
        let free: Vec<bool> = self
            .loose
            .iter()
            .map(|it| !circuit.value(it.reached, value) && circuit.value(it.exists, value))
            .collect();
        if free.iter().filter(|it| **it).count() < 2 {
            return None;
        }
        let mut search = Search {
            leader: self,
            value,
            free,
            images: FxHashMap::default(),
            used: vec![false; self.loose.len()],
            smaller: Vec::new(),
        };
        search.extend(0).then(|| {
            let moved =
                self.loose.iter().filter(|it| search.images.get(&it.atom).is_some_and(|to| *to != it.atom));
            let mut parts: Vec<LeaderPart> = moved.map(|it| LeaderPart::Bit(it.reached)).collect();
            parts.extend(search.smaller);
            parts.retain(|it| *it != LeaderPart::Bit(Bit::FALSE));
            parts.sort_unstable();
            parts.dedup();
            parts
        })
    }
}

/// Whether the sequence of first elements is lexicographically at least that of the second elements.
fn at_least(circuit: &mut Circuit, pairs: &[(u32, u32)]) -> Bit {
    let mut rest = Bit::TRUE;
    for &(a, b) in pairs.iter().rev() {
        let (a, b) = (circuit.input_bit(a), circuit.input_bit(b));
        let greater = circuit.and(a, !b);
        let not_less = circuit.or(a, !b);
        let later = circuit.or(greater, rest);
        rest = circuit.and(not_less, later);
    }
    rest
}

/// Chooses the permutation atom by atom.
struct Search<'a> {
    leader: &'a Leader,
    value: &'a dyn Fn(u32) -> bool,
    free: Vec<bool>,
    /// For each atom, its preimage.
    images: FxHashMap<u32, u32>,
    used: Vec<bool>,
    /// The reason why the image is not greater so far.
    smaller: Vec<LeaderPart>,
}

impl Search<'_> {
    /// Whether some image is greater, given the choices for the first `rank` atoms.
    fn extend(&mut self, rank: usize) -> bool {
        let Some(loose) = self.leader.loose.get(rank) else { return false };
        let (sig, atom) = (loose.sig, loose.atom);
        for choice in 0..self.leader.loose.len() {
            let other = &self.leader.loose[choice];
            let fits = if self.free[rank] {
                other.sig == sig && self.free[choice] && !self.used[choice]
            } else {
                choice == rank
            };
            if !fits {
                continue;
            }
            self.used[choice] = true;
            self.images.insert(atom, other.atom);
            let reasons = self.smaller.len();
            match self.compare(rank) {
                std::cmp::Ordering::Greater => return true,
                std::cmp::Ordering::Equal if self.extend(rank + 1) => return true,
                _ => {}
            }
            self.smaller.truncate(reasons);
            self.used[choice] = false;
            self.images.remove(&atom);
        }
        false
    }

    /// Compares image and candidate on the inputs whose last atom is this one.
    fn compare(&mut self, rank: usize) -> std::cmp::Ordering {
        for cell in &self.leader.blocks[rank] {
            let atoms = cell.atoms.iter().map(|it| self.images.get(it).copied().unwrap_or(*it)).collect();
            let image = self.leader.inputs.get(&(cell.about, atoms)).copied();
            if image == Some(cell.input) {
                continue;
            }
            let mine = (self.value)(cell.input);
            let theirs = image.is_some_and(|it| (self.value)(it));
            if mine && !theirs {
                return std::cmp::Ordering::Less;
            }
            if !mine && theirs {
                self.smaller.push(LeaderPart::Input(cell.input, false));
                self.smaller.extend(image.map(|it| LeaderPart::Input(it, true)));
                return std::cmp::Ordering::Greater;
            }
            // They are equal; one of the two suffices to justify that the image is not smaller.
            match image {
                Some(image) if theirs => self.smaller.push(LeaderPart::Input(image, true)),
                _ => self.smaller.push(LeaderPart::Input(cell.input, false)),
            }
        }
        std::cmp::Ordering::Equal
    }
}

/// Gate values under an assignment of the inputs.
pub(crate) struct GateValues<'c> {
    circuit: &'c Circuit,
    known: FxHashMap<usize, bool>,
}

impl<'c> GateValues<'c> {
    pub(crate) fn new(circuit: &'c Circuit) -> GateValues<'c> {
        GateValues { circuit, known: FxHashMap::default() }
    }

    pub(crate) fn value(&mut self, bit: Bit, input: &dyn Fn(u32) -> bool) -> bool {
        use crate::boolean::circuit::Gate;
        let mut pending = vec![bit.gate()];
        while let Some(&gate) = pending.last() {
            let value = match self.circuit.gate(gate) {
                _ if self.known.contains_key(&gate) => None,
                Gate::True => Some(true),
                Gate::Input(at) => Some(input(*at)),
                Gate::And(parts) => {
                    let missing: Vec<usize> =
                        parts.iter().map(|it| it.gate()).filter(|it| !self.known.contains_key(it)).collect();
                    if !missing.is_empty() {
                        pending.extend(missing);
                        continue;
                    }
                    Some(parts.iter().all(|it| self.known[&it.gate()] != it.is_negated()))
                }
            };
            pending.pop();
            if let Some(value) = value {
                self.known.insert(gate, value);
            }
        }
        self.known[&bit.gate()] != bit.is_negated()
    }
}
