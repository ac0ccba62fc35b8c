//! Threads: one runs at a time. It continues until it blocks or ends, or until its turn is over; [`schedule`]
//! chooses the next one. All of this depends only on the program and the seed, so runs stay deterministic.
//!
//! A thread that is not running consists of its saved frames and stack slots.

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
mod turns;
mod waiting;

pub use reach::Reach;
pub use stopped_thread::{StopReason, StoppedThread};
