//! The machine: classes, memory, state and terms in one place, and fork.

use crate::choices::slots::Choices;
use crate::classes::space::Spaces;
use crate::classes::table::ClassTable;
use crate::classes::{ClassId, MethodId};
use crate::code::Op;
use crate::exit::Step;
use crate::heap::layout::{HEAP_START, InitState};
use crate::memory::{Addr, Memory};
use crate::natives::table::Natives;
use crate::natives::{Args, NativeOutcome};
use crate::recording::plans::Plans;
use crate::state::cold::{ColdRegisters, Shared};
use crate::state::stack::OperandStack;
use crate::state::{Registers, Snapshot, Value, Weight};
use crate::symbols::table::Shadows;
use crate::watching::listener::Listener;
use crate::watching::{CallEnd, WatchedCall};
use crate::world::environment::Environment;
use crate::world::{Console, Disk, Files, WorldOptions};
use cupping_classfile::Program;
use cupping_term::Terms;
use std::rc::Rc;
use std::sync::Arc;

/// Where the turn of a thread ends, apart from where it blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// After a number of backward jumps and calls.
    #[default]
    Turns,
    /// Also before accesses to objects that several threads reach: a race shows under some seed. Code that was
    /// decoded before this was set ends no turns this way.
    Races,
}

/// Limits of a run.
#[derive(Clone, Debug)]
pub struct RunLimits {
    /// Limit on the words of memory, including the boot image; beyond it Java code sees `OutOfMemoryError`.
    pub heap_words: u32,
    /// When garbage is collected.
    pub collect: crate::gc::CollectionPolicy,
    /// Limit on the live threads; beyond it Java code sees `OutOfMemoryError`.
    pub threads: usize,
    /// Number of backward jumps and calls after which another thread gets its turn; 0 for never.
    pub quantum: u32,
    /// Varies turns of threads; the same seed gives the same run.
    pub schedule_seed: Option<u64>,
    /// Where else turns end.
    pub schedule: Schedule,
    /// Limit on the frames of the stack; beyond it Java code sees `StackOverflowError`.
    pub frames: usize,
    /// Limit on the elements of an array whose symbolic index is reasoned about rather than simulated (thesis
    /// §3.2).
    pub reasoning_elements: u32,
    /// Whether accesses to fields and array elements are recorded in all code of the class path, for
    /// [`crate::Registers::flows`]. Does not affect code that was decoded before.
    pub record_flows: bool,
    /// Whether they are also recorded in the JDK, except for the bytes of strings. There are so many that reads
    /// are only reported to an observer: no definitions and no flows are kept.
    pub record_library_flows: bool,
    /// Which code is compiled. It runs the same, only faster.
    pub compile: crate::compile::Compile,
}

impl Default for RunLimits {
    fn default() -> RunLimits {
        RunLimits {
            heap_words: 1 << 26,
            collect: crate::gc::CollectionPolicy::default(),
            threads: 10_000,
            quantum: 20_000,
            schedule_seed: None,
            schedule: Schedule::Turns,
            frames: 9000,
            reasoning_elements: 16,
            record_flows: false,
            record_library_flows: false,
            compile: crate::compile::Compile::default(),
        }
    }
}

/// A loaded method of the machine.
pub type Method = crate::classes::method::Method<NativeFn>;

/// What runs when a method of the machine is invoked.
pub type MethodBody = crate::classes::method::MethodBody<NativeFn>;

/// The code of a native.
pub type NativeCode = fn(&mut Machine, &Args) -> Step<NativeOutcome>;

/// A native and how it takes symbolic arguments.
#[derive(Clone, Copy)]
pub struct NativeFn {
    /// The code.
    pub run: NativeCode,
    /// Whether it deals with shadows itself.
    pub symbolic: bool,
    /// The operation of the instruction loop for the plain case. Its class needs no initialisation.
    pub inlined: Option<Op>,
    /// Whether compiled code may call it without a frame: it inspects no frames, calls Java code only by
    /// [`NativeOutcome::Forward`], never waits, and can be run again after a failure.
    pub quick: bool,
}

