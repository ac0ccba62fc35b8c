//! `cupping merge`: combines the results of a command's jobs into its files and reports.

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

/// Never called: the command whose results are merged runs instead.
pub fn run(_: &'static Arguments, _: Author) -> ExitCode {
    ExitCode::from(bad_input("name the command whose results to merge").code())
}
