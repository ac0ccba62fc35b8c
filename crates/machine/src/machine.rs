//! The machine: classes, memory, state and terms in one place, and fork.

use crate::choices::slots::Choices;
use crate::classes::{Class, ClassId, MethodId, SignatureId};
use crate::code::Op;
use crate::exit::Step;
use crate::heap::layout::{HEAP_START, InitState};
use crate::memory::{Addr, Memory};
use crate::natives::{Args, Outcome};
use crate::state::cold::{Seldom, Shared};
use crate::state::stack::OperandStack;
use crate::state::{Registers, Snapshot, Value};
use crate::symbols::table::Shadows;
use crate::world::{Console, Disk, Files, Settings};
use cupping_classfile::Program;
use cupping_coverage::ProbePlan;
use cupping_term::Terms;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// Limits of a run.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Words of memory, boot image included; beyond it Java code sees `OutOfMemoryError`.
    pub heap_words: u32,
    /// When garbage is collected.
    pub collect: crate::gc::Collect,
    /// Threads that may be alive at a time; beyond it Java code sees `OutOfMemoryError`.
    pub threads: usize,
    /// Backward jumps and calls after which another thread takes its turn; 0 for never.
    pub quantum: u32,
    /// Varies turns of threads; the same seed gives the same run.
    pub schedule_seed: Option<u64>,
    /// Frames on the stack; beyond it Java code sees `StackOverflowError`.
    pub frames: usize,
    /// Elements of an array whose symbolic index is reasoned about rather than simulated (thesis §3.2).
    pub reasoning_elements: u32,
    /// Whether accesses to fields and array elements are recorded in all code of the class path, for
    /// [`crate::Registers::flows`]; what was decoded before it was set is not.
    pub record_flows: bool,
    /// Whether they are recorded in the JDK's collections and builders of strings, too. These are many, so only an observer
    /// is told of reads then: no definitions are kept, and no flows.
    pub record_library_flows: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            heap_words: 1 << 26,
            collect: crate::gc::Collect::default(),
            threads: 10_000,
            quantum: 20_000,
            schedule_seed: None,
            frames: 9000,
            reasoning_elements: 16,
            record_flows: false,
            record_library_flows: false,
        }
    }
}

/// A loaded method of the machine.
pub type Method = crate::classes::method::Method<NativeFn>;

/// What runs when a method of the machine is invoked.
pub type Body = crate::classes::method::Body<NativeFn>;

/// The code of a native.
pub type Run = fn(&mut Machine, &Args) -> Step<Outcome>;

/// A native and how it takes symbolic arguments.
#[derive(Clone, Copy)]
pub struct NativeFn {
    /// The code.
    pub run: Run,
    /// Whether it deals with shadows itself.
    pub symbolic: bool,
    /// The operation that the instruction loop has for it, where all is plain. Its class needs no initialisation.
    pub inlined: Option<Op>,
}

/// A Java virtual machine whose whole state can be forked.
pub struct Machine {
    /// Where classes come from.
    pub program: Arc<Program>,
    /// Loaded classes by id.
    pub classes: Vec<Class>,
    /// Loaded methods by id.
    pub methods: Vec<Method>,
    /// Forkable memory.
    pub memory: Memory,
    /// Forkable state beside memory.
    pub registers: Registers,
    /// The terms that shadows name.
    pub terms: Terms,
    /// Limits of a run.
    pub limits: Limits,
    /// What the program found when it started.
    pub settings: Settings,
    /// The standard streams, where output is not kept but passed on.
    pub console: Console,
    /// Natives that were called and are not there, by full signature.
    pub missing_natives: BTreeSet<String>,
    /// [`Machine::end_when`].
    pub(crate) interrupted: Option<fn() -> bool>,
    /// Bodies that run in place of those of the class files.
    pub(crate) replaced: FxHashMap<MethodId, Arc<cupping_classfile::Code>>,
    pub(crate) stack: OperandStack,
    pub(crate) class_names: FxHashMap<Arc<str>, ClassId>,
    pub(crate) unloadable: FxHashMap<Arc<str>, String>,
    pub(crate) linkage: crate::classes::link::Linkage,
    pub(crate) signatures: FxHashMap<(Arc<str>, Arc<str>), SignatureId>,
    pub(crate) interface_calls: FxHashMap<(ClassId, MethodId), MethodId>,
    pub(crate) probe_plans: FxHashMap<(Arc<str>, usize), ProbePlan>,
    pub(crate) contents_plans: crate::recording::data_flow::ContentsPlans,
    pub(crate) well_known: WellKnown,
    /// Where shadows may be.
    pub(crate) shadows: Shadows,
    /// Slots that are holes, and those that are marked.
    pub(crate) choices: Choices,
    /// The native whose exception is about to be raised: its frame is on top of the stack trace.
    pub(crate) raising_native: Option<crate::classes::MethodId>,
    /// Files given to the program that have been read, by their place on the host.
    pub(crate) given_files: FxHashMap<Rc<std::path::Path>, Arc<[u8]>>,
    /// What all code of the JVM shares, as it was when the machine had booted.
    pub(crate) globals: crate::world::effects::Globals,
    /// Words given out for cached constants.
    pub(crate) constant_count: u32,
    pub(crate) natives: Rc<crate::natives::table::Table<NativeFn>>,
    pub(crate) dynamic: crate::dynamic::Tables,
    /// Whose calls are told, and to whom.
    pub(crate) watch_scope: crate::watching::calls::WatchScope,
    pub(crate) observer: Option<Box<dyn crate::watching::calls::Observer>>,
    /// Calls of methods that are counted, by method.
    pub(crate) call_counts: Vec<u64>,
    /// With more fuel than this, calls of methods that are told sparingly are not told; how many have not been.
    pub(crate) quiet_until: u64,
    pub(crate) quiet_calls: u64,
    /// Classes that conditions alone may name.
    pub(crate) beside: crate::classes::guests::Beside,
    /// Where objects hold references, by class, as far as has been asked.
    pub(crate) layouts: Vec<crate::gc::Layout>,
}

