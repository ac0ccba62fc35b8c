//! The process: what it prints, how it ends, and what it does when it is interrupted or panics.

pub mod console;
pub mod exit;
pub mod internal_errors;
pub mod interrupt;
pub mod panics;
pub mod progress;
