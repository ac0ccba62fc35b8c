//! Runs: booting, entering methods, exceptions, and a program from its `main` to its end.

pub(crate) mod boot;
pub(crate) mod exceptions;
mod frames;
pub(crate) mod launch;
