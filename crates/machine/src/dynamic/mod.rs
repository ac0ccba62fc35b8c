//! `invokedynamic`, dynamic constants, method handles, variable handles and proxies.
//!
//! The bootstrap methods of the JDK that javac uses are done by the machine itself: the call site becomes
//! a call of a method that the machine makes (*synthetic*), so shadows pass through it as through any code.
//! Method handles are objects of synthetic subclasses of `MethodHandle`, one for each *shape*: what the
//! handle does is the code of its class, what it does it with is in its fields.

mod assemble;
mod bootstrap;
mod combine;
mod concat;
mod convert;
mod factory;
mod glue;
mod handle;
mod lambda;
mod lookup;
mod loops;
mod member;
mod method_type;
mod proxy;
mod record;
mod reflect;
mod reveal;
mod signature;
mod stub;
mod switch;
mod synthetic;
mod var_handle;

use crate::classes::{ClassId, Kind, MethodId};
use crate::code::Insn;
use crate::exit::Step;
use crate::machine::Machine;
use crate::memory::Addr;
use crate::natives::Native;
use assemble::Recipe;
use cupping_classfile::ClassFile;
use rustc_hash::FxHashMap;
use signature::Signature;
use std::rc::Rc;
use std::sync::Arc;
pub use stub::StubResult;

/// Rows for the table of natives.
pub(crate) const NATIVES: &[&[Native]] = &[
    factory::NATIVES,
    handle::NATIVES,
    combine::NATIVES,
    lookup::NATIVES,
    loops::NATIVES,
    reveal::NATIVES,
    method_type::NATIVES,
    proxy::NATIVES,
    var_handle::NATIVES,
];

/// What the machine has made so far. This is not state: it depends on classes alone, as they do themselves.
#[derive(Default)]
pub(crate) struct Tables {
    /// Constants that code of a synthetic class loads.
    recipes: FxHashMap<ClassId, Vec<Recipe>>,
    /// Methods that return a dynamic constant, by class and pool index.
    constants: FxHashMap<(ClassId, u16), MethodId>,
    /// Dynamic constants that are arguments of bootstrap methods.
    arguments: FxHashMap<(ClassId, u16), Rc<bootstrap::Linkage>>,
    /// Those that are being read.
    open_arguments: Vec<(ClassId, u16)>,
    /// Methods that unbox an object of unknown class, by kind and whether all numbers are taken.
    unboxing: FxHashMap<(Kind, bool), MethodId>,
    /// Shapes of method handles by what they do.
    shapes: FxHashMap<String, ClassId>,
    /// What is known of a shape.
    handles: FxHashMap<ClassId, handle::Shape>,
    /// Methods that signature-polymorphic calls go to, by class, name and descriptor.
    linkers: FxHashMap<(bool, String, String), MethodId>,
    /// What a signature-polymorphic call runs on a receiver of a class.
    linked: FxHashMap<(ClassId, MethodId), MethodId>,
    /// Methods that adapt a call to the type of a handle.
    adapters: FxHashMap<(Signature, Signature, bool), MethodId>,
    /// Classes of variable handles.
    variables: Vec<(ClassId, var_handle::Variable)>,
    /// `dropArguments` by list.
    drop_by_list: Option<MethodId>,
    /// Methods that natives hand over to, by name.
    glue: FxHashMap<&'static str, MethodId>,
    /// The services of the JDK's modules, once they have been read.
    pub(crate) services: Option<crate::natives::Catalog>,
    /// Hidden classes, with the host of the nest of each.
    pub(crate) hidden: FxHashMap<ClassId, ClassId>,
    /// `makeLoop` of lists.
    loop_of_lists: Option<MethodId>,
    /// Proxy classes by their interfaces.
    proxies: FxHashMap<Vec<ClassId>, ClassId>,
    /// Classes that stand in for an implementation, by interface and results.
    stubs: FxHashMap<(ClassId, Vec<StubResult>), ClassId>,
    /// Methods that call another one reflectively.
    reflective: FxHashMap<MethodId, MethodId>,
    /// Words that hold the `MethodType` of a descriptor.
    method_types: FxHashMap<Arc<str>, Addr>,
}

/// Classes whose static initialisers belong to the machinery that this module replaces.
pub(crate) fn skips_initializer(class: &str) -> bool {
    matches!(
        class,
        "java/lang/invoke/MethodHandle"
            | "java/lang/invoke/VarHandle"
            | "java/lang/invoke/CallSite"
            // Opens the JDK's image.
            | "sun/net/www/protocol/jrt/JavaRuntimeURLConnection"
    )
}

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
