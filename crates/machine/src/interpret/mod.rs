//! The instruction loop.
//!
//! It exists twice: `SYMBOLIC` for frames whose slots may have shadows, and concrete for all others, which
//! pays nothing for symbols but a test on loads from memory. A concrete frame that meets a shadow becomes
//! symbolic and runs the instruction again.
//!
//! What an instruction does is a method of the `Cursor`, in the file of its family; all of them are
//! inlined here.

mod arithmetic;
mod calls;
mod cursor;
mod dispatch;
mod elements;
mod fused_sequences;
mod inlined_natives;
mod jumps;
mod objects;
mod step;
mod stop;

pub(crate) use elements::out_of_bounds;
pub(crate) use objects::narrow_kind;
pub(crate) use stop::Stop;

use crate::exit::Exit;
use crate::machine::Machine;
use cursor::Leave;

impl Machine {
    /// Runs until the entry method ends, a decision is due, or a limit is met.
    pub fn run(&mut self) -> Exit {
        self.shadows.begin_instruction();
        // A nested run is independent of the compiled code below it.
        let below = self.compiler.suspend();
        let exit = loop {
            let symbolic = match self.registers.frames.last() {
                Some(frame) => frame.symbolic,
                None => break Exit::Returned(self.registers.result),
            };
            let leave = if symbolic { self.run_loop::<true>(None) } else { self.run_loop::<false>(None) };
            if let Leave::Exit(exit) = leave {
                break exit;
            }
        };
        self.compiler.resume(below);
        exit
    }
}
