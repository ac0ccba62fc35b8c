//! Shapes of method handles: the code that all handles of one behaviour share.

use super::signature::Signature;
use crate::classes::MethodId;
use crate::classes::handle::Handle;

/// Facts about the method handles of a shape.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// The type of the handles.
    pub(crate) signature: Signature,
    /// The method that an invocation runs; its receiver is the handle.
    pub(crate) invoke: MethodId,
    /// Whether trailing arguments are collected into an array.
    pub(crate) varargs: bool,
    /// The member, of a direct handle.
    pub(crate) handle: Option<Handle>,
}
