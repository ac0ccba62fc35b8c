//! Watching: calls are told to an observer, which may look at anything on a fork that leaves nothing behind.

pub(crate) mod calls;
