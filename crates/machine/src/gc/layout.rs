//! The reference slots of objects by class, computed once per class.

use std::rc::Rc;

/// Where an object of a class holds references.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    /// An array of primitives.
    Primitives,
    /// An array of references.
    References,
    /// Fields at these words.
    Fields(Rc<[u16]>),
    /// A `java.lang.ref.Reference`: fields except the referent.
    Weak(Rc<[u16]>, Strength),
}

/// How a `Reference` holds its referent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// As long as there is memory.
    Soft,
    /// Not at all: weak and phantom references.
    Weak,
}
