//! `cupping run`: a Java program on the machine.

pub mod arguments;

use crate::process::console;
use crate::process::exit::Status;
use crate::shared::program;
use arguments::Arguments;
use cupping_report::files::Author;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &Arguments, _: Author) -> ExitCode {
    let code = match program::start(&args.program) {
        Ok((mut machine, main_class, arguments)) => {
            program::launch(&args.program, &mut machine, &main_class, &arguments)
        }
        Err(message) => {
            console::error(&message);
            Status::BAD_INPUT.code()
        }
    };
    ExitCode::from(code)
}
