//! Decoded code: fixed-size instructions whose operands are resolved on first execution (*quickened*).

pub(crate) mod decode;
mod fuse;
pub(crate) mod heat;
pub(crate) mod heights;
pub(crate) mod replacement;
pub(crate) mod turns;

use crate::classes::{ClassId, MethodId};
use cupping_coverage::CheckSite;
use heat::Heat;
use std::cell::{Cell, RefCell};

/// One decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insn {
    /// The operation.
    pub op: Op,
    /// Small operand: local index, offset, count.
    pub a: u16,
    /// Large operand: constant, target (index of an instruction), pool index, site.
    pub b: i32,
}

/// A slot of code: an instruction, and its fused form with the instructions after it (see `fuse`). Execution
/// rewrites it once operands are resolved, hence the cells.
#[derive(Debug)]
pub struct CodeSlot {
    /// The operation to run here: that of the instruction, or of the sequence that begins with it.
    pub op: Cell<Op>,
    first: Cell<Op>,
    /// Small operand of the instruction.
    pub a: Cell<u16>,
    /// Large operand of the instruction; if it has none, that of a later one of the sequence.
    pub b: Cell<i32>,
    /// Small operand of an instruction after it.
    pub c: Cell<u16>,
    /// Large operand of an instruction after it.
    pub e: Cell<i32>,
    /// The slots of the frame that are in use before it, locals included (see `heights`).
    pub top: u32,
}

impl CodeSlot {
    /// A place with this instruction alone.
    pub fn new(insn: Insn, top: u32) -> CodeSlot {
        CodeSlot {
            op: Cell::new(insn.op),
            first: Cell::new(insn.op),
            a: Cell::new(insn.a),
            b: Cell::new(insn.b),
            c: Cell::new(0),
            e: Cell::new(0),
            top,
        }
    }

    /// The instruction at this place.
    pub fn insn(&self) -> Insn {
        Insn { op: self.first.get(), a: self.a.get(), b: self.b.get() }
    }

    /// Replaces the operation of this slot by another form of it.
    pub fn run_as(&self, op: Op) {
        self.op.set(op);
    }

    /// Puts another instruction here.
    pub fn set(&self, insn: Insn) {
        self.op.set(insn.op);
        self.first.set(insn.op);
        self.a.set(insn.a);
        self.b.set(insn.b);
    }
}

/// A site at which a symbolic value can decide, for coverage and for the constraint tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The method.
    pub method: MethodId,
    /// Index of the instruction in its decoded code.
    pub at: u32,
}

/// Code of one method.
#[derive(Debug)]
pub struct Code {
    /// The method.
    pub method: MethodId,
    /// Its class, against whose constant pool operands are resolved.
    pub class: ClassId,
    /// The instructions.
    pub insns: Box<[CodeSlot]>,
    /// Bytecode offset of each instruction.
    pub offsets: Box<[u32]>,
    /// Slots for locals.
    pub max_locals: u16,
    /// Slots for operands.
    pub max_stack: u16,
    /// Exception table in order.
    pub handlers: Box<[Handler]>,
    /// 64-bit constants.
    pub wide: Box<[u64]>,
    /// Tables of switches.
    pub switches: Box<[Switch]>,
    /// Requirements on the operands of instructions.
    pub checks: Box<[CheckSite]>,
    /// Resolved call sites, appended as they are reached.
    pub calls: RefCell<Vec<CallSite>>,
    /// The state of its compilation.
    pub(crate) heat: Heat,
}

/// A row of the exception table, in indices of instructions.
#[derive(Clone, Debug)]
pub struct Handler {
    /// First covered instruction.
    pub start: u32,
    /// First instruction after the covered ones.
    pub end: u32,
    /// Where the handler begins.
    pub target: u32,
    /// Internal name of the class caught; all for `None`.
    pub class_name: Option<Box<str>>,
}

/// Cases of a switch: sorted keys and their targets.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Key and target.
    pub cases: Box<[(i32, u32)]>,
    /// Where all other keys go.
    pub default: u32,
}

impl Switch {
    /// Where this key goes.
    #[inline]
    pub fn target(&self, key: i32) -> u32 {
        // Most tables have no gaps.
        let first = self.cases.first().map_or(0, |(first, _)| *first);
        match self.cases.get(key.wrapping_sub(first) as u32 as usize) {
            Some((found, target)) if *found == key => *target,
            _ => match self.cases.binary_search_by_key(&key, |(key, _)| *key) {
                Ok(at) => self.cases[at].1,
                Err(_) => self.default,
            },
        }
    }
}

