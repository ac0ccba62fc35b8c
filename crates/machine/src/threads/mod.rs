//! Threads: one runs at a time. It goes on until it blocks or ends, or until its turn is over; see [`schedule`] for
//! who is next. All of this depends on nothing but the program and the seed, so runs stay deterministic.
//!
//! A thread that is not running is its frames and its slots of the stack, kept aside.

mod deadlock;
mod dump;
mod fields;
mod lifecycle;
pub(crate) mod monitors;
pub(crate) mod races;
mod reach;
mod safepoint;
mod schedule;
mod stopped_thread;
mod waiting;

pub use reach::Reach;
pub use stopped_thread::{StopReason, StoppedThread};