/// Receives notifications about a run. While one of its methods runs, it gets no others.
pub trait Observer {
    /// A method is about to run: its frame is the innermost one, its arguments are
    /// [`Machine::arguments_of_call`]. Returns whether the observer also wants to be notified of its end.
    fn entered(&mut self, machine: &mut Machine, call: WatchedCall) -> bool;

    /// A call has ended; its frame is gone.
    fn left(&mut self, machine: &mut Machine, call: WatchedCall, how: CallEnd);

    /// A probe was passed in the frame of this serial.
    fn probed(&mut self, _serial: u32, _probe: u32) {}

    /// A field is about to be read in the frame with this serial number, in code that records data flow. The
    /// key is that of [`FieldKeys`](crate::FieldKeys), or the index of an array element with
    /// [`ELEMENT`](crate::ELEMENT); the object is 0 for statics.
    fn read(&mut self, _serial: u32, _object: Addr, _key: u32) {}

    /// A native is about to run with these arguments, the receiver first. The observer may read the objects
    /// that they refer to.
    fn called_native(&mut self, _machine: &Machine, _method: MethodId, _arguments: &[Value]) {}
}

/// A Java virtual machine whose whole state can be forked.
pub struct Machine {
    /// Where classes come from.
    pub(crate) program: Arc<Program>,
    /// Classes and methods.
    pub(crate) classes: ClassTable<NativeFn>,
    /// Other programs.
    pub(crate) spaces: Spaces,
    /// Forkable memory.
    pub(crate) memory: Memory,
    /// Forkable state beside memory.
    pub(crate) registers: Registers,
    /// The terms that shadows name.
    pub(crate) terms: Terms,
    /// Limits of a run.
    pub(crate) limits: RunLimits,
    /// Whether the host initialises a class now, before any invocation.
    pub(crate) is_preparing: bool,
    pub(crate) stack: OperandStack,
    /// The instrumentation of code that is not decoded yet.
    pub(crate) plans: Plans,
    /// Where shadows may be.
    pub(crate) shadows: Shadows,
    /// Slots that are holes, and those that are marked.
    pub(crate) choices: Choices,
    pub(crate) natives: Natives<NativeFn>,
    pub(crate) dynamic: crate::dynamic::Tables,
    pub(crate) generated: crate::dynamic::GeneratedClasses,
    /// The observer, and the calls that are reported to it.
    pub(crate) listener: Listener<Box<dyn Observer>>,
    /// The environment of the program outside of its heap.
    pub(crate) environment: Environment,
    /// Compiled code.
    pub(crate) compiler: crate::compile::compiler::Compiler,
    /// Whether a run that fills its memory ends as if its fuel were used up, instead of with an error of the
    /// program.
    pub(crate) halts_when_full: bool,
    /// Fuel and memory that runs have taken; see [`Machine::spent`].
    pub(crate) spent_in_runs: u64,
    /// Number of accesses recorded.
    pub(crate) accesses: u64,
    /// Number of times that a state was restored.
    pub(crate) restorations: u64,
    /// Where objects hold references, by class, as far as computed.
    pub(crate) layouts: Vec<crate::gc::Layout>,
}

