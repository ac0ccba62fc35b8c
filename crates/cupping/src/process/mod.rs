//! The process: its output, its end, and its reaction to interrupts and panics.

pub mod console;
pub mod effort;
pub mod exit;
pub mod internal_errors;
pub mod interrupt;
pub mod panics;
pub mod progress;
