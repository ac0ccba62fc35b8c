//! Runs: booting, entering methods, exceptions, and a program from its `main` to its end.

mod boot;
mod boot_error;
pub(crate) mod exceptions;
mod frames;
mod inspection;
pub(crate) mod launch;
pub(crate) mod npe_messages;

pub use boot_error::BootError;
