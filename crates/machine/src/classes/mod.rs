//! Classes: the table of what has been loaded, and how a class gets there and is linked.

pub(crate) mod access;
pub(crate) mod class;
pub(crate) mod format;
pub(crate) mod guests;
mod hidden;
pub(crate) mod ids;
mod init;
pub(crate) mod kind;
pub(crate) mod link;
pub(crate) mod loaders;
pub(crate) mod method;
pub mod modules;
pub(crate) mod resolve;

pub use class::{Class, ClassKind, Field};
pub use ids::{ClassId, MethodId, SignatureId};
pub use kind::{Kind, parse_kinds, primitive_name};
pub use method::Telling;
