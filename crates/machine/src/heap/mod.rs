//! What is in memory: objects, arrays, strings, `Class` objects, and where their parts are.

mod changes;
pub(crate) mod layout;
mod objects;
