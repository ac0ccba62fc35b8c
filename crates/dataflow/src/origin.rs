//! Origins of operands: a pass over a method that finds which operands are `this`, and which were loaded from
//! a variable.

use crate::body::{Body, local, stores_local};
use crate::flattened_class::FlatClass;
use crate::shuffle::{call_slots, effect, shuffle};
use cupping_classfile::Opcode;
use cupping_machine::Machine;
use std::collections::BTreeSet;

/// The origin of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
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
}

/// The origins of locals and operand stack before an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operands {
    locals: Vec<Origin>,
    /// The operand stack; its top is last.
    pub stack: Vec<Origin>,
}

/// The origins before each instruction; `None` for unreachable ones.
pub struct Origins {
    /// Indexed by instruction.
    pub before: Vec<Option<Operands>>,
    /// Loads whose values are merged with others.
    pub mixed: BTreeSet<usize>,
}

impl Origins {
    /// Analyses the code of a method.
    pub fn of(machine: &mut Machine, flat: &FlatClass, body: &Body) -> Origins {
        let mut found = Origins { before: vec![None; body.instructions.len()], mixed: BTreeSet::new() };
        let mut locals = vec![Origin::Other; usize::from(body.code.max_locals)];
        if let (false, Some(first)) = (body.is_static, locals.first_mut()) {
            *first = Origin::This;
        }
        let mut open = Vec::new();
        found.join(0, Operands { locals, stack: Vec::new() }, &mut open);
        while let Some(at) = open.pop() {
            let Some(before) = found.before[at].clone() else { continue };
            for handler in body.guards(at) {
                let caught = Operands { locals: before.locals.clone(), stack: vec![Origin::Other] };
                found.join(handler.target, caught, &mut open);
            }
            let Some(after) = step(machine, flat, body, at, before) else { continue };
            for next in &body.targets[at] {
                found.join(*next, after.clone(), &mut open);
            }
        }
        found
    }

    /// The origin of a call's receiver; `None` for static calls.
    pub fn receiver(&self, body: &Body, at: usize) -> Option<Origin> {
        let descriptor = match (body.instructions[at].opcode, body.constant(at)?) {
            (Opcode::Invokestatic, _) => return None,
            (_, cupping_classfile::Constant::Method { descriptor, .. }) => descriptor,
            _ => return None,
        };
        let (arguments, _) = call_slots(&descriptor)?;
        let stack = &self.before[at].as_ref()?.stack;
        stack.len().checked_sub(arguments + 1).map(|place| stack[place])
    }

    fn join(&mut self, at: usize, new: Operands, open: &mut Vec<usize>) {
        let Some(known) = &mut self.before[at] else {
            self.before[at] = Some(new);
            open.push(at);
            return;
        };
        // Subroutines, and code that the verifier rejects: give up on the stack.
        if known.stack.len() != new.stack.len() {
            return;
        }
        let mut changed = false;
        let both = known.locals.iter_mut().chain(&mut known.stack);
        for (old, new) in both.zip(new.locals.iter().chain(&new.stack)) {
            if old == new {
                continue;
            }
            for mixed in [*old, *new] {
                if let Origin::Variable { load, .. } = mixed {
                    self.mixed.insert(load);
                }
            }
            changed |= *old != Origin::Other;
            *old = Origin::Other;
        }
        if changed {
            open.push(at);
        }
    }
}

/// The origins after an instruction.
fn step(
    machine: &mut Machine,
    flat: &FlatClass,
    body: &Body,
    at: usize,
    mut now: Operands,
) -> Option<Operands> {
    let instruction = &body.instructions[at];
    let opcode = instruction.opcode;
    if shuffle(opcode, &mut now.stack).is_some() || opcode == Opcode::Checkcast {
        return Some(now);
    }
    let (pops, pushes) = effect(body, at)?;
    let taken = now.stack.split_off(now.stack.len().checked_sub(pops)?);
    if let (Some(number), true) = (local(instruction), stores_local(opcode)) {
        let slots = if opcode == Opcode::Iinc { 1 } else { pops };
        for slot in 0..slots {
            let value = if slots == 1 { taken.first().copied() } else { None };
            *now.locals.get_mut(usize::from(number) + slot)? = value.unwrap_or(Origin::Other);
        }
        return Some(now);
    }
    let pushed = match opcode {
        Opcode::Getfield if taken[0] == Origin::This => variable(machine, flat, body, at),
        Opcode::Getstatic => variable(machine, flat, body, at),
        _ => match (local(instruction), pushes) {
            (Some(number), 1) => now.locals.get(usize::from(number)).copied(),
            _ => None,
        },
    };
    now.stack.extend(std::iter::repeat_n(pushed.unwrap_or(Origin::Other), pushes));
    Some(now)
}

/// The origin of a loaded reference.
fn variable(machine: &mut Machine, flat: &FlatClass, body: &Body, at: usize) -> Option<Origin> {
    let variable = flat.variable_at(machine, body, at)?;
    (!flat.variables[variable].is_scalar()).then_some(Origin::Variable { variable, load: at })
}
