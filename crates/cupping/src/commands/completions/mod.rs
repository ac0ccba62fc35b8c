//! `cupping completions`: a completion script for a shell, from the table of commands.

pub mod arguments;

use crate::cli::Cli;
use crate::process::console;
use arguments::Arguments;
use clap::CommandFactory;
use cupping_report::files::Author;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &Arguments, _: Author) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cupping", &mut script);
    console::answer(&String::from_utf8_lossy(&script));
    ExitCode::SUCCESS
}
