//! The state of a run besides memory and the operand stack.

use super::frame::Frame;
use super::persistent::PersistentMap;
use super::value::{Shadow, Value};
use crate::memory::Addr;
use crate::recording::data_flow::DefUse;
use crate::recording::last_definitions::LastDefinitions;
use crate::state::cold::{ColdRegisters, Shared};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The shadow of a slot of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapShadow {
    /// The term.
    pub shadow: Shadow,
    /// Bytes that the slot takes: 8 for a field, the element's size in an array.
    pub size: u8,
}

/// All state that is neither in memory nor on the operand stack; cloned by a snapshot.
#[derive(Clone)]
pub struct Registers {
    /// The frames, innermost last.
    pub frames: Vec<Frame>,
    /// Shadows of words in memory, by byte address.
    pub heap_shadows: PersistentMap<u64, HeapShadow>,
    /// Number of decisions of the current instruction that have already been reported.
    pub decided: u32,
    /// The result of the last entry frame.
    pub result: Value,
    /// Frames pushed so far.
    pub frame_count: u32,
    /// The exception that the machine itself raised last (a failed implicit check), as opposed to one that code
    /// created.
    pub raised: Addr,
    /// The exception of the last entry frame that ended by one.
    pub thrown: Addr,
    /// The number of words allocated since the last collection at which the next one is due.
    pub collect_at: u64,
    /// Words that were alive after the last collection.
    pub live_words: u64,
    /// The instruction that last ran again after a collection: serial of the frame, index, fuel.
    pub retried: Option<(u32, u32, u64)>,
    /// Next identity hash code.
    pub next_hash: u32,
    /// Nanoseconds on the virtual clock.
    pub clock: u64,
    /// Backward jumps and invocations left before the next event; see [`crate::Machine::fuel`].
    pub fuel: u64,
    /// Backward jumps and invocations left after that event.
    pub fuel_beyond: u64,
    /// The value given to [`crate::Machine::set_fuel`], from which the clock derives how much has been
    /// executed.
    pub fuel_given: u64,
    /// The fuel left when the turn of the running thread ends.
    pub turn_ends: u64,
    /// State of the generator that draws turns.
    pub schedule: u64,
    /// Coverage probes hit, one bit each.
    pub coverage: Rc<Vec<u64>>,
    /// Requirements on symbolic operands: number of the probe, and the condition.
    pub requirements: PersistentMap<(u32, cupping_term::TermId), ()>,
    /// The last definition of each field in tracked code, by object (0 for statics) and field.
    pub definitions: LastDefinitions,
    /// The current invocation of a sequence, set by the caller.
    pub invocation: u32,
    /// Pairs of invocations of which the first defined what the second used.
    pub flows: Rc<BTreeSet<(u32, u32)>>,
    /// The definition-use pairs exercised in tracked code.
    pub pairs: Rc<BTreeSet<DefUse>>,
    /// Which of the possible runs this is with respect to clock, randomness and identity: see
    /// [`crate::Machine::vary`].
    pub variation: u32,
    /// Words of random bytes that have been read.
    pub random_read: u64,
    /// Bytes of standard input that have been read.
    pub input_read: usize,
    /// The `Thread` object of the running thread.
    pub thread: Addr,
    /// The number that identifies the running thread in monitors.
    pub thread_number: u32,
    /// Whether the running thread is one of the JDK's own.
    pub thread_is_system: bool,
    /// Reads of the clock and of seeds alone.
    pub entropy_reads: u32,
    /// Number of reads of identity hash codes, seeds and times: what depends on them differs from JVM to JVM.
    pub volatile_reads: u32,
    /// The state that most runs do not change.
    pub cold: Shared<ColdRegisters>,
}
