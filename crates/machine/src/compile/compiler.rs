//! The owner of compiled code.

use super::context::{Cells, Context, Record};
use crate::code::Code;
use cranelift_codegen::Context as Compilation;
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::JITModule;
use cranelift_module::FuncId;
use std::mem::offset_of;
use std::rc::Rc;

/// Exits at instructions that were not resolved yet after which a method is compiled anew.
const STALE_EXITS: u32 = 8;

/// Backward jumps to where code cannot be entered, since it was reached by an exception alone or through what was not
/// resolved then, after which a method is compiled anew.
const MISSED_ENTRIES: u32 = 256;

/// When methods are compiled. What they do is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compile {
    /// Never: the interpreter runs alone.
    Never,
    /// Those that run often.
    #[default]
    Hot,
    /// Each when it is entered first, for tests.
    AtOnce,
}

/// A compiled method.
pub(super) struct Function {
    pub(super) code: Rc<Code>,
    pub(super) address: *const u8,
    /// Where the interpreter may enter: index of the instruction, in order; the number of an entry is its place + 2.
    pub(super) loops: Vec<u32>,
    /// Instructions that had no code because they were not resolved.
    pub(super) unresolved: Vec<u32>,
    pub(super) stale_exits: u32,
    pub(super) missed_entries: u32,
    pub(super) poor_entries: u32,
    pub(super) guarded: bool,
    /// What call sites and casts found last; the code has their addresses.
    pub(super) _cells: Cells,
}

/// Cranelift, and where its code is.
pub(super) struct Engine {
    pub(super) module: JITModule,
    pub(super) compilation: Compilation,
    pub(super) builder: FunctionBuilderContext,
    pub(super) helpers: Vec<FuncId>,
}

/// The owner of compiled code.
pub(crate) struct Compiler {
    pub(crate) context: Context,
    /// Made when the first method is hot; `None` inside if the host cannot have it.
    pub(super) engine: Option<Option<Engine>>,
    pub(super) functions: Vec<Function>,
    pub(super) when: Compile,
    /// Room for records that become frames.
    pub(super) pending: Vec<*mut Record>,
    /// Whether code looks for shadows in memory.
    pub(super) guarded: bool,
}

impl Default for Compiler {
    fn default() -> Compiler {
        Compiler {
            context: Context::default(),
            engine: None,
            functions: Vec::new(),
            when: Compile::Never,
            pending: Vec::new(),
            guarded: false,
        }
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        if let Some(Some(engine)) = self.engine.take() {
            // SAFETY: code runs only while the machine that owns this is borrowed, so none does now; and nobody else
            // has addresses of it but the table of entries, which goes with the machine, too.
            unsafe { engine.module.free_memory() };
        }
    }
}

impl Function {
    /// Whether it is worth while to compile the method anew, by what has been resolved or happened since.
    pub(super) fn is_stale(&self, guarded: bool) -> bool {
        self.guarded != guarded || self.stale_exits >= STALE_EXITS || self.missed_entries >= MISSED_ENTRIES
    }
}

impl Compiler {
    /// Where the context is in this.
    pub(crate) const CONTEXT: usize = offset_of!(Compiler, context);

    /// Lets methods be compiled then.
    pub(crate) fn set(&mut self, when: Compile) {
        // Elsewhere two results are not returned in registers, or memory is laid out in another way.
        let is_able = cfg!(all(unix, target_endian = "little", target_pointer_width = "64"));
        self.when = if is_able { when } else { Compile::Never };
    }

    /// Whether every method is compiled as soon as it is entered.
    #[inline(always)]
    pub(crate) fn is_eager(&self) -> bool {
        self.when == Compile::AtOnce
    }

    /// Whether compiled code is on the way below the present helper.
    pub(crate) fn is_inside(&self) -> bool {
        !self.context.top.is_null()
    }

    /// Takes the innermost record away, for a run that has nothing to do with what is below.
    pub(crate) fn suspend(&mut self) -> *mut Record {
        std::mem::replace(&mut self.context.top, std::ptr::null_mut())
    }

    /// Puts it back.
    pub(crate) fn resume(&mut self, top: *mut Record) {
        self.context.top = top;
    }

    pub(super) fn is_guarded(&self) -> bool {
        self.guarded
    }

    pub(super) fn code_of(&self, function: u32) -> Rc<Code> {
        self.functions[function as usize].code.clone()
    }

    /// Counts an exit at an instruction that was not resolved when the code was made.
    pub(super) fn note_exit(&mut self, function: u32, pc: u32) {
        let function = &mut self.functions[function as usize];
        if function.unresolved.binary_search(&pc).is_ok() {
            function.stale_exits += 1;
        }
    }
}
