//! The class control-flow graph (§4): the control-flow graphs of all methods, connected by the class node and
//! by calls between methods.

mod blocks;
mod constants;
mod dot;
mod exceptions;
mod made;
mod reach;
mod svg;

pub use blocks::{Block, Blocks, Exit};
pub use constants::{KnownValue, Values};
pub use dot::dot;
pub use reach::{Failures, Reach, STEPS};
pub use svg::{drawing, svg};

use crate::flattened_class::FlatClass;
use crate::origin::{OperandOrigin, Origins};
use cupping_classfile::interpreter::Frame;
use cupping_classfile::{Action, Opcode};
use cupping_machine::Machine;
use std::collections::BTreeSet;

/// A position in the class: a method and an instruction.
pub type ProgramPoint = (usize, usize);

/// A call of a method of the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEdge {
    /// The callee.
    pub callee: usize,
    /// Whether it is known to be called on the same object; effects on other objects do not matter here.
    pub is_own: bool,
}

/// The class control-flow graph at instruction level.
pub struct ClassGraph {
    /// The callee at each method and instruction.
    pub calls: Vec<Vec<Option<CallEdge>>>,
    /// The call sites of each method.
    pub callers: Vec<Vec<ProgramPoint>>,
    /// Positions that call outside code which may call back.
    pub hooks: BTreeSet<ProgramPoint>,
    /// Methods that code of the class calls on objects other than its own: on those objects, they run between calls.
    pub on_others: BTreeSet<usize>,
    /// The variable accessed at each method and instruction.
    variables: Vec<Vec<Option<usize>>>,
    /// The origins of operands in each method.
    origins: Vec<Origins>,
    /// The number of operands that each instruction pops, by method.
    pops: Vec<Vec<usize>>,
    /// The number of locals of each method.
    locals: Vec<usize>,
    /// The variables that each method may define, directly or through calls.
    pub defined: Vec<BTreeSet<usize>>,
}

impl ClassGraph {
    /// Builds the graph.
    pub fn of(machine: &mut Machine, flat: &FlatClass) -> ClassGraph {
        let mut graph = ClassGraph {
            calls: Vec::new(),
            callers: vec![Vec::new(); flat.methods.len()],
            hooks: BTreeSet::new(),
            variables: Vec::new(),
            origins: Vec::new(),
            pops: Vec::new(),
            locals: flat.methods.iter().map(|body| usize::from(body.code.max_locals)).collect(),
            defined: Vec::new(),
            on_others: BTreeSet::new(),
        };
        for (method, body) in flat.methods.iter().enumerate() {
            let origins = Origins::of(machine, flat, body);
            let all = 0..body.instructions.len();
            let mut calls = Vec::with_capacity(all.len());
            for at in all.clone() {
                let callee = flat.callee(machine, body, at).and_then(|m| flat.method(m));
                if let Some(callee) = callee {
                    graph.callers[callee].push((method, at));
                }
                let receiver = origins.receiver(body, at);
                if callee.is_none() && flat.back.is_hook(body, at, origins.takes_this(body, at)) {
                    graph.hooks.insert((method, at));
                }
                let is_own = receiver.is_none_or(|origin| origin == OperandOrigin::This);
                let is_method = |callee: &usize| {
                    !flat.methods[*callee].is_static && !flat.methods[*callee].is_constructor()
                };
                graph.on_others.extend(callee.filter(|callee| !is_own && is_method(callee)));
                calls.push(callee.map(|callee| CallEdge { callee, is_own }));
            }
            graph.calls.push(calls);
            graph.variables.push(all.clone().map(|at| flat.variable_at(machine, body, at)).collect());
            graph.pops.push(all.map(|at| body.pops(at)).collect());
            graph.origins.push(origins);
            graph.defined.push(flat.defined_by(machine, body.method));
        }
        graph
    }

    /// The successors of an instruction: positions, and whether it may leave the method by return or
    /// exception.
    pub fn next(&self, flat: &FlatClass, (method, at): ProgramPoint) -> Successors {
        let body = &flat.methods[method];
        let opcode = body.instructions[at].opcode;
        let mut next = Successors { returns: opcode.is_return(), ..Successors::default() };
        let call = self.calls[method][at];
        // The callee's code comes in between.
        if call.is_none_or(|call| !call.is_own) {
            next.places.extend(body.targets[at].iter().map(|t| (method, *t)));
        }
        if opcode.may_throw() && !self.is_safe((method, at), opcode) {
            next.throws = body.guards(at).all(|h| h.catches.is_some());
            next.handlers.extend(body.guards(at).map(|h| (method, h.target)));
        }
        next
    }

    /// Whether a field access cannot fail: the object is `this`, or the class is initialised already.
    fn is_safe(&self, place: ProgramPoint, opcode: Opcode) -> bool {
        let is_known = self.variable(place).is_some();
        match opcode.action() {
            Action::GetStatic | Action::PutStatic => is_known,
            Action::GetField | Action::PutField => {
                self.operand(place, self.pops(place)) == Some(OperandOrigin::This)
            }
            _ => false,
        }
    }

    /// A frame of the shape that it has before an instruction, with `value` in every occupied slot.
    fn shape<V: Clone>(&self, (method, at): ProgramPoint, value: V) -> Frame<V> {
        let Some(known) = &self.origins[method].before[at] else {
            return Frame { locals: vec![Some(value); self.locals[method]], stack: Vec::new() };
        };
        let filled =
            |slots: &[Option<OperandOrigin>]| slots.iter().map(|slot| slot.map(|_| value.clone())).collect();
        Frame { locals: filled(&known.locals), stack: filled(&known.stack) }
    }

    /// The origin of an operand; depth 1 is the top.
    fn operand(&self, (method, at): ProgramPoint, depth: usize) -> Option<OperandOrigin> {
        let stack = &self.origins[method].before[at].as_ref()?.stack;
        stack.len().checked_sub(depth).and_then(|place| stack[place])
    }

    fn pops(&self, (method, at): ProgramPoint) -> usize {
        self.pops[method][at]
    }

    fn variable(&self, (method, at): ProgramPoint) -> Option<usize> {
        self.variables[method][at]
    }
}

/// The successors of an instruction.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    /// Fall-through or jump.
    pub places: Vec<ProgramPoint>,
    /// A caught exception.
    pub handlers: Vec<ProgramPoint>,
    /// Whether it returns.
    pub returns: bool,
    /// Whether an exception may leave the method.
    pub throws: bool,
}
