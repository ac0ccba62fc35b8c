//! Classes: the table of what has been loaded, and how a class gets there and is linked.

pub(crate) mod access;
pub(crate) mod class;
pub(crate) mod format;
pub(crate) mod guests;
mod hidden;
mod init;
pub(crate) mod link;
pub(crate) mod loaders;
pub mod modules;
pub(crate) mod resolve;
