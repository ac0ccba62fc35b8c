//! Matching a sequence of instructions.

use crate::body::{CoveredBody, InstructionNode};
use cupping_classfile::{Constant, Opcode};

/// A position among the nodes of a method, and the local variables that the names of the pattern denote.
pub(super) struct Cursor<'a> {
    body: &'a CoveredBody<'a>,
    /// The node to be matched next.
    pub(super) at: usize,
    variables: Vec<(&'static str, u16)>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(body: &'a CoveredBody<'a>, at: usize) -> Cursor<'a> {
        Cursor { body, at, variables: Vec::new() }
    }

    /// Takes any node.
    pub(super) fn any(&mut self) -> Option<&'a InstructionNode> {
        let node = self.body.nodes.get(self.at)?;
        self.at += 1;
        Some(node)
    }

    /// Takes a node of this opcode.
    pub(super) fn op(&mut self, opcode: Opcode) -> Option<&'a InstructionNode> {
        self.any().filter(|node| node.opcode == opcode)
    }

    /// Matches a load or store of the variable that the pattern calls `name`.
    pub(super) fn variable(&mut self, opcode: Opcode, name: &'static str) -> Option<&'a InstructionNode> {
        let node = self.op(opcode)?;
        let local = node.local()?;
        match self.variables.iter().find(|known| known.0 == name) {
            Some((_, known)) => (*known == local).then_some(node),
            None => {
                self.variables.push((name, local));
                Some(node)
            }
        }
    }

    /// Takes an invocation of this method.
    pub(super) fn invoke(
        &mut self,
        opcode: Opcode,
        owner: &str,
        name: &str,
        descriptor: &str,
    ) -> Option<&'a InstructionNode> {
        let node = self.op(opcode)?;
        let method = self.method(node)?;
        (method == (owner.to_owned(), name.to_owned(), descriptor.to_owned())).then_some(node)
    }

    /// Owner, name and descriptor of the method that a node invokes.
    pub(super) fn method(&self, node: &InstructionNode) -> Option<(String, String, String)> {
        match self.body.file.constant(node.constant()?).ok()? {
            Constant::Method { class, name, descriptor, .. } => {
                Some((class.into_owned(), name.into_owned(), descriptor.into_owned()))
            }
            _ => None,
        }
    }
}
