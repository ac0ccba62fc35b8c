//! Objects of the class that code of the class makes and then changes.

use super::ClassGraph;
use crate::accesses::Accesses;
use crate::flattened_class::FlatClass;
use cupping_classfile::{Constant, Opcode};
use cupping_machine::Machine;

impl ClassGraph {
    /// Whether a method makes or receives an object of the class and changes it other than by a constructor, such as a
    /// copy or a builder's product. Its state may then be one that no calls on it lead to.
    pub fn changes_made(&self, machine: &Machine, flat: &FlatClass, accesses: &Accesses) -> bool {
        let own = &*machine.class(flat.class).name;
        let result = format!(")L{own};");
        (0..flat.methods.len()).any(|method| {
            let body = &flat.methods[method];
            let gives = |at: usize| match body.constant(at) {
                Some(Constant::Class(name)) => body.instructions[at].opcode == Opcode::New && *name == *own,
                Some(Constant::Method { name, descriptor, .. }) => {
                    descriptor.ends_with(&result) || name == "clone" && descriptor == "()Ljava/lang/Object;"
                }
                _ => false,
            };
            (0..body.instructions.len()).any(gives) && self.changes_another(flat, accesses, method)
        })
    }

    /// Whether a method may change a variable of an object that is not its own, or the contents of one.
    fn changes_another(&self, flat: &FlatClass, accesses: &Accesses, method: usize) -> bool {
        let by_store = accesses.all.iter().filter(|it| it.method == method && !it.on_this).any(|access| {
            let variable = &flat.variables[access.variable];
            !variable.is_static && (access.is_definition || !variable.is_scalar())
        });
        let by_call = self.calls[method].iter().flatten().any(|call| {
            let callee = &flat.methods[call.callee];
            !call.is_own
                && !callee.is_constructor()
                && !callee.is_static
                && !self.defined[call.callee].is_empty()
        });
        by_store || by_call
    }
}