/// A resolved invocation.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    /// The resolved method (for virtual calls: the one that is overridden).
    pub method: MethodId,
    /// Slots of receiver and arguments.
    pub argument_slots: u16,
    /// Last receiver class of an interface call, and what it resolved to.
    pub cached: Option<(ClassId, MethodId)>,
}

/// Declares the operations once: name, and description for listings.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Operations of decoded code. Those without a counterpart in JVMS §6 have a description.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        #[allow(missing_docs)]
        pub enum Op { $($(#[$doc])* $name),* }

        impl Op {
            /// Number of operations.
            pub(crate) const COUNT: usize = [$(Op::$name),*].len();
        }
    };
}

operations! {
    Nop, AConstNull,
    /// Push `b` as an int or the bits of a float.
    IConst,
    /// Push `wide[b]` as a long or the bits of a double.
    LConst,
    /// Load constant at pool index `b`, unresolved.
    Ldc,
    /// Load the reference cached in word `b` of memory; `a` is the pool index.
    LdcCached,
    /// Load or store one slot (int, float, reference) or two (long, double) of local `a`.
    Load1, Load2, Store1, Store2,
    IInc,
    IALoad, LALoad, AALoad, BALoad, CALoad, SALoad, FALoad, DALoad,
    IAStore, LAStore, AAStore, BAStore, CAStore, SAStore, FAStore, DAStore,
    Pop, Pop2, Dup, DupX1, DupX2, Dup2, Dup2X1, Dup2X2, Swap,
    IAdd, LAdd, FAdd, DAdd, ISub, LSub, FSub, DSub, IMul, LMul, FMul, DMul,
    IDiv, LDiv, FDiv, DDiv, IRem, LRem, FRem, DRem, INeg, LNeg, FNeg, DNeg,
    IShl, LShl, IShr, LShr, IUShr, LUShr, IAnd, LAnd, IOr, LOr, IXor, LXor,
    I2L, I2F, I2D, L2I, L2F, L2D, F2I, F2L, F2D, D2I, D2L, D2F, I2B, I2C, I2S,
    LCmp, FCmpL, FCmpG, DCmpL, DCmpG,
    IfEq, IfNe, IfLt, IfGe, IfGt, IfLe,
    IfICmpEq, IfICmpNe, IfICmpLt, IfICmpGe, IfICmpGt, IfICmpLe,
    IfACmpEq, IfACmpNe, IfNull, IfNonNull,
    Goto, Jsr, Ret,
    /// `switches[b]`, for both forms of switch.
    Switch,
    /// Return nothing, one slot, two slots.
    Return, Return1, Return2,
    /// Unresolved instruction with bytecode opcode `a` and pool index `b`.
    Unresolved,
    /// Field of an object at word `a`, of one or two slots.
    GetField1, GetField2, PutField1, PutField2,
    /// Field narrower than an int at word `a`; `b` is its [`Kind`](crate::classes::Kind).
    PutFieldNarrow,
    /// Static at word `a` of class `b`.
    GetStatic1, GetStatic2, PutStatic1, PutStatic2,
    /// Static narrower than an int: `b` is class id and kind (`class << 4 | kind`).
    PutStaticNarrow,
    /// `calls[b]`.
    InvokeVirtual, InvokeDirect, InvokeStatic, InvokeInterface,
    InvokeDynamic,
    /// New object of class `b`.
    New,
    /// New array of array class `b`.
    NewArray,
    /// New array of array class `b` with `a` given dimensions.
    MultiANewArray,
    ArrayLength, AThrow,
    /// Class `b`.
    CheckCast, InstanceOf,
    MonitorEnter, MonitorExit,
    /// Coverage probe `b`.
    Probe,
    /// Pauses the run before the next instruction if the place `b` is armed.
    Pause,
    /// Inspects the operands of the next instruction for `checks[b]`.
    Require,
    /// Field `b` is about to be accessed, for data flow. `a` is 0 for a read, and 1 or 2 for a write of one or
    /// two slots. Added to it are: 4 for a static field; 8 in code whose coverage is measured; 16 if the
    /// contents of a field of the object in local variable 0 are read (0) or changed (1); the bits above are for
    /// contents of other objects' fields (see `recording::data_flow::of_another`).
    Access,
    /// An array element is about to be accessed: read (`a` = 0) or written with one or two slots.
    ElementAccess,
    /// The turn of the thread may end before the next instruction, which accesses the object `b` slots below
    /// the top of the operand stack in the way that `a` states (see `turns`).
    Turn,
    /// Execution past the end of the code: a `VerifyError`.
    Trap,
    /// Calls of natives that run inside the loop in the plain case: `StringUTF16.getChar`, `putChar`, `length`.
    GetCharacter, PutCharacter, CountCharacters,
    // Fused sequences (see `crate::code::fuse`). The letters give the source of each operand: `l` for a local,
    // `k` for a constant, `s` for the stack; then `To` if the result goes to a local.
    IAddLl, IAddLk, IAddSl, IAddSk, IAddSsTo, IAddLlTo, IAddLkTo, IAddSlTo, IAddSkTo,
    ISubLl, ISubLk, ISubSl, ISubSk, ISubSsTo, ISubLlTo, ISubLkTo, ISubSlTo, ISubSkTo,
    IMulLl, IMulLk, IMulSl, IMulSk, IMulSsTo, IMulLlTo, IMulLkTo, IMulSlTo, IMulSkTo,
    IAndLl, IAndLk, IAndSl, IAndSk, IAndSsTo, IAndLlTo, IAndLkTo, IAndSlTo, IAndSkTo,
    IOrLl, IOrLk, IOrSl, IOrSk, IOrSsTo, IOrLlTo, IOrLkTo, IOrSlTo, IOrSkTo,
    IXorLl, IXorLk, IXorSl, IXorSk, IXorSsTo, IXorLlTo, IXorLkTo, IXorSlTo, IXorSkTo,
    IShlLl, IShlLk, IShlSl, IShlSk, IShlSsTo, IShlLlTo, IShlLkTo, IShlSlTo, IShlSkTo,
    IShrLl, IShrLk, IShrSl, IShrSk, IShrSsTo, IShrLlTo, IShrLkTo, IShrSlTo, IShrSkTo,
    IUShrLl, IUShrLk, IUShrSl, IUShrSk, IUShrSsTo, IUShrLlTo, IUShrLkTo, IUShrSlTo, IUShrSkTo,
    IDivSk, IRemSk, LShlSk, LShrSk, LUShrSk, LDivSk, LRemSk,
    LAddLl, LAddSl, LAddSk, LAddSsTo,
    LSubLl, LSubSl, LSubSk, LSubSsTo,
    LMulLl, LMulSl, LMulSk, LMulSsTo,
    LAndLl, LAndSl, LAndSk, LAndSsTo,
    LOrLl, LOrSl, LOrSk, LOrSsTo,
    LXorLl, LXorSl, LXorSk, LXorSsTo,
    DAddLl, DAddSl, DAddSk, DAddSsTo,
    DSubLl, DSubSl, DSubSk, DSubSsTo,
    DMulLl, DMulSl, DMulSk, DMulSsTo,
    DDivLl, DDivSl, DDivSk, DDivSsTo,
    /// Comparing jumps.
    IfICmpEqLl, IfICmpNeLl, IfICmpLtLl, IfICmpGeLl, IfICmpGtLl, IfICmpLeLl,
    IfICmpEqLk, IfICmpNeLk, IfICmpLtLk, IfICmpGeLk, IfICmpGtLk, IfICmpLeLk,
    IfICmpEqSl, IfICmpNeSl, IfICmpLtSl, IfICmpGeSl, IfICmpGtSl, IfICmpLeSl,
    IfICmpEqSk, IfICmpNeSk, IfICmpLtSk, IfICmpGeSk, IfICmpGtSk, IfICmpLeSk,
    IfEqL, IfNeL, IfLtL, IfGeL, IfGtL, IfLeL, IfNullL, IfNonNullL,
    /// A comparison that pushes an int, and a jump on that.
    LCmpIfEq, LCmpIfNe, LCmpIfLt, LCmpIfGe, LCmpIfGt, LCmpIfLe,
    DCmpLIfEq, DCmpLIfNe, DCmpLIfLt, DCmpLIfGe, DCmpLIfGt, DCmpLIfLe,
    DCmpGIfEq, DCmpGIfNe, DCmpGIfLt, DCmpGIfGe, DCmpGIfGt, DCmpGIfLe,
    /// Loads and what uses them.
    I2LAndK,
    LoadLoad, LoadStore, ConstStore, LoadDup, LoadReturn, LoadArrayLength, GetField1L, GetField2L, PutField1Sl, IIncGoto,
    IALoadLl, LALoadLl, AALoadLl, BALoadLl, CALoadLl, DALoadLl, IALoadSl, LALoadSl, AALoadSl, BALoadSl, CALoadSl, DALoadSl,
}
