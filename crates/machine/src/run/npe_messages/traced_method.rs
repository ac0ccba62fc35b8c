//! A method of a stack trace, with the instructions that pushed the operands of the failed one.

use super::sources::Sources;
use crate::classes::MethodId;
use crate::machine::Machine;
use crate::run::exceptions::TraceRow;
use cupping_classfile::{Action, ClassFile, Code, Constant, Instruction, Invocation};

/// A method with the origins of its operands.
pub(super) struct TracedMethod<'a> {
    pub(super) file: &'a ClassFile,
    pub(super) code: &'a Code,
    pub(super) sources: Sources,
    pub(super) descriptor: &'a str,
    pub(super) is_static: bool,
}

impl TracedMethod<'_> {
    /// The action of the instruction.
    pub(super) fn action(&self, pc: u32) -> Option<Action> {
        self.sources.instruction(pc).map(Instruction::action)
    }

    /// The constant that the instruction names.
    pub(super) fn constant(&self, pc: u32) -> Option<Constant<'_>> {
        self.sources.instruction(pc)?.constant(self.file)
    }

    /// The depth below the top of the stack of the reference that the instruction dereferences: it is the
    /// operand that was pushed first.
    pub(super) fn null_depth(&self, pc: u32) -> Option<usize> {
        use Action::{
            ArrayLength, ArrayLoad, ArrayStore, GetField, Invoke, MonitorEnter, MonitorExit, PutField, Throw,
        };
        match self.action(pc)? {
            // A constructor is not called on null, since `new` created its object.
            Invoke(Invocation::Special) if matches!(self.constant(pc)?, Constant::Method { name, .. } if name == "<init>") =>
            {
                return None;
            }
            Invoke(how) if !how.has_receiver() => return None,
            GetField | PutField | ArrayLoad(_) | ArrayStore(_) | ArrayLength | Throw | MonitorEnter
            | MonitorExit | Invoke(_) => {}
            _ => return None,
        }
        let (pops, _) = self.sources.instruction(pc)?.slots(self.file)?;
        usize::from(pops).checked_sub(1)
    }
}

/// Asks about the method of a row of a stack trace.
pub(super) fn ask<R>(
    machine: &Machine,
    row: &TraceRow,
    question: impl FnOnce(&TracedMethod<'_>) -> Option<R>,
) -> Option<R> {
    let method = machine.method(row.method);
    let file = machine.class(method.class).file.clone()?;
    let code = class_code(machine, row.method)?;
    let sources = Sources::new(&file, &code, row.offset)?;
    let (descriptor, is_static) = (&*method.descriptor, method.is_static());
    question(&TracedMethod { file: &file, code: &code, sources, descriptor, is_static })
}

/// The code of a method as the class file has it.
fn class_code(machine: &Machine, method: MethodId) -> Option<std::sync::Arc<Code>> {
    let loaded = machine.method(method);
    let file = machine.class(loaded.class).file.as_ref()?;
    file.code(file.methods.get(loaded.index)?).ok()?.cloned()
}
