//! Marking: finds the objects reachable from the roots.

use super::bitmap::Bitmap;
use super::layout::{Layout, Strength};
use crate::classes::{ClassId, Kind};
use crate::gc::roots;
use crate::heap::layout::ARRAY_HEADER;
use crate::machine::Machine;
use crate::memory::Addr;

/// The result of marking.
pub(super) struct MarkResult {
    /// The first words of what is alive.
    pub(super) live: Bitmap,
    /// Live `Reference`s, whose referents may be dead.
    pub(super) references: Vec<Addr>,
}

impl Machine {
    /// Marks everything reachable from roots and statics; soft references count if `soft`.
    pub(super) fn mark(&self, starts: &Bitmap, statics: &[(Addr, u32)], soft: bool) -> MarkResult {
        let mut live = Bitmap::new(self.memory.used());
        let mut references = Vec::new();
        let mut due: Vec<Addr> = Vec::new();
        let mut reach = |word: u64, due: &mut Vec<Addr>| {
            if let Ok(addr) = Addr::try_from(word)
                && starts.contains(addr)
                && live.insert(addr)
            {
                due.push(addr);
            }
        };
        for (addr, class) in statics {
            // The header says `Object`, which has no fields, so nothing else is reachable from it.
            reach(*addr as u64, &mut due);
            for field in &self.class(ClassId(*class)).fields {
                if field.is_static() && field.kind == Kind::Reference {
                    reach(self.memory.read(addr + field.offset as u32), &mut due);
                }
            }
        }
        roots::roots(self, &mut |word| reach(word, &mut due));
        while let Some(addr) = due.pop() {
            match &self.layouts[self.class_of(addr).0 as usize] {
                Layout::Primitives => {}
                Layout::References => {
                    for word in self.memory.slice(addr + ARRAY_HEADER, self.array_length(addr)) {
                        reach(*word, &mut due);
                    }
                }
                Layout::Fields(offsets) => {
                    for offset in offsets.iter() {
                        reach(self.memory.read(addr + *offset as u32), &mut due);
                    }
                }
                Layout::Weak(offsets, strength) => {
                    for offset in offsets.iter() {
                        reach(self.memory.read(addr + *offset as u32), &mut due);
                    }
                    if *strength == Strength::Soft && soft {
                        reach(self.named(addr, "referent"), &mut due);
                    }
                    references.push(addr);
                }
            }
        }
        MarkResult { live, references }
    }
}
