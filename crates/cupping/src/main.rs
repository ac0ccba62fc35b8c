//! The command line.
//!
//! `main` reads the arguments ([`cli`]), adds what `cupping.toml` and the surrounding project set ([`invocation`]),
//! and calls the folder of the command ([`commands`]). Commands share groups of arguments and common operations
//! ([`shared`]); those that work on classes are driven by one frame ([`frame`]). Below both are the output and the
//! end of the process ([`process`]). Dependencies between the folders point down in this order.
//!
//! Libraries: `clap` reads arguments (the standard choice; `lexopt` and `pico-args` would leave help texts and
//! suggestions to us), and `clap_complete` and `clap_mangen` generate completions and man pages from the same table.
//! `indicatif` draws progress, on several lines at once and never in a pipe. `ctrlc` catches one signal on all
//! systems, which is all that is needed of `signal-hook`. Errors are plain lines: they concern files without source
//! text, for which `miette` and `ariadne` have nothing to draw.

mod cli;
mod commands;
mod frame;
mod invocation;
mod process;
mod shared;

use invocation::Invocation;
use process::{console, interrupt, panics};
use shared::provenance;
use std::process::ExitCode;

fn main() -> ExitCode {
    let runs = match invocation::read(std::env::args_os()) {
        Ok(runs) => runs,
        Err(code) => return code,
    };
    // The watchdog may need the arguments as long as the process lives.
    let runs: &'static [Invocation] = Vec::leak(runs);
    panics::install();
    if let Some(first) = runs.first() {
        interrupt::install(first.cli.command.patience());
    }
    let mut codes = Vec::new();
    for run in runs {
        if let Some(module) = &run.module {
            console::say(&format!("{module}\n"));
        }
        codes.push(conduct(run));
        if interrupt::interrupted() {
            break;
        }
    }
    invocation::joined(&codes)
}

/// Runs a command; its exit code.
fn conduct(run: &'static Invocation) -> ExitCode {
    let Invocation { cli, matches, command, configured, module: _ } = run;
    let author = provenance::of(command, matches, configured);
    let ended = panics::catch(|| cli.command.run(author));
    if interrupt::interrupted() {
        // The command has reported. Only this ends a JVM that is still starting.
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
