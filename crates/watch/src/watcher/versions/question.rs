//! What tests ask of an object.

use crate::shape::Shape;
use cupping_machine::MethodId;

/// A call that tests make of objects of a class.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) method: MethodId,
    /// The arguments without the receiver: numbers, strings, and null.
    pub(super) arguments: Vec<Shape>,
}
