//! A watched call, as an observer sees it.

use crate::classes::MethodId;
use crate::memory::Addr;
use crate::state::Value;

/// A call that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchedCall {
    /// The method that runs.
    pub method: MethodId,
    /// Distinguishes this invocation from all others of the run.
    pub serial: u32,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// It returned this value.
    Returned(Value),
    /// It threw this exception.
    Threw(Addr),
}
