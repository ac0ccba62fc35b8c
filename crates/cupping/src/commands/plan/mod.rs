//! `cupping plan`: the jobs of a command, one per line.
//!
//! The command itself runs at the stage of a plan, which [`crate::invocation`] arranges: so its options are read and
//! its classes selected by the same code.

pub mod arguments;

use crate::process::console::bad_input;
use crate::shared::store::Stage;
use arguments::Arguments;
use cupping_report::files::Author;
use std::process::ExitCode;

/// The command line to run, and the stage of it.
pub fn stage(args: &Arguments) -> (Vec<String>, Stage) {
    (args.words.clone(), Stage::Plan { words: args.words.clone() })
}

/// Never called: the planned command runs instead.
pub fn run(_: &'static Arguments, _: Author) -> ExitCode {
    ExitCode::from(bad_input("name the command to plan").code())
}
