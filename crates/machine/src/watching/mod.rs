//! Watching: calls of the methods in a [`WatchScope`] are told to an observer when they begin and when they
//! end. What the observer wants to know that only code can tell, it runs on a fork that is thrown away.

mod aside;
mod call;
mod calls;
pub(crate) mod listener;
mod scope;

pub use call::{Call, Left};
pub use scope::WatchScope;
