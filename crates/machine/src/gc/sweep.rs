//! Sweeping: runs of dead words become free space; side tables forget dead objects.

use super::bitmap::Bitmap;
use crate::classes::ClassId;
use crate::gc::heap_walk;
use crate::heap::layout::HEAP_START;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::memory::free::{FreeRun, FreeSpace, free_word};

impl Machine {
    /// Forgets the shadows of free words.
    fn forget_shadows(&mut self, runs: &[FreeRun], top: Addr) {
        let free = |byte: u64| {
            let word = (byte >> 3) as Addr;
            let at = runs.partition_point(|run| run.start <= word);
            word >= top || at > 0 && word < runs[at - 1].start + runs[at - 1].len
        };
        let gone: Vec<u64> = self.registers.heap_shadows.keys().copied().filter(|byte| free(*byte)).collect();
        for byte in gone {
            self.registers.heap_shadows.remove(&byte);
        }
        self.choices.forget(free);
    }
}

/// Frees all words from `floor` on that belong to nothing alive; returns the number of live words.
///
/// A page shared with another version would have to be saved, which the space of its dead objects is not worth.
/// `floor` must be a boundary: a dead object across it would extend into free space.
pub(super) fn sweep(machine: &mut Machine, live: &Bitmap, statics: &[(Addr, u32)], floor: Addr) -> u64 {
    let top = machine.memory.used();
    let mut runs: Vec<FreeRun> = Vec::new();
    let mut statics = statics.iter().peekable();
    let (mut at, mut live_words, mut last_end) = (HEAP_START, 0u64, HEAP_START);
    let mut close = |from: Addr, to: Addr| {
        let from = from.max(floor);
        if from < to {
            runs.push(FreeRun { start: from, len: to - from });
        }
    };
    while let Some(start) = live.next(at) {
        let len = match statics.next_if(|(addr, _)| *addr == start) {
            Some((_, class)) => machine.class(ClassId(*class)).static_size.max(1),
            None => heap_walk::object_words(machine, start).unwrap_or(1),
        };
        close(last_end, start);
        live_words += len as u64;
        last_end = start + len;
        at = last_end;
    }
    // The end of the heap becomes wilderness again, except for words of other versions.
    let new_top = last_end.max(floor).min(top);
    close(last_end, new_top);
    if machine.shadows.any() {
        machine.forget_shadows(&runs, new_top);
    }
    for run in &runs {
        machine.memory.write(run.start, free_word(run.len));
    }
    machine.registers.live_words = live_words;
    machine.memory.set_free(FreeSpace::new(runs.into_iter()), new_top);
    live_words
}

/// Forgets what is known about dead objects, since their words may become other objects. The lengths of arrays
/// below `floor` stay known, since these arrays stay.
pub(super) fn forget_dead(machine: &mut Machine, live: &Bitmap, starts: &Bitmap, floor: Addr) {
    let dead = |addr: Addr| starts.contains(addr) && !live.contains(addr);
    let registers = &mut machine.registers;
    let gone: Vec<_> =
        registers.cold.interned.iter().filter(|(_, s)| dead(**s)).map(|(u, _)| u.clone()).collect();
    for units in gone {
        registers.cold.interned.remove(&units);
    }
    let gone: Vec<_> =
        registers.cold.capacities.keys().copied().filter(|a| *a >= floor && dead(*a)).collect();
    for array in gone {
        registers.cold.capacities.remove(&array);
    }
    let gone: Vec<_> = registers.definitions.keys().copied().filter(|(a, _)| dead(*a)).collect();
    for key in gone {
        registers.definitions.remove(&key);
    }
    registers.definitions.forget_owners(dead);
    let gone: Vec<_> = registers.cold.permits.keys().copied().filter(|a| dead(*a)).collect();
    for thread in gone {
        registers.cold.permits.remove(&thread);
    }
    let gone: Vec<_> = registers.cold.answers.keys().filter(|(a, _)| dead(*a)).cloned().collect();
    for key in gone {
        registers.cold.answers.remove(&key);
    }
    let gone: Vec<_> = registers.cold.monitors.keys().copied().filter(|a| dead(*a)).collect();
    for object in gone {
        registers.cold.monitors.remove(&object);
    }
    let gone: Vec<_> = registers.cold.reached.keys().copied().filter(|a| dead(*a)).collect();
    for object in gone {
        registers.cold.reached.remove(&object);
    }
}
