//! Words written since a version of the memory, and which of them belong to objects.

use crate::classes::{ClassKind, Kind};
use crate::heap::layout::{ARRAY_HEADER, HEAP_START};
use crate::machine::Machine;
use crate::memory::{Addr, Version};
use crate::state::Snapshot;
use rustc_hash::FxHashSet;

impl Machine {
    /// Whether objects of that time, or static fields, have changed; the hash codes that strings cache do not
    /// count. There must have been no collection since. Also true if the version is not an ancestor of the
    /// present one.
    pub fn has_written_since(&self, version: &Version) -> bool {
        let Some(words) = self.memory.changes_since(version) else { return true };
        let hash = self.classes.well_known.string_hash;
        let is_hash = |word: Addr| {
            let string = word.checked_sub(hash);
            string
                .is_some_and(|it| self.memory.read(it) & 0xFFFF == u64::from(self.classes.well_known.string))
        };
        words.into_iter().any(|word| !is_hash(word))
    }

    /// The words in use at the time of a version that have changed since; `None` if the version is not an
    /// ancestor of the present one.
    pub fn words_changed_since(&self, version: &Version) -> Option<Vec<Addr>> {
        self.memory.changes_since(version)
    }

    /// Whether a field or an element of an object that these objects lead to has been written with another value
    /// since an earlier state; `None` if that is not an ancestor of the present state. The cached hash codes of
    /// strings and the fields of `Class` objects do not count. The cost is in proportion to the objects, not to
    /// the elements of arrays of primitives.
    pub fn has_graph_changed_since(&self, roots: &[Addr], earlier: &Snapshot) -> Option<bool> {
        let mut changed = self.memory.changes_since(&earlier.version)?;
        if changed.is_empty() {
            return Some(false);
        }
        changed.sort_unstable();
        let is_changed = |from: Addr, to: Addr| {
            let at = changed.partition_point(|it| *it < from);
            changed.get(at).is_some_and(|it| *it < to)
        };
        let (mut seen, mut due) = (FxHashSet::default(), roots.to_vec());
        while let Some(object) = due.pop() {
            if object == 0 || !seen.insert(object) {
                continue;
            }
            let id = self.class_of(object);
            if id.0 == self.classes.well_known.class {
                continue;
            }
            if let ClassKind::Array { kind, .. } = self.class(id).kind {
                let length = self.array_capacity(object);
                let words = (u64::from(length) * u64::from(kind.array_bytes())).div_ceil(8) as u32;
                if is_changed(object + 1, object + ARRAY_HEADER + words) {
                    return Some(true);
                }
                if kind == Kind::Reference {
                    due.extend((0..length).map(|index| self.element_ref(object, index)));
                }
                continue;
            }
            let is_string = id.0 == self.classes.well_known.string;
            let mut at = Some(id);
            while let Some(class) = at.map(|id| self.class(id)) {
                for field in class.fields.iter().filter(|field| !field.is_static()) {
                    let word = object + Addr::from(field.offset);
                    let is_cache = is_string && field.name.starts_with("hash");
                    if !is_cache && is_changed(word, word + 1) {
                        return Some(true);
                    }
                    if field.kind == Kind::Reference {
                        due.push(self.memory.read(word) as Addr);
                    }
                }
                at = class.super_class;
            }
        }
        Some(false)
    }

    /// Which of these words are addresses of objects, for slots of unknown type. A number that happens to be an
    /// address counts as one.
    pub fn objects_among(&self, words: &[u64]) -> Vec<bool> {
        let top = self.memory.used();
        let may_be = |word: u64| word >= u64::from(HEAP_START) && word < u64::from(top);
        if !words.iter().any(|word| may_be(*word)) {
            return vec![false; words.len()];
        }
        let starts = self.starts_of_objects();
        words.iter().map(|word| may_be(*word) && starts.contains(*word as Addr)).collect()
    }

    /// Locals and operand stack of the frame that has made the innermost call, without the arguments of the
    /// call; and how many of these are locals.
    pub fn slots_of_caller(&self) -> (Vec<u64>, usize) {
        let frames = &self.registers.frames;
        let Some([caller, callee]) = frames.last_chunk::<2>() else { return Default::default() };
        let words = (caller.base..callee.base).map(|at| self.stack.get(at)).collect();
        (words, caller.code.max_locals as usize)
    }
}
