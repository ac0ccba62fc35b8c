//! The compiler: machine code for hot methods in frames without symbols.
//!
//! Cranelift compiles the decoded code of a method (`translation`) for frames without shadows. The code does
//! what the interpreter does, to the last bit and the last unit of fuel, and exits *before* every instruction
//! that it does not support: locals and operands are then in their slots, and the interpreter continues. Frames
//! of compiled code are records on the host's stack (`context`); they become frames of the machine when
//! something inspects them (`helpers`). Natives that inspect no frames are called without one (`natives`).
//!
//! Invariants on which the `unsafe` of this folder relies:
//!
//! - Compiled code accesses memory only after it has compared the address with the bounds of memory, the
//!   operand stack only within what its frame was granted at entry, and fields of the machine and its own cells
//!   at fixed offsets. So no Java code, verified or not, can make it reach anything else.
//! - While compiled code is active, only helpers use the machine. No collection, no snapshot and no change of
//!   threads happens then: locals may be in registers. Whatever needs one of these leaves compiled code first
//!   (`Trap::Block`, `Trap::Unwind`, `Stop::Safepoint`).
//! - A method that changes (another body, a watched call) loses its entry, see `ClassTable::method_mut`.
//! - Code that ignores shadows is not entered once there are some, and is left as soon as some appear.
//!
//! Two things are not guaranteed: the payload of a NaN computed from two NaNs, and the unused second slots of
//! longs and doubles, whose old content a collection may take for a reference.
//!
//! Alternatives: copying prepared stencils of machine code (no registers across instructions; needs a toolchain
//! that builds them) and our own compiler (another 10,000 lines for each processor). Cranelift is maintained by
//! the Bytecode Alliance, is written in Rust, and takes 1 to 3 ms for a typical method.

mod arithmetic;
mod arrays;
mod calls;
pub(crate) mod compiler;
mod context;
mod engine;
mod exits;
mod frames;
mod helpers;
mod instructions;
mod natives;
mod objects;
mod offsets;
mod reps;
mod translation;

pub use compiler::Compile;

use crate::classes::MethodId;
use crate::code::Code;
use crate::code::heat::EntryState;
use crate::interpret::Stop;
use crate::machine::{Machine, MethodBody};
use compiler::{Engine, Function};
use context::{FIELD_REACH, LEFT};
use cranelift_module::Module;
use reps::Blocks;
use std::rc::Rc;
use translation::TranslationInput;

/// Number of samples (see [`SAMPLE`](crate::code::heat::SAMPLE)) of a method after which it is compiled: one
/// for each of its instructions, within these bounds. An instruction takes about 30 µs to compile, which is as
/// long as the interpreter runs between two samples. So the interpreter has lost about as much as compiling
/// costs.
const HOT_SAMPLES: (usize, usize) = (6, 200);
/// Number of calls of a method by compiled code, per instruction, after which it is compiled too.
const HOT_CALLS_EACH: usize = 50;
/// The bounds of these calls.
const HOT_CALLS: (usize, usize) = (1500, 8000);
/// Limit on the instructions of a method that is compiled.
const LONGEST: usize = 4000;
/// Functions of one machine.
const MOST_FUNCTIONS: usize = 20_000;
/// Bytes of the host's stack for compiled code and what it calls.
const STACK_BYTES: usize = 384 << 10;
/// Limit on the compilations of one method.
const MOST_VERSIONS: u32 = 8;
/// Number of consecutive entries from the interpreter with little effect, after which they are given up.
const POOR_ENTRIES: u32 = 200;
/// Number of jumps and calls that make an entry worthwhile.
const WORTH: u64 = 4;

/// The result of compiled code: its state and its value.
#[repr(C)]
struct Answer {
    state: i64,
    result: u64,
}

type CompiledEntry = unsafe extern "C" fn(*mut Machine, u64, u64, u64) -> Answer;

/// Entries by number: 0 is that of calls.
const FIRST_ENTRY: u64 = 1;

