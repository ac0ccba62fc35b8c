//! State that a run can change besides memory: frames, operand stack and registers. A snapshot covers all of
//! it.

pub(crate) mod cold;
mod frame;
mod persistent;
mod registers;
mod snapshot;
pub(crate) mod stack;
mod value;

pub use frame::{Frame, Purpose};
pub use persistent::{OrderedMap, PersistentMap};
pub use registers::{HeapShadow, Registers};
pub use snapshot::Snapshot;
pub(crate) use snapshot::Weight;
pub(crate) use stack::{STACK_MASK, STACK_RESERVE, STACK_SLOTS};
pub use value::{Shadow, Value};
