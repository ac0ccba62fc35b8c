//! The bytecode verifier (JVMS §4.10): code that passes cannot confuse types, or leave its frame or its code.
//!
//! Two methods share one set of rules for the effect of an instruction ([`effect`]):
//!
//! - class files from version 50 on are *checked* against their `StackMapTable` in one pass ([`check`]);
//! - older ones, and those of version 50 that fail the check, are *inferred* by data flow ([`infer`]), with
//!   subroutines (`jsr`, `ret`) analysed once for each chain of calls.
//!
//! The effects of instructions are described here a second time, apart from the table of opcodes in
//! `cupping_classfile`. This is the oracle against which the table is tested (`tests.rs`), and the defence
//! against hostile code should not depend on the tables of the analyses.
//!
//! As on HotSpot, interfaces count as `Object` (the interpreter checks the receiver of `invokeinterface`),
//! classes are loaded only where names alone do not decide, and the classes of the JDK's image are trusted. A
//! class is verified when it is linked, before its initialisation; a failure is remembered.
//!
//! Work and memory are bounded: beyond [`MAX_WORK`] and [`MAX_SLOTS`] a class is refused.

mod assign;
mod check;
mod effect;
mod failure;
mod infer;
mod invoke;
mod member;
mod stack_map;
mod state;
#[cfg(test)]
mod tests;
mod types;

use crate::classes::ClassId;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use cupping_classfile::instructions::check_targets;
use cupping_classfile::reads::without_recording;
use cupping_classfile::{ClassFile, ClassFileError, Code, Instruction, Method, MethodDescriptor};
use failure::{Failure, VerifyResult, bad};
use rustc_hash::FxHashMap;
use state::TypeState;
use std::sync::Arc;
use types::{Type, Types};

/// Limit on the instructions and compared slots in the verification of one class.
const MAX_WORK: u64 = 500_000_000;
/// Slots of states that are kept at a time.
const MAX_SLOTS: usize = 16_000_000;

/// The method of verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    /// According to the version of the class file.
    ByVersion,
    /// Type inference, regardless of the version.
    Inference,
}

/// The verification of one class.
struct Verifier<'m> {
    machine: &'m mut Machine,
    file: Arc<ClassFile>,
    class: ClassId,
    types: Types,
    this: Type,
    super_type: Option<Type>,
    assignable: FxHashMap<(u32, u32), bool>,
    work: u64,
}

/// The method under verification.
struct VerifiedBody {
    name: Arc<str>,
    parsed: MethodDescriptor,
    is_static: bool,
    code: Arc<Code>,
    insns: Vec<Instruction>,
    /// The instruction at a pc; `u32::MAX` inside one.
    index_of: Vec<u32>,
    /// Catch types by row of the exception table.
    caught: Vec<Type>,
}

impl VerifiedBody {
    fn is_constructor(&self) -> bool {
        &*self.name == "<init>"
    }

    /// The index of the instruction that begins at this pc.
    fn at(&self, pc: u32) -> Option<usize> {
        self.index_of.get(pc as usize).copied().filter(|index| *index != u32::MAX).map(|index| index as usize)
    }
}

impl Machine {
    /// Verifies all methods of a class, whether it is trusted or not. If a method has a replaced body
    /// ([`Machine::replace_code`]), that body is verified; it has no `StackMapTable`, so it needs inference.
    ///
    /// # Errors
    ///
    /// `VerifyError`; `NoClassDefFoundError` for a missing class that a check needs.
    pub fn verify_class(&mut self, class: ClassId, how: Verification) -> Step<()> {
        let Some(file) = self.class(class).file.clone() else { return Ok(()) };
        let mut types = Types::default();
        let this = types.class(&file.name);
        let super_type = file.super_name.as_ref().map(|name| types.class(name));
        let mut verifier = Verifier {
            machine: self,
            file: file.clone(),
            class,
            types,
            this,
            super_type,
            assignable: FxHashMap::default(),
            work: 0,
        };
        let verdict = file.methods.iter().filter(|m| m.has_code).try_for_each(|it| verifier.method(it, how));
        match verdict {
            // A compiler's class fails only if another class is missing.
            Ok(()) => file.note_linked(),
            Err(_) => file.note_whole(),
        }
        verdict
    }
}

