//! Linking and running call sites and dynamic constants.

use crate::classes::MethodId;
use crate::code::Insn;
use crate::dynamic::site::BootstrapSite;
use crate::dynamic::{bootstrap, concat, lambda, record, switch};
use crate::exit::Step;
use crate::machine::Machine;
use cupping_classfile::ClassFile;
use std::sync::Arc;

impl Machine {
    /// Links the call site at this pool index: the index in `calls` of the synthetic static method that
    /// takes the call's arguments.
    pub(crate) fn resolve_dynamic(&mut self, file: &Arc<ClassFile>, index: u16) -> Step<usize> {
        let (caller, at) = (self.current().code.method, self.current().pc as usize);
        // Each mutant of a method is decoded anew, but its call sites are those of the other mutants.
        let is_replaced = self.classes.replacement(caller).is_some();
        let key = (caller, self.classes.constants_of_replacement(caller), at, index);
        if let Some(method) = self.dynamic.replaced_sites.get(&key).copied().filter(|_| is_replaced) {
            return Ok(self.add_call(method));
        }
        let linkage = bootstrap::linkage(self, file, index)?;
        let method = link_call_site(self, &linkage)?;
        if is_replaced {
            self.dynamic.replaced_sites.insert(key, method);
        }
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
        let linkage = bootstrap::linkage(self, file, index)?;
        bootstrap::link_constant(self, &linkage)
    }
}

/// The static method that stands for a call site.
fn link_call_site(m: &mut Machine, linkage: &BootstrapSite) -> Step<MethodId> {
    let owner = m.class(linkage.bootstrap.class).name.clone();
    match (&*owner, linkage.bootstrap.name.as_str()) {
        ("java/lang/invoke/LambdaMetafactory", "metafactory" | "altMetafactory") => {
            lambda::link_lambda(m, linkage)
        }
        ("java/lang/invoke/StringConcatFactory", "makeConcat") => concat::link_concat(m, linkage, false),
        ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants") => {
            concat::link_concat(m, linkage, true)
        }
        ("java/lang/runtime/ObjectMethods", "bootstrap") => record::link_record(m, linkage),
        ("java/lang/runtime/SwitchBootstraps", "typeSwitch") => switch::link_switch(m, linkage, false),
        ("java/lang/runtime/SwitchBootstraps", "enumSwitch") => switch::link_switch(m, linkage, true),
        _ => bootstrap::link_user_site(m, linkage),
    }
}