impl Machine {
    /// Mirrors the parts of other owners that compiled code needs.
    pub(crate) fn refresh_context(&mut self) {
        let (words, word_count, page_epochs) = self.memory.raw_parts();
        let (pages, page_count) = self.shadows.raw_pages();
        let context = &mut self.compiler.context;
        context.words = words;
        context.word_count = word_count as u64;
        context.last_object = word_count as u64 - u64::from(FIELD_REACH) - 1;
        context.page_epochs = page_epochs;
        (context.shadow_pages, context.shadow_page_count) = (pages, page_count as u64);
        context.entries = self.classes.entries();
        context.coverage = self.registers.coverage.as_ptr();
        context.coverage_words = self.registers.coverage.len() as u64;
        context.listens = self.listener.is_on().into();
    }

    /// A backward jump or call of the current concrete frame is a sample. Returns whether its code is compiled
    /// now.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_sample(&mut self) -> bool {
        if self.compiler.when == Compile::Never {
            return false;
        }
        let code = self.current().code.clone();
        code.heat.samples.set(code.heat.samples.get() + 1);
        let needed = code.insns.len().clamp(HOT_SAMPLES.0, HOT_SAMPLES.1) as u32;
        if code.heat.samples.get() < needed {
            return false;
        }
        self.compile(&code);
        code.heat.entered.get() != EntryState::Nowhere
    }

    /// A method has been called by compiled code in the slow way.
    pub(crate) fn note_slow_call(&mut self, method: MethodId) {
        let MethodBody::Code(code) = &self.method(method).body else { return };
        let code = code.clone();
        if code.heat.function.get() == 0 {
            code.heat.calls.set(code.heat.calls.get() + 1);
            let needed = (HOT_CALLS_EACH * code.insns.len()).clamp(HOT_CALLS.0, HOT_CALLS.1) as u32;
            if code.heat.calls.get() < needed && self.compiler.when == Compile::Hot {
                return;
            }
            self.compile(&code);
        }
        self.link(method, &code);
    }

    /// Compiles the method that is about to be entered.
    #[cold]
    pub(crate) fn compile_at_once(&mut self, code: &Rc<Code>) {
        if code.heat.function.get() == 0 {
            self.compile(code);
        }
    }

    /// Lets compiled code call this code directly, if it belongs to the method and the call needs no report and
    /// no lock.
    fn link(&mut self, method: MethodId, code: &Rc<Code>) {
        let loaded = self.method(method);
        let is_plain = !loaded.is_synchronized() && !loaded.watched;
        let is_own = matches!(&loaded.body, MethodBody::Code(own) if Rc::ptr_eq(own, code));
        let Some(function) = (code.heat.function.get() as usize).checked_sub(1) else { return };
        let function = &self.compiler.functions[function];
        if is_plain && is_own && function.guarded == self.compiler.guarded {
            let address = function.address as usize;
            self.classes.set_entry(method, address);
        }
    }

    /// Compiles a method, unless that has been done or is not worth it.
    fn compile(&mut self, code: &Rc<Code>) {
        let heat = &code.heat;
        let stale = (heat.function.get() as usize)
            .checked_sub(1)
            .map(|at| self.compiler.functions[at].is_stale(self.compiler.guarded));
        if heat.is_given_up.get() || stale == Some(false) {
            return;
        }
        if heat.versions.get() >= MOST_VERSIONS {
            let function = (heat.function.get() as usize).checked_sub(1);
            let function = function.map(|at| &mut self.compiler.functions[at]);
            match function.filter(|function| function.guarded == self.compiler.guarded) {
                Some(function) => function.is_final = true,
                None => {
                    heat.entered.set(EntryState::Nowhere);
                    heat.is_given_up.set(true);
                }
            }
            return;
        }
        let is_fit = code.insns.len() <= LONGEST
            && self.compiler.functions.len() < MOST_FUNCTIONS
            && !code.insns.iter().any(|place| reps::forbids(place.insn().op));
        heat.entered.set(EntryState::Nowhere);
        heat.versions.set(heat.versions.get() + 1);
        let mut engine = match self.compiler.engine.take() {
            Some(engine) => engine,
            None => Engine::new(),
        };
        let made = match &mut engine {
            Some(engine) if is_fit => self.make_function(engine, code),
            _ => None,
        };
        self.compiler.engine = Some(engine);
        let Some(function) = made else {
            heat.is_given_up.set(true);
            return;
        };
        self.compiler.functions.push(function);
        heat.function.set(self.compiler.functions.len() as u32);
        heat.entered.set(EntryState::Everywhere);
        for site in code.calls.borrow().iter() {
            self.link_native(site.method);
        }
        self.link(code.method, code);
    }

    fn make_function(&self, engine: &mut Engine, code: &Rc<Code>) -> Option<Function> {
        let blocks = Blocks::of(self, code, &code.heat.wanted.borrow())?;
        let guarded = self.compiler.guarded;
        let function = self.compiler.functions.len() as u32;
        let config = engine.module.isa().frontend_config();
        let source = TranslationInput { machine: self, code, blocks: &blocks, guarded, function, config };
        let (address, cells) = engine.translate(source)?;
        let unresolved = code.insns.iter().enumerate();
        let unresolved =
            unresolved.filter(|(_, place)| !reps::is_compiled(place.insn().op)).map(|(at, _)| at as u32);
        Some(Function {
            code: code.clone(),
            address,
            entries: blocks.entries,
            unresolved: unresolved.collect(),
            stale_exits: 0,
            missed: Vec::new(),
            is_outdated: false,
            is_final: false,
            poor_entries: 0,
            guarded,
            _cells: cells,
        })
    }

    /// Runs compiled code of the innermost frame, if it can be entered at the frame's position, and returns why
    /// it was left; the interpreter may simply have to continue. `None` if it could not be entered.
    pub(crate) fn enter_compiled(&mut self, code: &Rc<Code>, pc: u32, base: u32) -> Option<Option<Stop>> {
        if self.shadows.any() && !self.compiler.guarded {
            self.compiler.guarded = true;
            self.classes.clear_entries();
        }
        let at = (code.heat.function.get() as usize).checked_sub(1)?;
        if self.compiler.functions[at].is_stale(self.compiler.guarded) {
            self.classes.clear_entry(code.method);
            self.compile(code);
            return None;
        }
        let function = &mut self.compiler.functions[at];
        let entry = match (pc, function.entries.binary_search(&pc)) {
            (0, _) => FIRST_ENTRY,
            (_, Ok(at)) => FIRST_ENTRY + 1 + at as u64,
            (_, Err(_)) => {
                function.note_missed(pc);
                return None;
            }
        };
        let address = function.address;
        let here = 0u8;
        let outer = self.compiler.context.stack_limit;
        if !self.compiler.is_inside() {
            self.compiler.context.stack_limit = (&raw const here as u64).saturating_sub(STACK_BYTES as u64);
        } else if (&raw const here as u64) < outer {
            return None;
        }
        let depth = self.registers.frames.len() as u64 - 1;
        self.compiler.context.frame_limit = (self.limits.frames as u64).saturating_sub(1);
        self.compiler.context.slots = self.stack.raw_slots();
        self.refresh_context();
        let top = self.compiler.context.top;
        let fuel = self.fuel();
        // SAFETY: the address is that of code that Cranelift compiled with this signature. It was compiled for
        // this machine, whose fields it uses according to the invariants of this folder.
        let answer = unsafe {
            let run: CompiledEntry = std::mem::transmute(address);
            run(self, u64::from(base), depth, entry)
        };
        debug_assert_eq!(answer.state, LEFT, "the interpreter does the return: {}", answer.result);
        self.compiler.context.top = top;
        self.compiler.context.stack_limit = outer;
        if let Some(panic) = self.compiler.context.panic.take() {
            std::panic::resume_unwind(panic);
        }
        let function = &mut self.compiler.functions[at];
        if fuel.wrapping_sub(self.registers.fuel.saturating_add(self.registers.fuel_beyond)) < WORTH {
            function.poor_entries += 1;
            if function.poor_entries >= POOR_ENTRIES {
                let at_start = entry == FIRST_ENTRY;
                code.heat.entered.set(if at_start { EntryState::Inside } else { EntryState::Nowhere });
            }
        } else {
            function.poor_entries = 0;
        }
        Some(self.compiler.context.stop.take())
    }
}