impl Verifier<'_> {
    fn method(&mut self, method: &Method, how: Verification) -> Step<()> {
        let mut pc = 0;
        let verdict = self.body(method).and_then(|body| {
            let version = self.file.major_version;
            if how == Verification::Inference || version < 50 {
                return self.infer(&body, &mut pc);
            }
            match self.check(&body, &mut pc) {
                // Compilers were allowed to get the tables wrong in the first version that has them.
                Err(Failure::Verify(_)) if version == 50 => self.infer(&body, &mut pc),
                other => other,
            }
        });
        verdict.map_err(|failure| match failure {
            Failure::Other(trap) => trap,
            Failure::Verify(what) => {
                let place = format!(
                    "{}.{}{} @{pc}",
                    self.file.name.replace('/', "."),
                    method.name,
                    method.descriptor
                );
                let message = format!("{what}\nException Details:\n  Location:\n    {place}");
                Trap::Raise("java/lang/VerifyError", Some(message))
            }
        })
    }

    /// The body as the class file has it. A job that links a class does not depend on bodies that it does not run.
    fn own_code(&self, method: &Method) -> Result<Option<Arc<Code>>, ClassFileError> {
        without_recording(|| self.file.code(method).map(|it| it.cloned()))
    }

    /// Decodes a method and checks what does not depend on types (JVMS §4.9.1).
    fn body(&mut self, method: &Method) -> VerifyResult<VerifiedBody> {
        let ids = &self.machine.class(self.class).methods;
        let id = ids.iter().find(|id| self.machine.method(**id).index == usize::from(method.index));
        let replaced = id.and_then(|id| self.machine.classes.replacement(*id)).cloned();
        let code = match replaced.map_or_else(|| self.own_code(method), |it| Ok(Some(it))) {
            Ok(Some(code)) => code,
            Ok(None) => return Err(bad("no code")),
            Err(error) => return Err(bad(error.to_string())),
        };
        let parsed = MethodDescriptor::parse(&method.descriptor).ok_or_else(|| bad("bad descriptor"))?;
        let insns = check_targets(&code.bytecode)
            .map_err(|error| bad(format!("Bad instruction, pc {}: {}", error.pc, error.problem)))?;
        let mut index_of = vec![u32::MAX; code.bytecode.len() + 1];
        for (index, insn) in insns.iter().enumerate() {
            index_of[insn.pc as usize] = index as u32;
        }
        let starts = |pc: u16| index_of[pc as usize] != u32::MAX;
        let mut caught = Vec::new();
        for row in &code.exception_table {
            let ends = row.end as usize == code.bytecode.len() || starts(row.end);
            if !starts(row.start) || !starts(row.handler) || !ends {
                return Err(bad(format!("Illegal exception table handler {}", row.handler)));
            }
            caught.push(self.types.class(row.catch_type.as_deref().unwrap_or("java/lang/Throwable")));
        }
        let throwable = self.types.class("java/lang/Throwable");
        for ty in &caught {
            if !self.assignable(*ty, throwable)? {
                return Err(bad("Catch type is not a subclass of Throwable in exception handler"));
            }
        }
        let is_static = method.access.is_static();
        if parsed.parameter_slots() as usize + !is_static as usize > code.max_locals as usize {
            return Err(bad("Arguments can't fit into locals"));
        }
        Ok(VerifiedBody { name: method.name.clone(), parsed, is_static, code, insns, index_of, caught })
    }

    /// The state at the first instruction (JVMS §4.10.1.6).
    fn first_state(&mut self, body: &VerifiedBody) -> TypeState {
        let mut state = TypeState { locals: Vec::new(), stack: Vec::new(), this_uninit: false };
        let mut next = 0;
        if !body.is_static {
            let is_uninit = body.is_constructor() && &*self.file.name != "java/lang/Object";
            state.store(0, if is_uninit { Type::UninitThis } else { self.this });
            state.this_uninit = is_uninit;
            next = 1;
        }
        for parameter in &body.parsed.parameters {
            let ty = self.types.field(parameter);
            state.store(next, ty);
            next += parameter.slots() as usize;
        }
        state
    }

    /// Counts work, of which there must be an end.
    fn spend(&mut self, work: usize) -> VerifyResult {
        self.work += work as u64;
        if self.work > MAX_WORK { Err(bad("the class is too complex to be verified")) } else { Ok(()) }
    }

    /// The loaded class that this name denotes within the class under verification.
    fn load(&mut self, name: &str) -> VerifyResult<ClassId> {
        if *name == *self.file.name {
            return Ok(self.class);
        }
        Ok(self.machine.load_for(self.class, name)?)
    }
}