/// Classes and fields that the machine itself reads and writes, found once at boot.
#[derive(Clone, Debug, Default)]
pub(crate) struct WellKnown {
    pub(crate) object: u32,
    pub(crate) string: u32,
    pub(crate) class: u32,
    pub(crate) byte_array: u32,
    pub(crate) string_value: u32,
    pub(crate) string_coder: u32,
    pub(crate) string_hash: u32,
    pub(crate) class_vm_id: u32,
    pub(crate) throwable_message: u32,
    pub(crate) throwable_cause: u32,
    pub(crate) throwable_backtrace: u32,
    pub(crate) throwable_depth: u32,
    pub(crate) throwable_stack: u32,
}

impl Machine {
    /// A machine without any class loaded; [`Machine::boot`] makes a useful one.
    pub(crate) fn unbooted(
        program: Arc<Program>,
        limits: Limits,
        natives: Rc<crate::natives::table::Table<NativeFn>>,
    ) -> Machine {
        Machine {
            program,
            classes: Vec::new(),
            methods: Vec::new(),
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
                thread: 0,
                thread_number: 1,
                thread_is_system: false,
                entropy_reads: 0,
                volatile_reads: 0,
                seldom: Shared::new(Seldom {
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
                    stopped: Rc::default(),
                    permits: Default::default(),
                    init_failures: Default::default(),
                    zip_streams: Default::default(),
                    answers: Default::default(),
                    domains: Default::default(),
                }),
            },
            terms: Terms::new(),
            limits,
            settings: Settings::default(),
            console: Console::default(),
            missing_natives: BTreeSet::new(),
            interrupted: None,
            stack: OperandStack::new(),
            class_names: FxHashMap::default(),
            unloadable: FxHashMap::default(),
            linkage: crate::classes::link::Linkage::default(),
            signatures: FxHashMap::default(),
            interface_calls: FxHashMap::default(),
            probe_plans: FxHashMap::default(),
            contents_plans: FxHashMap::default(),
            well_known: WellKnown::default(),
            shadows: Shadows::default(),
            choices: Choices::default(),
            replaced: FxHashMap::default(),
            raising_native: None,
            given_files: FxHashMap::default(),
            globals: Default::default(),
            constant_count: 0,
            natives,
            dynamic: crate::dynamic::Tables::default(),
            watch_scope: Default::default(),
            observer: None,
            beside: Default::default(),
            call_counts: Vec::new(),
            quiet_until: u64::MAX,
            quiet_calls: 0,
            layouts: Vec::new(),
        }
    }

    /// Freezes the whole state. Costs about as much as copying the frames in use.
    pub fn snapshot(&mut self) -> Snapshot {
        let used = self.stack_top();
        let symbolic = self.registers.frames.iter().any(|f| f.symbolic);
        let present = std::mem::take(&mut self.registers.frames);
        let registers = self.registers.clone();
        let frames = present.as_slice().into();
        self.registers.frames = present;
        Snapshot {
            version: self.memory.snapshot(),
            stack: self.stack.copy(0..used),
            shadows: if symbolic { self.stack.copy_shadows(0..used) } else { Box::default() },
            registers,
            frames,
            choices: self.choices.moment(),
        }
    }

    /// Goes to a frozen state; what happened since the last snapshot is undone.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let Snapshot { version, stack, shadows, registers, frames, choices } = snapshot;
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

    /// The class of this id.
    #[inline]
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    /// The method of this id.
    #[inline]
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.0 as usize]
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

    /// `Class.method` for messages.
    pub fn method_name(&self, id: MethodId) -> String {
        let method = self.method(id);
        format!("{}.{}{}", self.class(method.class).name, method.name, method.descriptor)
    }
}
