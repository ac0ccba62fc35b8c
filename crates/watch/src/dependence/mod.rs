//! What an observation depends on: the part of the state before a call that was read in a test, with its values.
//!
//! A triple from a suite applies to a call of the program if everything on which the value of its assertions depends
//! is the same as in the test. The [`Dependence`] of a call is that part of the state, as a graph: its *roots* are
//! the arguments and the static fields that were read, its *nodes* the objects that were reached, each with the
//! fields and elements of it that were read. Unread parts are not in the graph and may have any value.
//!
//! A state *fits* if its values are equal and its objects correspond one to one: one object in the test is one
//! object here, and two objects are two. The correspondence also tells which object of the program corresponds to an
//! object of the test. A dependence that could not be captured completely fits nothing.
//!
//! [`graph`] is the structure, [`reads`] records reads, [`mod@capture`] captures the graph from a machine, [`fit`]
//! compares it with another state.

mod builder;
mod capture;
mod difference;
mod fit;
mod graph;
mod natives;
mod reach;
mod reads;
mod statics;
#[cfg(test)]
mod tests;
mod unchanged_memory;

pub(crate) use capture::{CaptureSource, DependenceCapture, capture};
pub(crate) use graph::{Dependence, is_value};
pub(crate) use natives::{NativeReads, reads_of_native};
pub(crate) use reach::reached;
pub(crate) use reads::{Reads, WHOLE, value_at};
pub(crate) use statics::StaticNames;
pub(crate) use unchanged_memory::UnchangedMemory;
