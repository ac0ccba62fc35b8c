//! The command line.
//!
//! `main` reads the arguments ([`cli`]) and hands over to the folder of the command ([`commands`]). Commands
//! share groups of arguments and the ways to do things ([`shared`]); those that work on classes are driven by
//! one frame ([`frame`]). Below both is what the process prints and how it ends ([`process`]). Arrows between
//! the folders point down in this order.
//!
//! Parts chosen: `clap` reads arguments (the field's standard; `lexopt` and `pico-args` would leave help
//! texts and suggestions to us), and `clap_complete` and `clap_mangen` make completions and man pages of the
//! same table. `indicatif` draws progress, on several lines at once and never in a pipe. `ctrlc` catches one
//! signal on all systems, which is all that is needed of `signal-hook`. Errors are plain lines: they are
//! about files without source text, for which `miette` and `ariadne` have nothing to draw.

mod cli;
mod commands;
mod frame;
mod process;
mod shared;

use clap::{CommandFactory, FromArgMatches};
use cli::Cli;
use process::{console, interrupt, panics};
use shared::{output, provenance};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut command = Cli::command();
    command.build();
    let matches = command.clone().get_matches_from(cli::as_java_users_type(std::env::args_os()));
    // The watchdog may need the arguments as long as the process lives.
    let cli: &'static Cli =
        Box::leak(Box::new(Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())));
    console::configure(output::console_settings(&matches));
    let author = provenance::of(&command, &matches);
    panics::install();
    interrupt::install(cli.command.patience());
    let ended = panics::catch(|| cli.command.run(author));
    if interrupt::interrupted() {
        // The command has reported. A JVM that is still starting has nobody else to end it.
        interrupt::end_now();
    }
    match ended {
        Ok(code) => code,
        Err(panic) => {
            console::error(&format!(
                "internal error: panic: {panic}; please report it with the command line"
            ));
            ExitCode::from(cli.command.panic_code())
        }
    }
}
