//! Walking over the heap: what begins where, and how long it is.

use super::bitmap::Bitmap;
use super::free::FREE_MARK;
use crate::class::{ClassId, ClassKind};
use crate::layout::{ARRAY_HEADER, HEAP_START};
use crate::machine::Machine;
use crate::memory::Addr;

/// The heap is not as the machine left it: code has written over a header by `Unsafe`.
#[derive(Debug)]
pub(super) struct Damaged;

impl Machine {
    /// The first words of all objects; none if the heap is damaged.
    pub(crate) fn starts_of_objects(&self) -> Bitmap {
        let statics = self.all_statics();
        self.object_starts(&statics).unwrap_or_else(|Damaged| Bitmap::new(0))
    }

    /// The first words of all objects, dead ones among them.
    pub(super) fn object_starts(&self, statics: &[(Addr, u32)]) -> Result<Bitmap, Damaged> {
        let top = self.memory.used();
        let mut starts = Bitmap::new(top);
        let current = self.memory.free_space().current();
        let mut statics = statics.iter().peekable();
        let mut at = HEAP_START;
        while at < top {
            if let Some(run) = current.filter(|run| run.start == at) {
                at += run.len;
                continue;
            }
            if let Some((_, class)) = statics.next_if(|(addr, _)| *addr == at) {
                starts.insert(at);
                at += self.classes[*class as usize].static_size.max(1);
                continue;
            }
            let header = self.memory.read(at);
            let len = if header & 0xFFFF == FREE_MARK {
                (header >> 32) as u32
            } else {
                starts.insert(at);
                self.object_words(at).ok_or(Damaged)?
            };
            at = at.checked_add(len).filter(|end| len > 0 && *end <= top).ok_or(Damaged)?;
        }
        Ok(starts)
    }

    /// Words that the object or array at this address takes.
    pub(super) fn object_words(&self, at: Addr) -> Option<u32> {
        let class = ClassId(self.memory.read(at) as u16 as u32);
        let class = self.classes.get(class.0 as usize)?;
        match class.kind {
            ClassKind::Array { kind, .. } => {
                let length = if self.registers.capacities.is_empty() {
                    self.array_length(at)
                } else {
                    self.array_capacity(at)
                };
                let bytes = length as u64 * kind.array_bytes() as u64;
                u32::try_from(bytes.div_ceil(8)).ok()?.checked_add(ARRAY_HEADER)
            }
            ClassKind::Instance | ClassKind::Primitive(_) => Some(class.size as u32),
        }
    }
}