impl Machine {
    /// A machine without any class loaded; [`Machine::boot`] makes a useful one.
    pub(crate) fn unbooted(program: Arc<Program>, limits: RunLimits, natives: Natives<NativeFn>) -> Machine {
        let mut compiler = crate::compile::compiler::Compiler::default();
        compiler.set(limits.compile);
        Machine {
            program,
            classes: ClassTable::default(),
            spaces: Spaces::default(),
            memory: Memory::new(HEAP_START, limits.heap_words.max(HEAP_START + 1024)),
            registers: Registers {
                frames: Vec::new(),
                heap_shadows: Default::default(),
                decided: 0,
                result: Value::default(),
                frame_count: 0,
                raised: 0,
                thrown: 0,
                collect_at: u64::MAX,
                live_words: 0,
                retried: None,
                next_hash: 1,
                clock: 0,
                fuel: u64::MAX,
                fuel_beyond: 0,
                fuel_given: u64::MAX,
                turn_ends: 0,
                schedule: 0,
                coverage: Rc::default(),
                definitions: Default::default(),
                invocation: 0,
                flows: Rc::default(),
                pairs: Rc::default(),
                requirements: Default::default(),
                input_read: 0,
                random_read: 0,
                variation: 0,
                thread: 0,
                thread_number: 1,
                thread_is_system: false,
                entropy_reads: 0,
                volatile_reads: 0,
                cold: Shared::new(ColdRegisters {
                    capacities: Default::default(),
                    interned: Default::default(),
                    modules: Default::default(),
                    pending_references: 0,
                    out_of_memory: 0,
                    pinned: Default::default(),
                    outside: Default::default(),
                    dormant: Rc::default(),
                    monitors: Default::default(),
                    output: Rc::default(),
                    disk: Disk::new(Files::new(0)),
                    network: Default::default(),
                    stopped: Rc::default(),
                    permits: Default::default(),
                    reached: Default::default(),
                    init_failures: Default::default(),
                    zip_streams: Default::default(),
                    answers: Default::default(),
                    domains: Default::default(),
                }),
            },
            terms: Terms::new(),
            limits,
            is_preparing: false,
            stack: OperandStack::new(),
            plans: Plans::default(),
            shadows: Shadows::default(),
            choices: Choices::default(),
            natives,
            dynamic: crate::dynamic::Tables::default(),
            generated: crate::dynamic::GeneratedClasses::default(),
            listener: Listener::default(),
            environment: Environment::default(),
            halts_when_full: false,
            spent_in_runs: 0,
            accesses: 0,
            restorations: 0,
            layouts: Vec::new(),
            compiler,
        }
    }

    /// Freezes the whole state. Costs about as much as copying the frames in use.
    pub fn snapshot(&mut self) -> Snapshot {
        let used = self.stack_top();
        let symbolic = self.registers.frames.iter().any(|f| f.symbolic);
        let present = std::mem::take(&mut self.registers.frames);
        let registers = self.registers.clone();
        let frames: Box<[_]> = present.as_slice().into();
        self.registers.frames = present;
        let stack = self.stack.copy(0..used);
        let shadows = if symbolic { self.stack.copy_shadows(0..used) } else { Box::default() };
        Snapshot {
            _weight: Weight::of(&stack, &shadows, &frames, self.memory.retained_words()),
            version: self.memory.snapshot(),
            stack,
            shadows,
            registers,
            frames,
            choices: self.choices.moment(),
        }
    }

    /// Returns to a frozen state; changes since the last snapshot are undone.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let Snapshot { version, stack, shadows, registers, frames, choices, _weight: _ } = snapshot;
        self.restorations += 1;
        self.memory.restore(version);
        self.stack.restore(stack);
        self.stack.restore_shadows(shadows);
        let mut present = std::mem::take(&mut self.registers.frames);
        self.registers.clone_from(registers);
        present.clear();
        present.extend_from_slice(frames);
        self.registers.frames = present;
        self.choices.undo(*choices);
        self.shadows.begin_instruction();
    }

    /// The slots in use by frames.
    pub(crate) fn stack_top(&self) -> usize {
        self.registers.frames.last().map_or(0, |f| {
            let floor = f.base + f.code.max_locals as u32 + f.code.max_stack as u32;
            f.sp.max(floor) as usize
        })
    }

    /// The class of an object or array.
    #[inline(always)]
    pub fn class_of(&self, object: Addr) -> ClassId {
        ClassId(self.memory.read(object) as u16 as u32)
    }

    /// The initialisation state of a class on this fork.
    pub fn init_state(&self, class: ClassId) -> InitState {
        match self.memory.read(crate::heap::layout::state_word(class)) as u8 {
            0 => InitState::Uninitialized,
            1 => InitState::InProgress,
            2 => InitState::Initialized,
            _ => InitState::Failed,
        }
    }
}

impl Machine {
    /// Missing natives that were called, by full signature.
    pub fn missing_natives(&self) -> &std::collections::BTreeSet<String> {
        self.natives.missing()
    }

    /// The same, which are forgotten.
    pub fn take_missing_natives(&mut self) -> std::collections::BTreeSet<String> {
        self.natives.take_missing()
    }

    /// The standard streams, if output is passed on instead of kept.
    pub fn console(&mut self) -> &mut Console {
        &mut self.environment.console
    }

    /// The environment that the program found when it started.
    pub fn world_options(&self) -> &WorldOptions {
        &self.environment.options
    }
}
