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

/// What the restoration of a state costs, in units of fuel.
pub const FUEL_OF_RESTORATION: u64 = 50;

/// Number of words of memory that are as expensive to allocate, keep and compare as one unit of fuel.
pub const WORDS_OF_FUEL: u32 = 16;

impl Machine {
    /// Runs until the entry method ends, a decision is due, or a limit is met.
    pub fn run(&mut self) -> Exit {
        self.shadows.begin_instruction();
        let (nested, fuel, used) = (self.spent_in_runs, self.fuel(), self.used_words());
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
        let grown = self.used_words().saturating_sub(used);
        let taken = fuel.saturating_sub(self.fuel()).saturating_add(u64::from(grown / WORDS_OF_FUEL));
        // A run includes those nested in it. One without a limit that is interrupted has taken all there is.
        self.spent_in_runs = nested.saturating_add(taken);
        exit
    }
}
