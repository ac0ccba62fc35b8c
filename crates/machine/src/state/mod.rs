//! The state of a run beside memory: frames, operand stack, symbolic shadows, and what the sandbox keeps.

pub(crate) mod cold;
pub(crate) mod stack;

use crate::classes::class::ClassId;
use crate::code::Code;
use crate::memory::{Addr, Version};
use crate::recording::data_flow::{DefUse, Definition};
use crate::state::cold::{Seldom, Shared};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Slots of the stack; a power of two, so that masking an index needs no bounds check.
pub const STACK_SLOTS: usize = 1 << 18;
pub(crate) const STACK_MASK: usize = STACK_SLOTS - 1;
/// Slots kept free above every frame for the machine itself.
pub(crate) const STACK_RESERVE: usize = 256;

/// A symbolic shadow: the number of a term, or 0 where the value is concrete only.
pub type Shadow = u32;

/// A map whose clone costs nothing and shares what does not change.
pub type PersistentMap<K, V> = imbl::GenericHashMap<K, V, rustc_hash::FxBuildHasher, imbl::shared_ptr::RcK>;

/// The same in the order of its keys.
pub type OrderedMap<K, V> = imbl::GenericOrdMap<K, V, imbl::shared_ptr::RcK>;

/// The shadow of a slot of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapShadow {
    /// The term.
    pub shadow: Shadow,
    /// Bytes that the slot takes: 8 for a field, the element's size in an array.
    pub size: u8,
}

/// Why a frame was pushed, which says what its return does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// An invocation by the frame below, which gets the result.
    Call,
    /// An invocation from outside: returning ends the run.
    Entry,
    /// The static initialiser of a class: returning marks it initialised and runs the instruction below again.
    Initializer(ClassId),
    /// A class loader asked for a class: returning keeps its answer and runs the instruction below again.
    Loading {
        /// Whether what is not found is a `NoClassDefFoundError`.
        linking: bool,
    },
    /// The method that a thread runs: returning ends the thread.
    Thread,
    /// A call whose result nobody wants.
    Discard,
    /// A call whose end is told to who listens; else as [`Purpose::Call`].
    Watched,
}

/// A method under execution.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its code.
    pub code: Rc<Code>,
    /// Index of the instruction under execution.
    pub pc: u32,
    /// First slot of its locals.
    pub base: u32,
    /// First free slot of its operand stack.
    pub sp: u32,
    /// Whether its slots may have shadows.
    pub symbolic: bool,
    /// Why it was pushed.
    pub purpose: Purpose,
    /// The object whose monitor it holds, of a synchronized method; 0 for none.
    pub monitor: Addr,
    /// Tells this invocation from every other on its path.
    pub serial: u32,
}

/// All state that is neither in memory nor on the operand stack; cloned by a snapshot.
#[derive(Clone)]
pub struct Registers {
    /// The frames, innermost last.
    pub frames: Vec<Frame>,
    /// Shadows of words in memory, by byte address.
    pub heap_shadows: PersistentMap<u64, HeapShadow>,
    /// Decisions of the instruction under execution that have been reported already.
    pub decided: u32,
    /// What the last entry frame returned.
    pub result: Value,
    /// Frames pushed so far.
    pub frame_count: u32,
    /// The exception that the machine itself raised last (a failed implicit check), not one that code made.
    pub raised: Addr,
    /// The exception that left the last entry frame by which one did.
    pub thrown: Addr,
    /// Words of allocation since the last collection at which the next is due.
    pub collect_at: u64,
    /// Words that were alive after the last collection.
    pub live_words: u64,
    /// The instruction that was last run again after a collection: serial of the frame, index, fuel.
    pub retried: Option<(u32, u32, u64)>,
    /// Next identity hash code.
    pub next_hash: u32,
    /// Nanoseconds on the virtual clock.
    pub clock: u64,
    /// Backward jumps and invocations left before the next event; see [`crate::Machine::fuel`].
    pub fuel: u64,
    /// Backward jumps and invocations left after that event.
    pub fuel_beyond: u64,
    /// What [`crate::Machine::set_fuel`] gave, by which the clock knows how much has been executed.
    pub fuel_given: u64,
    /// The fuel left when the turn of the running thread ends.
    pub turn_ends: u64,
    /// State of the generator that draws turns.
    pub schedule: u64,
    /// Coverage probes hit, one bit each.
    pub coverage: Rc<Vec<u64>>,
    /// What has been asked of operands that depend on the inputs: number of the probe, and the condition.
    pub requirements: PersistentMap<(u32, cupping_term::TermId), ()>,
    /// Where each field of each object was defined last, in tracked code: by object (0 for statics) and field.
    pub definitions: PersistentMap<(Addr, u32), Definition>,
    /// Which invocation of a sequence runs: set by who enters it.
    pub invocation: u32,
    /// Pairs of invocations of which the first defined what the second used.
    pub flows: Rc<BTreeSet<(u32, u32)>>,
    /// The definition-use pairs exercised in tracked code.
    pub pairs: Rc<BTreeSet<DefUse>>,
    /// Words of random bytes that have been read.
    pub random_read: u64,
    /// Bytes of standard input that have been read.
    pub input_read: usize,
    /// The `Thread` object of the running thread.
    pub thread: Addr,
    /// What the running thread is known by in monitors.
    pub thread_number: u32,
    /// Whether the running thread is one of the JDK's own.
    pub thread_is_system: bool,
    /// Reads of the clock and of seeds alone.
    pub entropy_reads: u32,
    /// Identity hash codes, seeds and times have been read: what depends on them differs from JVM to JVM.
    pub volatile_reads: u32,
    /// What seldom changes.
    pub seldom: Shared<Seldom>,
}

/// A slot with its shadow; long and double take the first of their two slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Value {
    /// The bits: ints zero-extended from 32 bits, floats as IEEE bits, references as addresses.
    pub bits: u64,
    /// The term it is the value of, or 0.
    pub shadow: Shadow,
}

impl Value {
    /// A value without a shadow.
    pub const fn concrete(bits: u64) -> Value {
        Value { bits, shadow: 0 }
    }

    /// An int.
    pub const fn int(value: i32) -> Value {
        Value::concrete(value as u32 as u64)
    }

    /// A boolean.
    pub const fn boolean(value: bool) -> Value {
        Value::concrete(value as u64)
    }

    /// A long.
    pub const fn long(value: i64) -> Value {
        Value::concrete(value as u64)
    }

    /// A reference.
    pub const fn reference(addr: Addr) -> Value {
        Value::concrete(addr as u64)
    }

    /// A float.
    pub fn float(value: f32) -> Value {
        Value::concrete(value.to_bits() as u64)
    }

    /// A double.
    pub fn double(value: f64) -> Value {
        Value::concrete(value.to_bits())
    }

    /// As an int.
    pub const fn as_int(self) -> i32 {
        self.bits as u32 as i32
    }

    /// As a reference.
    pub const fn as_ref(self) -> Addr {
        self.bits as Addr
    }
}

/// A frozen state of the whole machine.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) version: Version,
    pub(crate) stack: Box<[u64]>,
    pub(crate) shadows: Box<[Shadow]>,
    /// All but the frames.
    pub(crate) registers: Registers,
    /// Apart, so that going back needs no memory.
    pub(crate) frames: Box<[Frame]>,
    /// The moment of [`crate::choices::slots::ChoiceSlots`].
    pub(crate) choices: usize,
}
