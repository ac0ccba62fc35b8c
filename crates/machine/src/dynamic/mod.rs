//! `invokedynamic`, dynamic constants and method handles.
//!
//! The bootstrap methods of the JDK that javac uses are done by the machine itself: the call site becomes
//! a call of a method that the machine makes (*synthetic*), so shadows pass through it as through any code.

use crate::class::ClassId;
use crate::code::Insn;
use crate::exit::{Step, Trap};
use crate::machine::Machine;
use crate::memory::Addr;
use crate::resolve::Handle;
use crate::state::Value;
use cupping_classfile::ClassFile;
use std::sync::Arc;

impl Machine {
    /// Links the call site at this pool index: the index in `calls` of the synthetic static method that
    /// takes the call's arguments.
    pub(crate) fn resolve_dynamic(&mut self, file: &Arc<ClassFile>, index: u16) -> Step<usize> {
        let _ = (file, index);
        Err(Trap::unsupported("invokedynamic"))
    }

    /// Runs a linked call site.
    pub(crate) fn invoke_dynamic(&mut self, insn: Insn) -> Step<()> {
        let site = self.current().code.calls.borrow()[insn.b as usize];
        let args = self.current().sp - site.argument_slots as u32;
        self.invoke(site.method, args)
    }

    /// The resolved form of a signature-polymorphic call (JVMS §2.9.3), or `None` for an ordinary method of
    /// the class.
    pub(crate) fn polymorphic_call(
        &mut self,
        class: ClassId,
        name: &str,
        descriptor: &str,
    ) -> Step<Option<Insn>> {
        let _ = (class, name, descriptor);
        Ok(None)
    }

    /// A dynamically computed constant.
    pub(crate) fn dynamic_constant(
        &mut self,
        file: &Arc<ClassFile>,
        bootstrap: u16,
        name: &str,
        descriptor: &str,
    ) -> Step<Value> {
        let _ = (file, bootstrap, descriptor);
        Err(Trap::unsupported(format!("dynamic constant {name}")))
    }

    /// The `MethodType` object of a descriptor.
    pub(crate) fn method_type(&mut self, descriptor: &str) -> Step<Addr> {
        Err(Trap::unsupported(format!("MethodType {descriptor}")))
    }

    /// The `MethodHandle` object of a handle.
    pub(crate) fn method_handle_object(&mut self, handle: &Handle) -> Step<Addr> {
        Err(Trap::unsupported(format!("MethodHandle of {}{}", handle.name, handle.descriptor)))
    }
}
