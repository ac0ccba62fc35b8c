//! Why the instruction loop leaves a frame.

use crate::exit::{Exit, Trap};

/// Why the loop over one frame was left.
pub(crate) enum Stop {
    /// Another frame is due, or this one continues elsewhere.
    Reload,
    /// The instruction did not complete; the frame is saved, and the trap may have pushed others.
    Trap(Trap),
    /// A frame without shadows met a shadow: the instruction runs again in the other loop.
    Symbolic,
    /// A safepoint is due, which gives this much fuel back.
    Safepoint(u64),
    /// The run ends or pauses.
    Exit(Exit),
}
