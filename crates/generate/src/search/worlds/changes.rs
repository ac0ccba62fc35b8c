//! The operations that change what an operation has read that threw.

use super::failures::Failure;
use crate::search::Search;
use cupping_classfile::{Action, Constant, instructions};
use cupping_machine::{Addr, ClassId, MethodId};

impl Search<'_> {
    /// Notes where an operation has thrown an exception.
    pub(super) fn note_failure(&mut self, exception: Addr) {
        let machine = &*self.machine;
        let rows = machine.stack_trace(exception).into_iter();
        let own = rows.filter(|row| !machine.class(machine.method(row.method).class).from_jdk);
        let failure = own.map(|row| (row.method, row.offset)).collect();
        self.worlds.failures.note(failure);
    }

    /// The operations that change what a failed one has read: those that concern the refusal, and the others.
    pub(super) fn changes_after(&mut self, goal: usize, failure: &Failure) -> [Vec<usize>; 2] {
        let mut near = Vec::new();
        let invokable = self.worlds.neighbourhood.operations[goal].invokable.clone();
        for (method, offset) in failure {
            if let Some((class, asked)) = self.asked_before(*method, *offset) {
                self.add_changes(goal, class, asked, true, &mut near);
            }
            if *method != invokable.method {
                self.add_changes(goal, self.machine.method(*method).class, *method, true, &mut near);
            }
        }
        let mut far = Vec::new();
        self.add_changes(goal, invokable.class, invokable.method, false, &mut far);
        far.retain(|it| !near.contains(it));
        [near, far]
    }

    /// Adds the operations that change what a method reads; if `is_near`, only those on objects of its class.
    fn add_changes(
        &mut self,
        goal: usize,
        class: ClassId,
        method: MethodId,
        is_near: bool,
        found: &mut Vec<usize>,
    ) {
        let reads = self.influence.effects(self.machine, class, method);
        for at in 0..self.worlds.neighbourhood.operations.len() {
            let operation = &self.worlds.neighbourhood.operations[at];
            let other = operation.invokable.clone();
            if at == goal || !operation.changes || !other.has_receiver() || found.contains(&at) {
                continue;
            }
            let machine = &*self.machine;
            let is_same = machine.is_subtype(class, other.class) || machine.is_subtype(other.class, class);
            if is_near && !is_same {
                continue;
            }
            if self.influence.effects(self.machine, other.class, other.method).influences(&reads) {
                found.push(at);
            }
        }
    }

    /// The method of the application that a method has called last, in the order of its code, before it threw.
    pub(super) fn asked_before(&mut self, method: MethodId, offset: u32) -> Option<(ClassId, MethodId)> {
        let declared = self.machine.method(method);
        let file = self.machine.class(declared.class).file.clone()?;
        let code = file.code(file.methods.get(declared.index)?).ok()??;
        let mut last = None;
        for instruction in instructions(&code.bytecode).map_while(Result::ok) {
            if instruction.pc >= offset {
                break;
            }
            if let (Action::Invoke(_), Some(Constant::Method { class, name, descriptor, .. })) =
                (instruction.action(), instruction.constant(&file))
                && &*name != "<init>"
                && let Some(class) = self.machine.loaded(&class)
                && !self.machine.class(class).from_jdk
            {
                last = self.machine.find_method(class, &name, &descriptor).map(|it| (class, it)).or(last);
            }
        }
        last
    }
}
