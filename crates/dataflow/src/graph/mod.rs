//! The class control-flow graph (§4): the control-flow graphs of all methods, joined by the class node and by the
//! calls between them.

mod blocks;
mod constants;
mod dot;
mod reach;
mod svg;

pub use blocks::{Block, Blocks, Exit};
pub use constants::{Known, Values};
pub use dot::dot;
pub use reach::{Failures, Reach, STEPS};
pub use svg::svg;

use crate::flat::Flat;
use crate::origin::{Origin, Origins};
use cupping_classfile::interpreter::Frame;
use cupping_classfile::{Action, Opcode};
use cupping_machine::Machine;
use std::collections::BTreeSet;

/// A place in the class: a method and one of its instructions.
pub type Place = (usize, usize);

/// A call of a method of the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEdge {
    /// The method called.
    pub callee: usize,
    /// Whether it is known to be called on the same object; what it does to another is no matter here.
    pub is_own: bool,
}

/// The class control-flow graph, instruction by instruction.
pub struct ClassGraph {
    /// By method and instruction: the method of the class called there.
    pub calls: Vec<Vec<Option<CallEdge>>>,
    /// By method: the places that call it.
    pub callers: Vec<Vec<Place>>,
    /// Places that call code outside the class which may call methods of it back.
    pub hooks: BTreeSet<Place>,
    /// By method and instruction: the variable whose field is accessed there.
    variables: Vec<Vec<Option<usize>>>,
    /// By method: where operands come from.
    origins: Vec<Origins>,
    /// By method: the operands that each instruction takes.
    pops: Vec<Vec<usize>>,
    /// By method: locals.
    locals: Vec<usize>,
    /// By method: the variables that it may define, through its calls.
    pub defined: Vec<BTreeSet<usize>>,
}

impl ClassGraph {
    /// Builds the graph.
    pub fn of(machine: &mut Machine, flat: &Flat) -> ClassGraph {
        let mut graph = ClassGraph {
            calls: Vec::new(),
            callers: vec![Vec::new(); flat.methods.len()],
            hooks: BTreeSet::new(),
            variables: Vec::new(),
            origins: Vec::new(),
            pops: Vec::new(),
            locals: flat.methods.iter().map(|body| usize::from(body.code.max_locals)).collect(),
            defined: Vec::new(),
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
                let on_this = receiver == Some(Origin::This);
                if callee.is_none() && flat.back.is_hook(machine, body, at, on_this) {
                    graph.hooks.insert((method, at));
                }
                let is_own = receiver.is_none_or(|origin| origin == Origin::This);
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

    /// Where an instruction may go on: places, and whether it may leave the method by returning or by an exception.
    pub fn next(&self, flat: &Flat, (method, at): Place) -> Next {
        let body = &flat.methods[method];
        let opcode = body.instructions[at].opcode;
        let mut next = Next { returns: opcode.is_return(), ..Next::default() };
        let call = self.calls[method][at];
        // What the callee does comes between.
        if call.is_none_or(|call| !call.is_own) {
            next.places.extend(body.targets[at].iter().map(|t| (method, *t)));
        }
        if opcode.may_throw() && !self.is_safe((method, at), opcode) {
            next.throws = body.guards(at).all(|h| h.catches.is_some());
            next.handlers.extend(body.guards(at).map(|h| (method, h.target)));
        }
        next
    }

    /// Whether an access to a field cannot fail: it is one of `this`, or of a class that is initialised already.
    fn is_safe(&self, place: Place, opcode: Opcode) -> bool {
        let is_known = self.variable(place).is_some();
        match opcode.action() {
            Action::GetStatic | Action::PutStatic => is_known,
            Action::GetField | Action::PutField => {
                self.operand(place, self.pops(place)) == Some(Origin::This)
            }
            _ => false,
        }
    }

    /// A frame of the shape that it has before an instruction, with `value` wherever there is one.
    fn shape<V: Clone>(&self, (method, at): Place, value: V) -> Frame<V> {
        let Some(known) = &self.origins[method].before[at] else {
            return Frame { locals: vec![Some(value); self.locals[method]], stack: Vec::new() };
        };
        let filled =
            |slots: &[Option<Origin>]| slots.iter().map(|slot| slot.map(|_| value.clone())).collect();
        Frame { locals: filled(&known.locals), stack: filled(&known.stack) }
    }

    /// Where an operand comes from, counted from the top, which is 1.
    fn operand(&self, (method, at): Place, depth: usize) -> Option<Origin> {
        let stack = &self.origins[method].before[at].as_ref()?.stack;
        stack.len().checked_sub(depth).and_then(|place| stack[place])
    }

    fn pops(&self, (method, at): Place) -> usize {
        self.pops[method][at]
    }

    fn variable(&self, (method, at): Place) -> Option<usize> {
        self.variables[method][at]
    }
}

/// Where an instruction may go on.
#[derive(Clone, Debug, Default)]
pub struct Next {
    /// By going on or jumping.
    pub places: Vec<Place>,
    /// By an exception that is caught.
    pub handlers: Vec<Place>,
    /// Whether it returns.
    pub returns: bool,
    /// Whether an exception may leave the method here.
    pub throws: bool,
}
