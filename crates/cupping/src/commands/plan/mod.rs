//! `cupping plan`: the jobs of a command, a line each.
//!
//! The command itself is run, at the stage of a plan ([`crate::invocation`] sees to that): so its options are read and
//! its classes selected in the one way that there is.

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

/// Nothing: the command that is planned is run instead.
pub fn run(_: &'static Arguments, _: Author) -> ExitCode {
    ExitCode::from(bad_input("name the command to plan").code())
}
