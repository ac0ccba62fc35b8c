//! `cupping merge`: files and reports of a command from the results of its jobs.

pub mod arguments;

use crate::process::console::bad_input;
use crate::shared::store::Stage;
use arguments::Arguments;
use cupping_report::files::Author;
use std::process::ExitCode;

/// The command line to run, and the stage of it.
pub fn stage(args: &Arguments) -> (Vec<String>, Stage) {
    (args.words.clone(), Stage::Merge)
}

/// Nothing: the command whose results are merged is run instead.
pub fn run(_: &'static Arguments, _: Author) -> ExitCode {
    ExitCode::from(bad_input("name the command whose results to merge").code())
}
