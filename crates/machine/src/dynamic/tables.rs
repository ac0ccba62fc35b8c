//! Generated code for dynamic calls. This is not state: it depends on classes only.

use crate::classes::{ClassId, Kind, MethodId};
use crate::dynamic::signature::Signature;
use crate::dynamic::site::BootstrapSite;
use crate::memory::Addr;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::call_record::CallRecords;
use super::recipe::Recipe;
use super::shape::Shape;
use super::stub_result::StubResult;
use super::variable::Variable;

/// Facts about generated classes. All programs of a machine share them: call sites of the JDK, whose code they share as
/// well, keep the class that was generated for them, in whichever program that was.
#[derive(Default)]
pub(crate) struct GeneratedClasses {
    /// Constants that code of a synthetic class loads.
    pub(super) recipes: FxHashMap<ClassId, Vec<Recipe>>,
    /// Facts about the shapes of method handles.
    pub(super) handles: FxHashMap<ClassId, Shape>,
    /// Classes of variable handles.
    pub(super) variables: Vec<(ClassId, Variable)>,
}

/// The code generated so far for a program. This is not state: it depends on classes alone, as they do themselves.
#[derive(Clone, Default)]
pub(crate) struct Tables {
    /// Methods that return a dynamic constant, by class and pool index.
    pub(super) constants: FxHashMap<(ClassId, u16), MethodId>,
    /// What stands for the call sites of methods whose code has been replaced, by method, the class of its constants,
    /// place and pool index.
    pub(super) replaced_sites: FxHashMap<(MethodId, Option<ClassId>, usize, u16), MethodId>,
    /// Dynamic constants that are arguments of bootstrap methods.
    pub(super) arguments: FxHashMap<(ClassId, u16), Rc<BootstrapSite>>,
    /// Dynamic constants that are being read.
    pub(super) open_arguments: Vec<(ClassId, u16)>,
    /// Methods that unbox an object of unknown class, by kind and whether all numbers are accepted.
    pub(super) unboxing: FxHashMap<(Kind, bool), MethodId>,
    /// Shapes of method handles by what they do.
    pub(super) shapes: FxHashMap<String, ClassId>,
    /// Methods that signature-polymorphic calls go to, by class, name and descriptor.
    pub(super) linkers: FxHashMap<(bool, String, String), MethodId>,
    /// The target of a signature-polymorphic call for a receiver class.
    pub(super) linked: FxHashMap<(ClassId, MethodId), MethodId>,
    /// Methods that adapt a call to the type of a handle.
    pub(super) adapters: FxHashMap<(Signature, Signature, bool), MethodId>,
    /// `dropArguments` by list.
    pub(super) drop_by_list: Option<MethodId>,
    /// Methods that natives hand over to, by name.
    pub(super) glue: FxHashMap<&'static str, MethodId>,
    /// `makeLoop` of lists.
    pub(super) loop_of_lists: Option<MethodId>,
    /// Proxy classes by their interfaces.
    pub(super) proxies: FxHashMap<Vec<ClassId>, ClassId>,
    /// Classes that stand in for an implementation, by interface, results, and whether they record calls.
    pub(super) stubs: FxHashMap<(ClassId, Vec<StubResult>, bool), ClassId>,
    /// How classes of stubs record their calls.
    pub(super) call_records: FxHashMap<ClassId, Rc<CallRecords>>,
    /// Methods that call another one reflectively.
    pub(super) reflective: FxHashMap<MethodId, MethodId>,
    /// Words that hold the `MethodType` of a descriptor.
    pub(super) method_types: FxHashMap<Arc<str>, Addr>,
}
