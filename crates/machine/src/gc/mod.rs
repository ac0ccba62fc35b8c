//! Garbage collection: mark and sweep, without moving anything.
//!
//! A collection happens only at a [safepoint](crate::Machine::safepoint), or where an instruction found no
//! memory and runs again afterwards. There all references are in memory, frames and registers; natives may
//! therefore hold addresses from one allocation to the next. A collection is a change of the state like any
//! other: memory logs what it writes, and free space is part of a version, so collections and forks do not
//! affect each other. Code outside the machine that keeps addresses while Java code runs has to
//! [pin](crate::Machine::pin) them, or to set [`CollectionPolicy::Never`].
//!
//! Objects never move, so that identity hash codes, `Unsafe` and conservative roots need no special treatment.
//! Marking starts from [`roots`], follows the [`layout`] of each class, and leaves referents of `java.lang.ref`
//! to [`references`]. [`sweep`] turns the rest into free space. `finalize` is never run, as with
//! `--finalization=disabled`.

mod bitmap;
mod classes;
mod heap_walk;
mod layout;
mod mark;
mod policy;
mod references;
mod roots;
mod sweep;

pub(crate) use layout::Layout;
pub use policy::CollectionPolicy;

use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use heap_walk::Walk;

/// Minimum number of words allocated between two collections (16 MiB).
const LEAST: u64 = 1 << 21;
/// The same where the heap is nearly full.
const LEAST_WHEN_FULL: u64 = 1 << 16;
/// Words beyond the limit of the heap, reserved for the error that reports the limit.
const RESERVE: Addr = 1 << 12;

impl Machine {
    /// Keeps an object alive until [`Machine::unpin`], whatever refers to it.
    pub fn pin(&mut self, object: Addr) {
        self.registers.cold.pinned.insert(object, ());
    }

    /// Takes back a [`Machine::pin`].
    pub fn unpin(&mut self, object: Addr) {
        self.registers.cold.pinned.remove(&object);
    }

    /// Enables garbage collection, according to [`RunLimits::collect`](crate::RunLimits::collect).
    pub(crate) fn enable_collection(&mut self) {
        self.registers.collect_at = next_collection(self, self.memory.used() as u64);
    }

    /// Ends garbage collection in this state and in all that follow from it: for code that keeps addresses while Java
    /// code runs, and allocates little.
    pub fn disable_collection(&mut self) {
        self.registers.collect_at = u64::MAX;
    }

    /// Called after an allocation: requests a safepoint if a collection is due.
    #[inline(always)]
    pub(crate) fn note_allocation(&mut self) {
        if self.memory.allocated() >= self.registers.collect_at {
            self.request_safepoint();
        }
    }

    /// Words in use, as far as is known.
    pub(crate) fn words_in_use(&self) -> u64 {
        self.registers.live_words + self.memory.allocated()
    }

    /// `System.gc`. When this native is called, no address is held outside of the state, so this is as good as
    /// a safepoint.
    ///
    /// # Errors
    ///
    /// [`Trap::Unwind`] while compiled code is active, which may hold references.
    pub(crate) fn collect_on_request(&mut self) -> Step<()> {
        if self.registers.collect_at == u64::MAX {
            return Ok(());
        }
        if self.compiler.is_inside() {
            return Err(Trap::Unwind);
        }
        self.collect(true);
        Ok(())
    }

    /// At a safepoint: collects if that is due.
    pub(crate) fn collect_if_due(&mut self) {
        if self.memory.allocated() >= self.registers.collect_at {
            self.collect(true);
        }
    }

    /// Collects garbage; softly reachable objects stay if `soft`.
    pub(crate) fn collect(&mut self, soft: bool) {
        classes::find_layouts(self);
        // Nothing in memory marks the run in use as free.
        self.memory.retire_free_space();
        let statics = roots::all_statics(self);
        let Ok(Walk { starts, own }) = heap_walk::walk_heap(self, &statics) else {
            self.registers.collect_at = u64::MAX;
            return;
        };
        let marked = self.mark(&starts, &statics, soft);
        references::clear_references(self, &marked.references, &marked.live);
        sweep::forget_dead(self, &marked.live, &starts, own);
        let live = sweep::sweep(self, &marked.live, &statics, own);
        self.registers.collect_at = next_collection(self, live);
        if self.registers.cold.pending_references != 0 {
            self.wake_reference_handlers();
            // Theirs is the next turn.
            self.registers.turn_ends = self.fuel();
            self.request_safepoint();
        }
    }

    /// An instruction needs `words` words that are not available. Returns whether to run it again after a
    /// collection made room. It is not run twice for that: it may need as much every time.
    pub(crate) fn make_room(&mut self, words: u64) -> bool {
        if self.registers.collect_at == u64::MAX || words > self.limits.heap_words as u64 {
            return false;
        }
        let Some(frame) = self.registers.frames.last() else { return false };
        let here = (frame.serial, frame.pc, self.fuel());
        if self.registers.retried.replace(here) == Some(here) {
            return false;
        }
        let has_room = |m: &Machine| m.memory.has_room(words as u32);
        self.collect(true);
        if !has_room(self) {
            self.collect(false);
        }
        has_room(self)
    }

    /// The error that the heap is full: a new one with its stack trace, made from reserved memory, or the one
    /// created at boot.
    pub(crate) fn out_of_memory_error(&mut self) -> Addr {
        let limit = self.memory.limit();
        self.memory.set_limit(limit.saturating_add(RESERVE));
        let made = self.new_throwable("java/lang/OutOfMemoryError", Some("Java heap space"));
        self.memory.set_limit(limit);
        made.unwrap_or(self.registers.cold.out_of_memory)
    }
}

/// Words of allocation until the next collection, given the number of live ones.
fn next_collection(machine: &Machine, live: u64) -> u64 {
    match machine.limits.collect {
        CollectionPolicy::Never => u64::MAX,
        CollectionPolicy::Every(words) => words as u64,
        CollectionPolicy::Adaptive => {
            let room = (machine.memory.limit() as u64).saturating_sub(live);
            live.max(LEAST).min((room / 2).max(LEAST_WHEN_FULL))
        }
    }
}
