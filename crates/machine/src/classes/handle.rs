//! Method handles as constant pools name them.

use super::ids::ClassId;
use cupping_classfile::MethodHandleKind;

/// A resolved `MethodHandle` constant.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) kind: MethodHandleKind,
    pub(crate) class: ClassId,
    pub(crate) name: String,
    pub(crate) descriptor: String,
}
