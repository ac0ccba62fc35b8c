//! Walks over the heap: start and length of each object and free run.

use super::bitmap::Bitmap;
use crate::classes::{ClassId, ClassKind};
use crate::gc::roots;
use crate::heap::layout::{ARRAY_HEADER, HEAP_START};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::memory::free::FREE_MARK;

/// The heap is inconsistent: code has overwritten a header by `Unsafe`.
#[derive(Debug)]
pub(super) struct DamagedHeap;

/// The result of a walk over the heap.
pub(super) struct Walk {
    /// The first words of all objects, dead ones among them.
    pub(super) starts: Bitmap,
    /// The first end of an object, or of free space, from which on all words belong to the present version
    /// alone.
    pub(super) own: Addr,
}

impl Machine {
    /// The first words of all objects; none if the heap is damaged.
    pub(crate) fn starts_of_objects(&self) -> Bitmap {
        let statics = roots::all_statics(self);
        walk_heap(self, &statics).map_or_else(|DamagedHeap| Bitmap::new(0), |walk| walk.starts)
    }
}

/// Finds the starts of everything in the heap, including dead objects.
pub(super) fn walk_heap(machine: &Machine, statics: &[(Addr, u32)]) -> Result<Walk, DamagedHeap> {
    let top = machine.memory.used();
    let floor = machine.memory.first_own_word();
    let (mut starts, mut own) = (Bitmap::new(top), None);
    let current = machine.memory.free_space().current();
    let mut statics = statics.iter().peekable();
    let mut at = HEAP_START;
    while at < top {
        if own.is_none() && at >= floor {
            own = Some(at);
        }
        if let Some(run) = current.filter(|run| run.start == at) {
            at += run.len;
            continue;
        }
        if let Some((_, class)) = statics.next_if(|(addr, _)| *addr == at) {
            starts.insert(at);
            at += machine.class(ClassId(*class)).static_size.max(1);
            continue;
        }
        let header = machine.memory.read(at);
        let len = if header & 0xFFFF == FREE_MARK {
            (header >> 32) as u32
        } else {
            starts.insert(at);
            object_words(machine, at).ok_or(DamagedHeap)?
        };
        at = at.checked_add(len).filter(|end| len > 0 && *end <= top).ok_or(DamagedHeap)?;
    }
    Ok(Walk { starts, own: own.unwrap_or(top) })
}

/// Words that the object or array at this address takes.
pub(super) fn object_words(machine: &Machine, at: Addr) -> Option<u32> {
    let class = ClassId(machine.memory.read(at) as u16 as u32);
    let class = machine.classes().get(class.0 as usize)?;
    match class.kind {
        ClassKind::Array { kind, .. } => {
            let length = if machine.registers.cold.capacities.is_empty() {
                machine.array_length(at)
            } else {
                machine.array_capacity(at)
            };
            let bytes = length as u64 * kind.array_bytes() as u64;
            u32::try_from(bytes.div_ceil(8)).ok()?.checked_add(ARRAY_HEADER)
        }
        ClassKind::Instance | ClassKind::Primitive(_) => Some(class.size as u32),
    }
}
