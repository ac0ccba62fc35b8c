//! The class control-flow graph (§4): the control-flow graphs of all methods, joined by the class node and by the
//! calls between them.

mod blocks;
mod dot;
mod reach;
mod svg;

pub use blocks::{Block, Blocks, Exit};
pub use dot::dot;
pub use reach::Reach;
pub use svg::svg;

use crate::body::{may_throw, returns};
use crate::flat::Flat;
use crate::origin::{Origin, Origins};
use cupping_machine::Machine;

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
    /// By method: the places behind the calls of it.
    pub returns_to: Vec<Vec<Place>>,
}

impl ClassGraph {
    /// Builds the graph.
    pub fn of(machine: &mut Machine, flat: &Flat) -> ClassGraph {
        let mut graph = ClassGraph { calls: Vec::new(), returns_to: vec![Vec::new(); flat.methods.len()] };
        for (method, body) in flat.methods.iter().enumerate() {
            let origins = Origins::of(machine, flat, body);
            let mut calls = Vec::with_capacity(body.instructions.len());
            for at in 0..body.instructions.len() {
                let callee = flat.callee(machine, body, at).and_then(|m| flat.method(m));
                if let Some(callee) = callee {
                    let behind = body.targets[at].iter().map(|next| (method, *next));
                    graph.returns_to[callee].extend(behind);
                }
                let is_own = origins.receiver(body, at).is_none_or(|origin| origin == Origin::This);
                calls.push(callee.map(|callee| CallEdge { callee, is_own }));
            }
            graph.calls.push(calls);
        }
        graph
    }

    /// Where an instruction may go on: places, and whether it may leave the method by returning or by an exception.
    pub fn next(&self, flat: &Flat, (method, at): Place) -> Next {
        let body = &flat.methods[method];
        let opcode = body.instructions[at].opcode;
        let mut next = Next { returns: returns(opcode), ..Next::default() };
        let call = self.calls[method][at];
        if let Some(call) = call {
            next.places.push((call.callee, 0));
        }
        // What the callee does comes between.
        if call.is_none_or(|call| !call.is_own) {
            next.places.extend(body.targets[at].iter().map(|t| (method, *t)));
        }
        if may_throw(opcode) {
            next.throws = body.guards(at).all(|h| h.catches.is_some());
            next.handlers.extend(body.guards(at).map(|h| (method, h.target)));
        }
        next
    }
}

/// Where an instruction may go on.
#[derive(Clone, Debug, Default)]
pub struct Next {
    /// By going on, jumping or calling.
    pub places: Vec<Place>,
    /// By an exception that is caught.
    pub handlers: Vec<Place>,
    /// Whether it returns.
    pub returns: bool,
    /// Whether an exception may leave the method here.
    pub throws: bool,
}
