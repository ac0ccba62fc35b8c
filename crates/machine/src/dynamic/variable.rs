//! The variable that a variable handle accesses.

use crate::classes::ClassId;
use std::sync::Arc;

/// The variable that a variable handle refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum VariablePlace {
    /// A field of objects of a class.
    Field { class: ClassId, offset: u16, is_final: bool },
    /// A static field.
    Static { class: ClassId, offset: u16, is_final: bool },
    /// Elements of arrays of a class.
    Element(ClassId),
    /// Numbers that lie in a `byte[]`, with the byte order.
    Bytes { big_endian: bool },
}

/// A kind of variable handle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variable {
    pub(super) place: VariablePlace,
    pub(super) coordinates: Vec<Arc<str>>,
    pub(super) descriptor: Arc<str>,
}

impl Variable {
    /// Whether it is a final field.
    pub(super) fn is_read_only(&self) -> bool {
        matches!(
            self.place,
            VariablePlace::Field { is_final: true, .. } | VariablePlace::Static { is_final: true, .. }
        )
    }
}
