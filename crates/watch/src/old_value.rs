//! Old values: what `old(e)` refers to is captured before the call, and rebuilt for the postcondition where
//! the call has changed it.

use cupping_machine::{Addr, ClassKind, Kind, Machine, Value};
use std::collections::BTreeMap;

/// Limit on the objects that one `old` captures.
const MOST_OBJECTS: usize = 5_000;

/// A captured value, with all objects reachable from it.
#[derive(Clone, Debug, Default)]
pub(crate) struct OldValue {
    kind: Option<Kind>,
    bits: u64,
    /// The words of each object, starting with the header.
    objects: BTreeMap<Addr, Vec<u64>>,
}

/// The words of an object, and the indices of those that are references.
pub(crate) fn words(machine: &Machine, object: Addr) -> (u32, Vec<u32>) {
    let id = machine.class_of(object);
    if let ClassKind::Array { kind, .. } = machine.class(id).kind {
        let length = machine.array_length(object);
        let bytes = length as u64 * kind.array_bytes() as u64;
        let header = cupping_machine::ARRAY_HEADER;
        let references =
            if kind == Kind::Reference { (header..header + length).collect() } else { Vec::new() };
        return (header + bytes.div_ceil(8) as u32, references);
    }
    let (mut references, mut at) = (Vec::new(), Some(id));
    while let Some(id) = at {
        let class = machine.class(id);
        let fields = class.fields.iter().filter(|it| !it.is_static() && it.kind == Kind::Reference);
        references.extend(fields.map(|it| it.offset as u32));
        at = class.super_class;
    }
    (machine.class(id).size as u32, references)
}

/// Mask for the header without the identity hash code, which is not part of the content.
const CLASS: u64 = 0xFFFF;

impl OldValue {
    /// Captures a value and its objects.
    pub(crate) fn of(machine: &Machine, kind: Kind, value: Value) -> OldValue {
        let mut past = OldValue { kind: Some(kind), bits: value.bits, objects: BTreeMap::new() };
        if kind != Kind::Reference || value.bits == 0 {
            return past;
        }
        let mut due = vec![value.as_ref()];
        while let Some(object) = due.pop() {
            if past.objects.contains_key(&object) || past.objects.len() >= MOST_OBJECTS {
                continue;
            }
            let (size, references) = words(machine, object);
            let content = machine.memory().slice(object, size).to_vec();
            due.extend(references.iter().map(|at| content[*at as usize] as Addr).filter(|it| *it != 0));
            past.objects.insert(object, content);
        }
        past
    }

    /// Captures only the bits of a value.
    pub(crate) fn plain(kind: Kind, value: Value) -> OldValue {
        OldValue { kind: Some(kind), bits: value.bits, objects: BTreeMap::new() }
    }

    /// Whether the object itself has changed since, apart from what it refers to.
    pub(crate) fn is_changed_itself(&self, machine: &Machine) -> bool {
        self.objects
            .get(&(self.bits as Addr))
            .is_some_and(|content| changed(machine, self.bits as Addr, content))
    }

    /// The captured bits.
    pub(crate) fn bits(&self) -> u64 {
        self.bits
    }

    /// The value as it was. Objects that have changed, or that lead to changed ones, are copied; all others
    /// are shared. Call this on a fork.
    pub(crate) fn value(&self, machine: &mut Machine) -> Value {
        if self.kind != Some(Kind::Reference) || self.objects.is_empty() {
            return Value::concrete(self.bits);
        }
        let top = machine.memory().used();
        let mut stale: BTreeMap<Addr, bool> = self
            .objects
            .iter()
            .map(|(object, content)| (*object, *object >= top || changed(machine, *object, content)))
            .collect();
        if !stale.values().any(|it| *it) {
            return Value::concrete(self.bits);
        }
        let mut references: BTreeMap<Addr, Vec<u32>> = BTreeMap::new();
        for (object, content) in &self.objects {
            references.insert(*object, references_of(machine, content));
        }
        // An object that leads to a stale object is stale too.
        loop {
            let mut more = Vec::new();
            for (object, content) in self.objects.iter().filter(|(object, _)| !stale[*object]) {
                let leads = references[object]
                    .iter()
                    .any(|at| stale.get(&(content[*at as usize] as Addr)) == Some(&true));
                if leads {
                    more.push(*object);
                }
            }
            if more.is_empty() {
                break;
            }
            more.into_iter().for_each(|object| {
                stale.insert(object, true);
            });
        }
        let mut copies: BTreeMap<Addr, Addr> = BTreeMap::new();
        for (object, content) in self.objects.iter().filter(|(object, _)| stale[*object]) {
            if let Some(copy) = machine.allocate_words(content.len() as u32) {
                copies.insert(*object, copy);
            }
        }
        for (object, copy) in &copies {
            let content = &self.objects[object];
            for (at, word) in (0..).zip(content) {
                let word = if at == 0 { word & CLASS } else { *word };
                machine.write_word(copy + at, word);
            }
            for at in &references[object] {
                if let Some(other) = copies.get(&(content[*at as usize] as Addr)) {
                    machine.write_word(copy + at, *other as u64);
                }
            }
        }
        let object = self.bits as Addr;
        Value::reference(copies.get(&object).copied().unwrap_or(object))
    }
}

fn changed(machine: &Machine, object: Addr, content: &[u64]) -> bool {
    let now = machine.memory().slice(object, content.len() as u32);
    now[0] & CLASS != content[0] & CLASS || now[1..] != content[1..]
}

/// The references of an object, from its captured words alone: the object may no longer exist.
fn references_of(machine: &Machine, content: &[u64]) -> Vec<u32> {
    let id = cupping_machine::ClassId((content[0] & CLASS) as u32);
    if let ClassKind::Array { kind, .. } = machine.class(id).kind {
        let header = cupping_machine::ARRAY_HEADER;
        let end = header + content[1] as u32;
        return if kind == Kind::Reference { (header..end).collect() } else { Vec::new() };
    }
    let (mut references, mut at) = (Vec::new(), Some(id));
    while let Some(id) = at {
        let class = machine.class(id);
        references.extend(
            class
                .fields
                .iter()
                .filter(|it| !it.is_static() && it.kind == Kind::Reference)
                .map(|it| it.offset as u32),
        );
        at = class.super_class;
    }
    references
}
