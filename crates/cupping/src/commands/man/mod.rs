//! `cupping man`: man pages, from the table of commands.

pub mod arguments;

use crate::cli::Cli;
use crate::process::console;
use crate::process::exit::Status;
use crate::shared::write;
use arguments::Arguments;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use cupping_report::files::Author;
use std::path::Path;
use std::process::ExitCode;

/// Runs the command.
pub fn run(args: &Arguments, _: Author) -> ExitCode {
    let mut cli = Cli::command();
    cli.build();
    let done = match &args.folder {
        None => page(cli).map(|page| console::answer(&page)),
        Some(folder) => write_pages(folder, &cli, "cupping"),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console::error(&error);
            ExitCode::from(Status::BAD_INPUT.code())
        }
    }
}

fn page(command: Command) -> Result<String, String> {
    let mut page = Vec::new();
    let source = concat!("cupping ", env!("CARGO_PKG_VERSION"));
    Man::new(command).source(source).render(&mut page).map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Writes the page of a command, and those of its subcommands.
fn write_pages(folder: &Path, command: &Command, name: &str) -> Result<(), String> {
    for below in command.get_subcommands().filter(|it| it.get_name() != "help") {
        write_pages(folder, below, &format!("{name}-{}", below.get_name()))?;
    }
    let page = page(command.clone().name(name.to_owned()))?;
    write::file(&folder.join(format!("{name}.1")), page.as_bytes(), "name a writable folder")
}
