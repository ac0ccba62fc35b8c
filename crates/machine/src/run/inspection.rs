//! Queries on a machine for the crates above, and the few changes that they may make.

use crate::interpret::FUEL_OF_RESTORATION;
use crate::machine::{Machine, RunLimits};
use crate::memory::{Addr, Memory, Version};
use crate::recording::data_flow::Definition;
use crate::state::Registers;
use crate::world::{TEST_FOLDER, VARIED_TEST_FOLDER};
use cupping_classfile::Program;
use cupping_term::Terms;
use std::sync::Arc;

/// The times of the varied runs, in seconds since 1970: they differ in month, day, weekday, hour and other
/// properties of dates. 2032-02-29 is a leap day and a Sunday, 2027-12-31 the last second of a year, 2041-07-15
/// a Monday at noon, 2030-10-08 a Tuesday evening.
const VARIED_DATES: [i64; 4] = [1_961_625_600, 1_830_297_599, 2_257_502_400, 1_917_721_845];
/// The difference between the fractions of a second of successive variations, in nanoseconds.
const VARIED_FRACTION: i64 = 31_415_927;
/// 28 years in nanoseconds: until 2100, weekdays repeat after this time.
const CALENDAR_CYCLE: i64 = 10_227 * 86_400 * 1_000_000_000;

impl Machine {
    /// Where classes come from.
    #[inline]
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Limits of a run.
    #[inline]
    pub fn limits(&self) -> &RunLimits {
        &self.limits
    }

    /// Sets how many elements an array may have whose symbolic index is reasoned about rather than simulated.
    pub fn set_reasoning_elements(&mut self, elements: u32) {
        self.limits.reasoning_elements = elements;
    }

    /// The terms that shadows name.
    #[inline]
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The table of terms that shadows refer to. Terms are not state: they remain when the machine is restored.
    #[inline]
    pub fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// Forkable memory, to read.
    #[inline]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Sets a word of memory (logged); its shadow stays as it is.
    #[inline]
    pub fn write_word(&mut self, addr: Addr, value: u64) {
        self.memory.write(addr, value);
    }

    /// Sets bytes of memory (a power of two, aligned; logged); their shadow stays as it is.
    #[inline]
    pub fn write_bytes(&mut self, byte: u64, size: u32, value: u64) {
        self.memory.write_bytes(byte, size, value);
    }

    /// Zeroed words of memory, without a collection; `None` if that would exceed the limit.
    pub fn allocate_words(&mut self, words: u32) -> Option<Addr> {
        self.memory.allocate(words)
    }

    /// Limits memory to this number of words from now on; `None` restores the configured limit. Code under test
    /// still sees the configured limit. This is not part of the state.
    pub fn bound_memory(&mut self, words: Option<u32>) {
        let most = self.limits.heap_words;
        self.memory.set_limit(words.map_or(most, |words| words.min(most)));
    }

    /// Words that have been allocated and not collected. A run that adds to them costs time that its fuel does
    /// not show: the words are cleared, kept by forks and scanned.
    pub fn used_words(&self) -> u32 {
        self.memory.used()
    }

    /// What all runs have taken so far, in units of fuel: fuel, memory, the recording of accesses, and the restoration
    /// of states, which does not take it back.
    pub fn spent(&self) -> u64 {
        self.spent_in_runs.saturating_add(self.accesses + FUEL_OF_RESTORATION * self.restorations)
    }

    /// Words that snapshots keep besides the present state: memory, stacks and frames.
    pub fn retained_words(&self) -> u64 {
        self.memory.retained_words().get()
    }

    /// From now on, a run that allocates more than this many words, in one object or in many, ends with
    /// [`Halt::OutOfFuel`](crate::Halt::OutOfFuel). This is not part of the state.
    pub fn bound_runs(&mut self, words: u32) {
        let most = self.memory.used().saturating_add(words);
        if most < self.limits.heap_words {
            self.bound_memory(Some(most));
            self.halts_when_full = true;
        }
    }

    /// Freezes memory alone, without frames and registers.
    pub fn memory_version(&mut self) -> Version {
        self.memory.snapshot()
    }

    /// Restores a frozen memory; frames and registers stay as they are.
    pub fn restore_memory(&mut self, version: &Version) {
        self.memory.restore(version);
    }

    /// Forkable state besides memory and the operand stack.
    #[inline]
    pub fn registers(&self) -> &Registers {
        &self.registers
    }

    /// Sets which invocation of a sequence runs from now on.
    pub fn set_invocation(&mut self, invocation: u32) {
        self.registers.invocation = invocation;
    }

    /// Sets the probes that count as hit.
    pub fn set_coverage(&mut self, hits: Vec<u64>) {
        self.registers.coverage = hits.into();
    }

    /// Sets the number of reads of values that differ from JVM to JVM.
    pub fn set_volatile_reads(&mut self, reads: u32) {
        self.registers.volatile_reads = reads;
    }

    /// From here on, everything that may differ between two runs on a JVM takes other values: the clock, seeds
    /// and random bytes, identity hash codes, processors and memory, variables of the environment, names of
    /// generated classes, the test's folder, the turns of threads, the order in which reflection lists methods, and
    /// the last bit of functions that libraries round differently. If runs with different variations agree on a
    /// value, the value does not depend on these. 0 is the unvaried run.
    pub fn vary(&mut self, variation: u32) {
        self.registers.variation = variation;
        if variation == 0 {
            return;
        }
        self.install_varied_folder();
        let start = self.environment.options.start_millis.saturating_mul(1_000_000);
        let now = start.saturating_add(i64::try_from(self.registers.clock).unwrap_or(i64::MAX));
        let mut date = VARIED_DATES[variation as usize % VARIED_DATES.len()].saturating_mul(1_000_000_000);
        // Not at the beginning of a second: then all would agree on the fraction.
        date = date.saturating_add(i64::from(variation).saturating_mul(VARIED_FRACTION) % 500_000_000);
        while date < now {
            date = date.saturating_add(CALENDAR_CYCLE);
        }
        self.registers.clock = self.registers.clock.saturating_add((date - now) as u64);
    }

    /// The empty folder that stands for the temporary folder of a test.
    pub fn test_folder(&self) -> &'static str {
        if self.registers.variation == 0 { TEST_FOLDER } else { VARIED_TEST_FOLDER }
    }

    /// Forgets the reads of the clock and of seeds.
    pub fn forget_entropy_reads(&mut self) {
        self.registers.entropy_reads = 0;
    }

    /// Lets the last reported decision be reported again.
    pub fn report_decision_again(&mut self) {
        self.registers.decided -= 1;
    }

    /// Records the last definition of a field of an object (0 for statics).
    pub fn add_definition(&mut self, key: (Addr, u32), definition: Definition) {
        self.registers.definitions.insert(key, definition);
    }

    /// Takes away all shadows in memory.
    pub fn forget_heap_shadows(&mut self) {
        self.registers.heap_shadows = Default::default();
    }

    /// Gives up the invocations under way.
    pub fn drop_frames(&mut self) {
        self.registers.frames.clear();
    }
}
