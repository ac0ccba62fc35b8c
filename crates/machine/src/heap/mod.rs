//! The heap: objects, arrays, strings and `Class` objects, and their layouts.

mod changes;
pub(crate) mod layout;
mod objects;
