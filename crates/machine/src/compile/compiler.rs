//! The owner of compiled code.

use super::context::{Cells, Context, Record};
use crate::classes::MethodId;
use crate::code::{Code, Op};
use cranelift_codegen::Context as Compilation;
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::JITModule;
use cranelift_module::FuncId;
use std::collections::HashMap;
use std::mem::offset_of;
use std::rc::Rc;

/// Number of exits at instructions that have since been resolved, after which a method is recompiled.
const STALE_EXITS: u32 = 8;

/// How often the interpreter must reach an instruction without an entry, such as one after a call or in an
/// exception handler, before the method is recompiled with an entry there.
const MISSED_ENTRIES: u32 = 128;
/// The same number for further entries that are added on that occasion.
const ALSO_MISSED: u32 = MISSED_ENTRIES / 8;
/// Entries of one method at most.
const MOST_ENTRIES: usize = 48;

/// When methods are compiled. Their behaviour is the same.
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
    /// Indices of the instructions at which the interpreter may enter, in order; the number of an entry is its
    /// position + 2.
    pub(super) entries: Vec<u32>,
    /// Instructions that had no code because they were not resolved.
    pub(super) unresolved: Vec<u32>,
    pub(super) stale_exits: u32,
    /// Instructions where the interpreter wanted to enter, and how often, in order.
    pub(super) missed: Vec<(u32, u32)>,
    /// Whether another version is worth while.
    pub(super) is_outdated: bool,
    /// Whether resolved or missed instructions no longer lead to another version.
    pub(super) is_final: bool,
    pub(super) poor_entries: u32,
    pub(super) guarded: bool,
    /// Caches of call sites and casts; the code contains their addresses.
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
    /// Created when the first method becomes hot; `None` inside if the host does not support it.
    pub(super) engine: Option<Option<Engine>>,
    pub(super) functions: Vec<Function>,
    /// Addresses of the stand-ins for natives.
    pub(super) natives: HashMap<MethodId, usize>,
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
            natives: HashMap::default(),
            when: Compile::Never,
            pending: Vec::new(),
            guarded: false,
        }
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        if let Some(Some(engine)) = self.engine.take() {
            // SAFETY: code runs only while the machine that owns this is borrowed, so none runs now. Only the
            // table of entries holds addresses of the code, and it is dropped with the machine, too.
            unsafe { engine.module.free_memory() };
        }
    }
}

impl Function {
    /// Whether recompiling the method is worthwhile after what has since been resolved or missed.
    pub(super) fn is_stale(&self, guarded: bool) -> bool {
        self.guarded != guarded || self.is_outdated && !self.is_final
    }

    /// The interpreter found no entry at this instruction.
    pub(super) fn note_missed(&mut self, pc: u32) {
        if self.is_final {
            return;
        }
        let at = match self.missed.binary_search_by_key(&pc, |missed| missed.0) {
            Ok(at) => at,
            Err(at) => {
                self.missed.insert(at, (pc, 0));
                at
            }
        };
        self.missed[at].1 += 1;
        let mut wanted = self.code.heat.wanted.borrow_mut();
        if self.missed[at].1 < MISSED_ENTRIES || wanted.len() >= MOST_ENTRIES {
            return;
        }
        wanted.extend(self.missed.iter().filter(|missed| missed.1 >= ALSO_MISSED).map(|missed| missed.0));
        wanted.sort_unstable();
        wanted.dedup();
        self.is_outdated = true;
    }
}

impl Compiler {
    /// The offset of the context in this struct.
    pub(crate) const CONTEXT: usize = offset_of!(Compiler, context);

    /// Lets methods be compiled then.
    pub(crate) fn set(&mut self, when: Compile) {
        // Other ABIs do not return two results in registers, or lay out memory differently.
        let is_able = cfg!(all(unix, target_endian = "little", target_pointer_width = "64"));
        self.when = if is_able { when } else { Compile::Never };
    }

    /// Whether every method is compiled as soon as it is entered.
    #[inline(always)]
    pub(crate) fn is_eager(&self) -> bool {
        self.when == Compile::AtOnce
    }

    /// Whether compiled code is active below the current helper.
    pub(crate) fn is_inside(&self) -> bool {
        !self.context.top.is_null()
    }

    /// Removes the innermost record, for a nested run that is independent of the code below it.
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

    /// Counts an exit at an instruction that was not resolved when the code was made, but is now.
    pub(super) fn note_exit(&mut self, function: u32, pc: u32, is_resolved: impl Fn(Op) -> bool) {
        let function = &mut self.functions[function as usize];
        let op = function.code.insns[pc as usize].op.get();
        if function.unresolved.binary_search(&pc).is_ok() && is_resolved(op) {
            function.stale_exits += 1;
            function.is_outdated |= function.stale_exits >= STALE_EXITS;
        }
    }
}
