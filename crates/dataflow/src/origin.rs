//! Origins of operands: a pass over a method that finds which operands are `this`, and which were loaded from a
//! variable.

use crate::body::AnalysedBody;
use crate::flattened_class::FlatClass;
use cupping_classfile::interpreter::{Domain, FieldAccess, Fixpoint, Frame, FrameMismatch, Site};
use cupping_classfile::{Action, Constant, Invocation, StackType, descriptor};
use cupping_machine::Machine;
use std::collections::BTreeSet;

/// The origin of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandOrigin {
    /// Anything else.
    Other,
    /// `this`.
    This,
    /// A load from a variable of `this`, or from a static one.
    Variable {
        /// The variable.
        variable: usize,
        /// The loading instruction.
        load: usize,
    },
    /// A load from a variable of an object that may be another than `this`.
    OfAnother {
        /// The variable.
        variable: usize,
        /// The loading instruction.
        load: usize,
    },
}

impl OperandOrigin {
    /// The variable that the operand was loaded from, and the loading instruction.
    pub fn loaded(self) -> Option<(usize, usize)> {
        match self {
            OperandOrigin::Variable { variable, load } | OperandOrigin::OfAnother { variable, load } => {
                Some((variable, load))
            }
            _ => None,
        }
    }
}

/// The origins before each instruction; `None` for unreachable ones.
pub struct Origins {
    /// Indexed by instruction.
    pub before: Vec<Option<Frame<OperandOrigin>>>,
    /// Loads whose values are merged with others.
    pub mixed: BTreeSet<usize>,
}

impl Origins {
    /// Analyses the code of a method.
    pub fn of(machine: &mut Machine, flat: &FlatClass, body: &AnalysedBody) -> Origins {
        let mut locals = vec![Some(OperandOrigin::Other); usize::from(body.code.max_locals)];
        // A nested class has another `this`.
        if let (false, Some(first)) = (body.is_static || flat.is_nested(body), locals.first_mut()) {
            *first = Some(OperandOrigin::This);
        }
        let mut domain = OriginDomain { machine, flat, body, mixed: BTreeSet::new() };
        let entry = Frame { locals, stack: Vec::new() };
        let found = Fixpoint::of(&mut domain, &body.file, &body.graph, entry);
        Origins { before: found.before, mixed: domain.mixed }
    }

    /// The origin of a call's receiver; `None` for static calls.
    pub fn receiver(&self, body: &AnalysedBody, at: usize) -> Option<OperandOrigin> {
        let called = match (body.instructions[at].action(), body.constant(at)?) {
            (Action::Invoke(Invocation::Static), _) => return None,
            (_, Constant::Method { descriptor, .. }) => descriptor,
            _ => return None,
        };
        let arguments = usize::from(descriptor::argument_slots(&called)?);
        let stack = &self.before[at].as_ref()?.stack;
        stack.len().checked_sub(arguments + 1).and_then(|place| stack[place])
    }
}

impl Origins {
    /// Whether `this` is an operand of an instruction.
    pub fn takes_this(&self, body: &AnalysedBody, at: usize) -> bool {
        let Some(before) = &self.before[at] else { return false };
        let taken = &before.stack[before.stack.len().saturating_sub(body.pops(at))..];
        taken.contains(&Some(OperandOrigin::This))
    }
}

struct OriginDomain<'a> {
    machine: &'a mut Machine,
    flat: &'a FlatClass,
    body: &'a AnalysedBody,
    mixed: BTreeSet<usize>,
}

impl Domain for OriginDomain<'_> {
    type Value = OperandOrigin;
    type Refusal = FrameMismatch;

    fn unknown(&mut self, _: &Site<'_>, _: StackType) -> Result<OperandOrigin, FrameMismatch> {
        Ok(OperandOrigin::Other)
    }

    fn load(
        &mut self,
        _: &Site<'_>,
        _: u16,
        value: Option<&OperandOrigin>,
    ) -> Result<OperandOrigin, FrameMismatch> {
        Ok(value.copied().unwrap_or(OperandOrigin::Other))
    }

    fn get_field(
        &mut self,
        site: &Site<'_>,
        _: &FieldAccess<'_>,
        object: Option<OperandOrigin>,
    ) -> Result<OperandOrigin, FrameMismatch> {
        let is_own = object.is_none_or(|object| object == OperandOrigin::This);
        let variable = self.flat.variable_at(self.machine, self.body, site.index);
        let variable = variable.filter(|variable| !self.flat.variables[*variable].is_scalar());
        let load = site.index;
        Ok(match variable {
            Some(variable) if is_own => OperandOrigin::Variable { variable, load },
            Some(variable) => OperandOrigin::OfAnother { variable, load },
            None => OperandOrigin::Other,
        })
    }

    fn join(
        &mut self,
        known: Option<&OperandOrigin>,
        other: Option<&OperandOrigin>,
    ) -> Option<OperandOrigin> {
        for mixed in [known, other].into_iter().flatten() {
            if let Some((_, load)) = mixed.loaded() {
                self.mixed.insert(load);
            }
        }
        Some(OperandOrigin::Other)
    }
}
