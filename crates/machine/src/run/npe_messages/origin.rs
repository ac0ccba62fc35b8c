//! The origin of a reference: the instruction that pushed it, as determined for the messages of
//! `NullPointerException`.

use super::traced_method::{TracedMethod, ask};
use crate::machine::Machine;
use crate::run::exceptions::TraceRow;
use cupping_classfile::{Action, Constant, Literal, MethodDescriptor};

/// Casts and local variables between an operand and what pushed it, at most.
const MAX_STEPS: usize = 8;

/// Where an operand of an instruction comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceOrigin {
    /// An argument of the method: 0 is the receiver, if there is one.
    Argument(usize),
    /// The field of this name of a class.
    Field(String, String),
    /// The element of an array.
    Element,
    /// The result of this method of a class.
    Result(String, String),
    /// The constant `null`.
    Null,
    /// Another instruction, or several.
    Other,
}

impl Machine {
    /// The origin of the reference that the instruction at a row of a stack trace found null; `None` if the
    /// instruction needs none.
    pub fn null_origin(&self, row: &TraceRow) -> Option<ReferenceOrigin> {
        ask(self, row, |method| {
            let depth = method.null_depth(row.offset)?;
            Some(method.origin(row.offset, depth))
        })
    }

    /// The call whose result the instruction at a row of a stack trace found null.
    pub fn null_call(&self, row: &TraceRow) -> Option<TraceRow> {
        let offset =
            ask(self, row, |method| match method.source(row.offset, method.null_depth(row.offset)?)? {
                Source::Instruction(from) if matches!(method.action(from)?, Action::Invoke(_)) => Some(from),
                _ => None,
            })?;
        Some(TraceRow { offset, ..row.clone() })
    }

    /// The class, name and descriptor of the method that the instruction at a row of a stack trace names.
    pub fn named_method(&self, row: &TraceRow) -> Option<(String, String, String)> {
        ask(self, row, |method| match method.constant(row.offset)? {
            Constant::Method { class, name, descriptor, .. } => {
                Some((class.into(), name.into(), descriptor.into()))
            }
            _ => None,
        })
    }

    /// The origin of an argument of the call at a row of a stack trace; 0 is the receiver, if there is one.
    pub fn argument_origin(&self, row: &TraceRow, argument: usize) -> Option<ReferenceOrigin> {
        ask(self, row, |method| {
            let Action::Invoke(how) = method.action(row.offset)? else { return None };
            let Constant::Method { descriptor, .. } = method.constant(row.offset)? else { return None };
            let parameters = MethodDescriptor::parse(&descriptor)?.parameters;
            let widths = parameters.iter().map(|it| usize::from(it.slots()));
            let widths: Vec<usize> = how.has_receiver().then_some(1).into_iter().chain(widths).collect();
            let depth = widths.get(argument + 1..)?.iter().sum::<usize>() + widths.get(argument)? - 1;
            Some(method.origin(row.offset, depth))
        })
    }

    /// The origin of the index of the array access at a row of a stack trace.
    pub fn index_origin(&self, row: &TraceRow) -> Option<ReferenceOrigin> {
        ask(self, row, |method| {
            let is_access =
                matches!(method.action(row.offset)?, Action::ArrayLoad(_) | Action::ArrayStore(_));
            // The index is pushed right after the array.
            let depth = method.null_depth(row.offset).filter(|_| is_access)?.checked_sub(1)?;
            Some(method.origin(row.offset, depth))
        })
    }

    /// The origin of the reference that the cast at a row of a stack trace rejected.
    pub fn cast_origin(&self, row: &TraceRow) -> Option<ReferenceOrigin> {
        ask(self, row, |method| {
            let is_cast = method.action(row.offset)? == Action::CheckCast;
            is_cast.then(|| method.origin(row.offset, 0))
        })
    }

    /// The origin of the value that a field store at this position writes.
    pub fn stored_origin(&self, row: &TraceRow) -> Option<ReferenceOrigin> {
        ask(self, row, |method| {
            let is_store = matches!(method.action(row.offset)?, Action::PutField | Action::PutStatic);
            is_store.then(|| method.origin(row.offset, 0))
        })
    }
}

/// What pushed an operand: an instruction, or the caller.
enum Source {
    Argument(usize),
    Instruction(u32),
}

impl TracedMethod<'_> {
    /// The origin of the operand at `depth` of the instruction at `pc`, ignoring casts.
    fn origin(&self, pc: u32, depth: usize) -> ReferenceOrigin {
        let from = match self.source(pc, depth) {
            Some(Source::Argument(argument)) => return ReferenceOrigin::Argument(argument),
            Some(Source::Instruction(from)) => from,
            None => return ReferenceOrigin::Other,
        };
        let Some(instruction) = self.sources.instruction(from) else { return ReferenceOrigin::Other };
        match (instruction.literal(), instruction.action()) {
            (Some(Literal::Null), _) => ReferenceOrigin::Null,
            (_, Action::GetStatic | Action::GetField) => match self.constant(from) {
                Some(Constant::Field { class, name, .. }) => {
                    ReferenceOrigin::Field(class.into(), name.into())
                }
                _ => ReferenceOrigin::Other,
            },
            (_, Action::Invoke(_)) => match self.constant(from) {
                Some(Constant::Method { class, name, .. }) => {
                    ReferenceOrigin::Result(class.into(), name.into())
                }
                _ => ReferenceOrigin::Other,
            },
            (_, Action::ArrayLoad(_)) => ReferenceOrigin::Element,
            _ => ReferenceOrigin::Other,
        }
    }

    /// What pushed the operand at `depth` of the instruction at `pc`. Casts are ignored, and a local variable that is
    /// written once stands for what is written.
    fn source(&self, mut pc: u32, mut depth: usize) -> Option<Source> {
        for _ in 0..MAX_STEPS {
            let state = self.sources.at(pc)?;
            let from = state.operand(depth)?;
            let instruction = self.sources.instruction(from)?;
            if let Some(slot) = instruction.loaded_local() {
                let argument = self.argument_in(slot);
                if !state.was_written(slot) {
                    return argument.map(Source::Argument);
                }
                pc = self.sources.only_store(slot).filter(|_| argument.is_none())?;
            } else if instruction.action() == Action::CheckCast {
                pc = from;
            } else {
                return Some(Source::Instruction(from));
            }
            depth = 0;
        }
        None
    }

    /// The argument that a local variable holds on entry.
    fn argument_in(&self, slot: u16) -> Option<usize> {
        let parameters = MethodDescriptor::parse(self.descriptor)?.parameters;
        let widths = parameters.iter().map(|it| it.slots());
        let mut at = 0;
        for (argument, width) in (!self.is_static).then_some(1).into_iter().chain(widths).enumerate() {
            if at == slot {
                return Some(argument);
            }
            at += width;
        }
        None
    }
}
