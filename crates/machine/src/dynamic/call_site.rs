//! Linking and running call sites and dynamic constants.

use crate::classes::MethodId;
use crate::code::Insn;
use crate::exit::Step;
use crate::machine::Machine;
use cupping_classfile::ClassFile;
use std::sync::Arc;

impl Machine {
    /// Links the call site at this pool index: the index in `calls` of the synthetic static method that
    /// takes the call's arguments.
    pub(crate) fn resolve_dynamic(&mut self, file: &Arc<ClassFile>, index: u16) -> Step<usize> {
        let linkage = self.linkage(file, index)?;
        let method = self.link_call_site(&linkage)?;
        Ok(self.add_call(method))
    }

    /// Runs a linked call site.
    pub(crate) fn invoke_dynamic(&mut self, insn: Insn) -> Step<()> {
        let site = self.current().code.calls.borrow()[insn.b as usize];
        let args = self.current().sp - site.argument_slots as u32;
        self.invoke(site.method, args)
    }

    /// The static method without parameters that returns the dynamic constant at this pool index.
    pub(crate) fn dynamic_constant(&mut self, file: &Arc<ClassFile>, index: u16) -> Step<MethodId> {
        let linkage = self.linkage(file, index)?;
        self.link_constant(&linkage)
    }
}
