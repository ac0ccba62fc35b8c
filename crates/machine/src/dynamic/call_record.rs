//! The calls that a stub receives, as data.

use crate::classes::{ClassId, Kind};
use crate::state::Value;

/// A call that a stub has received.
#[derive(Clone, Debug, PartialEq)]
pub struct StubCall {
    /// The index of the method, in the order of `Machine::abstract_methods`.
    pub method: usize,
    /// Whether it has a result.
    pub has_result: bool,
    /// The arguments, with the kinds of their slots.
    pub arguments: Vec<(Kind, Value)>,
}

/// How the calls of a class of stubs are recorded: as a list whose first element is the last call.
#[derive(Clone, Debug)]
pub(crate) struct CallRecords {
    /// The class of an element.
    pub(super) class: ClassId,
    /// Where an element has the element before it, and the index of its method.
    pub(super) previous: u16,
    pub(super) method: u16,
    /// Where an element has the arguments of each method, and whether that has a result.
    pub(super) arguments: Vec<(Vec<(u16, Kind)>, bool)>,
    /// Where a stub has the last element, and the number of elements.
    pub(super) last: u16,
    pub(super) count: u16,
}
