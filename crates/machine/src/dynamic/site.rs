//! Call sites and dynamic constants, as class files describe them.

use crate::classes::ClassId;
use crate::classes::handle::Handle;
use std::rc::Rc;
use std::sync::Arc;

/// A static argument of a bootstrap method.
#[derive(Clone, Debug)]
pub(crate) enum StaticArgument {
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Text(Rc<[u16]>),
    Class(ClassId),
    MethodType(Arc<str>),
    Handle(Handle),
    Dynamic(Rc<BootstrapSite>),
}

/// A call site or dynamic constant to be linked.
#[derive(Clone, Debug)]
pub(crate) struct BootstrapSite {
    /// The class whose code has it.
    pub(crate) host: ClassId,
    /// Its constant pool index.
    pub(crate) index: u16,
    pub(crate) bootstrap: Handle,
    pub(crate) name: String,
    /// Type of the call site or of the constant.
    pub(crate) descriptor: String,
    pub(crate) arguments: Vec<StaticArgument>,
}
