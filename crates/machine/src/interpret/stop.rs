//! Why the instruction loop leaves a frame.

use crate::exit::{Exit, Trap};

/// Why the loop over one frame was left.
pub(crate) enum Stop {
    /// Another frame is due, or this one goes on elsewhere.
    Reload,
    /// The instruction did not complete; the frame is saved, and the trap may have pushed others.
    Trap(Trap),
    /// A shadow was met by a frame that has none: the instruction is run again in the other loop.
    Symbolic,
    /// A safepoint is due, which gives so much fuel back.
    Safepoint(u64),
    /// The run ends or pauses.
    Exit(Exit),
}
