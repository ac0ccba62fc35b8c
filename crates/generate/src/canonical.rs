//! Canonical forms of object states (linearisation, as in Rostra and Symstra). Two states with the same key
//! are indistinguishable to invocations, up to the names of symbolic variables. Two states with the same
//! *shape* may differ in the terms of their symbolic slots and in the conditions on them; `subsume` compares
//! these.

use crate::slots::{Elements, visit};
use cupping_explore::Path;
use cupping_machine::{Addr, ClassKind, Kind, Machine, Shadow, Value, term_of};
use cupping_term::{Term, TermId, VarIndex};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Limit on the objects of a state; a larger state equals no other.
const MAX_OBJECTS: usize = 4000;

/// Limit on the fields, elements of arrays with symbols, and words of other arrays; as above.
const MAX_SLOTS: usize = 100_000;

/// The canonical form of a state.
pub struct Canonical {
    /// Equal for states that are isomorphic up to the names of variables.
    pub key: u64,
    /// Equal for states that are isomorphic up to the terms of symbolic slots.
    pub shape: u64,
    /// The terms of the symbolic slots in traversal order.
    pub slots: Vec<TermId>,
    /// The path constraints over the variables in slots, and over variables related to these.
    pub conditions: Vec<TermId>,
}

/// The canonical form of the state reachable from these values, receiver first, under this path condition;
/// `None` if the state is too large.
pub fn canonical(machine: &Machine, roots: &[Value], path: &Path) -> Option<Canonical> {
    let roots: Vec<(Kind, Value)> = roots.iter().map(|root| (Kind::Reference, *root)).collect();
    canonical_of(machine, &roots, path)
}

/// As [`canonical`], for roots of any kind.
pub fn canonical_of(machine: &Machine, roots: &[(Kind, Value)], path: &Path) -> Option<Canonical> {
    let mut walk = Walk {
        machine,
        hasher: FxHasher::default(),
        shape: FxHasher::default(),
        slots: Vec::new(),
        visited: 0,
        numbers: FxHashMap::default(),
        queue: Vec::new(),
        variables: FxHashMap::default(),
        terms: FxHashMap::default(),
    };
    for (kind, root) in roots {
        walk.slot(*kind, root.bits, root.shadow);
    }
    let mut at = 0;
    while at < walk.queue.len() {
        if walk.queue.len() > MAX_OBJECTS || walk.visited > MAX_SLOTS {
            return None;
        }
        let object = walk.queue[at];
        walk.object(object);
        at += 1;
    }
    let conditions = walk.conditions(path);
    Some(Canonical { key: walk.hasher.finish(), shape: walk.shape.finish(), slots: walk.slots, conditions })
}

struct Walk<'a> {
    machine: &'a Machine,
    hasher: FxHasher,
    shape: FxHasher,
    slots: Vec<TermId>,
    /// The fields and elements so far.
    visited: usize,
    numbers: FxHashMap<Addr, u32>,
    queue: Vec<Addr>,
    variables: FxHashMap<VarIndex, u32>,
    terms: FxHashMap<TermId, u64>,
}

impl Walk<'_> {
    fn slot(&mut self, kind: Kind, bits: u64, shadow: Shadow) {
        if let Some(term) = term_of(shadow) {
            self.slots.push(term);
            (SYMBOLIC, self.machine.terms().sort(term)).hash(&mut self.shape);
            self.term(term);
            return;
        }
        if kind != Kind::Reference {
            self.put(bits);
            return;
        }
        let addr = bits as Addr;
        if addr == 0 {
            self.put(0u32);
            return;
        }
        let next = self.numbers.len() as u32 + 1;
        let number = *self.numbers.entry(addr).or_insert(next);
        if number == next {
            self.queue.push(addr);
        }
        self.put(number);
    }

    /// Adds a concrete value to key and shape.
    fn put(&mut self, value: impl Hash) {
        value.hash(&mut self.hasher);
        value.hash(&mut self.shape);
    }

    fn object(&mut self, addr: Addr) {
        let machine = self.machine;
        let class = machine.class_of(addr);
        self.put(class);
        // A `Class` object is identified by its class; its caches are irrelevant.
        if &*machine.class(class).name == "java/lang/Class" {
            self.put(machine.class_of_mirror(addr));
            return;
        }
        if let ClassKind::Array { kind, .. } = machine.class(class).kind
            && machine.array_capacity(addr) == machine.array_length(addr)
            && machine.heap_shadow(u64::from(addr + 1) * 8) == 0
            && let Some(words) = machine.concrete_elements(addr, kind)
        {
            // Most large arrays are buffers and tables: many elements, and nothing symbolic.
            self.visited += words.len();
            self.put(machine.array_length(addr));
            if self.visited <= MAX_SLOTS {
                self.put(words);
            }
            return;
        }
        visit(machine, addr, Elements::Capacity, |part| {
            self.visited += 1;
            self.slot(part.kind, part.value.bits, part.value.shadow);
        });
    }

    fn term(&mut self, term: TermId) {
        let shape = self.shape(term);
        shape.hash(&mut self.hasher);
    }

    /// The hash of a term with variables numbered in traversal order.
    fn shape(&mut self, term: TermId) -> u64 {
        let machine = self.machine;
        let mut open = vec![term];
        while let Some(next) = open.last().copied() {
            let node = machine.terms().get(next);
            let missing = node.args().iter().rev().filter(|arg| !self.terms.contains_key(arg));
            let before = open.len();
            open.extend(missing);
            if open.len() > before {
                continue;
            }
            open.pop();
            if self.terms.contains_key(&next) {
                continue;
            }
            let mut hasher = FxHasher::default();
            node.sort().hash(&mut hasher);
            match node {
                Term::Constant { bits, .. } => (0u8, bits).hash(&mut hasher),
                Term::Variable { index, .. } => {
                    let number = self.variables.len() as u32;
                    (1u8, *self.variables.entry(*index).or_insert(number)).hash(&mut hasher);
                }
                Term::Lookup { table, .. } => (2u8, table).hash(&mut hasher),
                Term::Apply { op, .. } => (3u8, op).hash(&mut hasher),
            }
            for arg in node.args() {
                self.terms[arg].hash(&mut hasher);
            }
            self.terms.insert(next, hasher.finish());
        }
        self.terms[&term]
    }

    /// The constraints over variables in the state, and over variables related to these.
    fn conditions(&mut self, path: &Path) -> Vec<TermId> {
        let mut found = Vec::new();
        if self.variables.is_empty() {
            return found;
        }
        let mut open = path.condition();
        loop {
            let (held, others): (Vec<TermId>, Vec<TermId>) = open.into_iter().partition(|constraint| {
                let variables = self.machine.terms().variables(*constraint);
                variables.iter().any(|v| self.variables.contains_key(v))
            });
            for constraint in &held {
                self.term(*constraint);
            }
            if held.is_empty() {
                return found;
            }
            found.extend(held);
            open = others;
        }
    }
}

/// Marks a symbolic slot in a shape.
const SYMBOLIC: u32 = u32::MAX;

#[cfg(test)]
mod tests;
