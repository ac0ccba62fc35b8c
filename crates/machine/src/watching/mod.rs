//! Watching: an observer is notified when calls of the methods in a [`WatchScope`] begin and end. To evaluate
//! code, such as a condition, the observer runs it on a temporary fork.

mod call;
mod calls;
pub(crate) mod listener;
mod scope;
mod scratch_run;

pub use call::{CallEnd, WatchedCall};
pub use scope::WatchScope;
