//! Constants that code of a synthetic class loads.

use crate::classes::handle::Handle;
use crate::classes::{ClassId, MethodId};
use std::rc::Rc;
use std::sync::Arc;

/// A reference that generated code loads with `ldc`.
#[derive(Clone, Debug)]
pub(crate) enum Recipe {
    /// An interned string.
    Text(Rc<[u16]>),
    /// A `Class` object.
    Class(ClassId),
    /// A `MethodType` by descriptor.
    MethodType(Arc<str>),
    /// A `MethodHandle`.
    Handle(Handle),
    /// The reflective `Method` of a method.
    Method(MethodId),
    /// A `MethodHandles.Lookup` with full access to the class.
    Lookup(ClassId),
}
