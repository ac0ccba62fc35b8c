//! The command line.
//!
//! `main` reads the arguments, hands over to one module per command, and turns what became of it into an exit
//! code ([`exit`]; a program that was [`run`] brings its own). `generate` is conducted by [`generate`]: it chooses the classes ([`selection`]), deals them out
//! to threads ([`jobs`]), and certifies, writes and reports what comes back.
//!
//! Parts chosen: `clap` reads arguments (the field's standard; `lexopt` and `pico-args` would leave help texts and
//! suggestions to us). `indicatif` draws progress, on several lines at once and never in a pipe. `ctrlc` catches
//! one signal on all systems, which is all that is needed of `signal-hook`. Errors are plain lines: they are about
//! files without source text, for which `miette` and `ariadne` have nothing to draw.

mod args;
mod author;
mod classes;
mod console;
mod dataflow;
mod dataflow_args;
mod doctor;
mod emission;
mod exhaust;
mod exhaust_args;
mod exhaust_tests;
mod exit;
mod explain;
mod facts;
mod generate;
mod guidance;
mod infer;
mod infer_args;
mod internal_errors;
mod interrupt;
mod jdks;
mod jobs;
mod mutants;
mod mutants_args;
mod names;
mod pages;
mod panics;
mod progress;
mod run;
mod run_args;
mod selection;
mod settle;
mod solve;
mod sources;
mod spec;
mod spec_args;
mod statistics;
mod testable;
mod watch;

use args::{Cli, Command};
use clap::{CommandFactory, FromArgMatches};
use cupping_report::files::Author;
use exit::Status;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let mut command = Cli::command();
    command.build();
    let matches = command.clone().get_matches_from(args::as_java_users_type(std::env::args_os()));
    // Whoever speaks last, the watchdog or a command, may ask for it as long as the process lives.
    let cli: &'static Cli =
        Box::leak(Box::new(Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())));
    let author = author::of(&command, &matches);
    panics::install();
    // What has nothing to keep ends at once.
    let ends_at_once =
        matches!(cli.command, Command::Run(_) | Command::Spec(_) | Command::Solve(_) | Command::Doctor(_));
    interrupt::install(if ends_at_once { Duration::ZERO } else { interrupt::PATIENCE });
    let ended = panics::catch(|| dispatch(&cli.command, author));
    if interrupt::interrupted() {
        // What the command had to say is said. A JVM that is still starting has nobody else to end it.
        interrupt::end_now();
    }
    match ended {
        Ok(code) => code,
        Err(panic) => {
            console::error(&format!(
                "internal error: panic: {panic}; please report it with the command line"
            ));
            let is_run = matches!(cli.command, Command::Run(_) | Command::Watch(_));
            ExitCode::from(if is_run { run::UNSUPPORTED } else { Status::WRONG.code() })
        }
    }
}

fn dispatch(command: &'static Command, author: Author) -> ExitCode {
    let status = match command {
        Command::Generate(args) => generate::generate(args, author),
        Command::Dataflow(args) => dataflow::dataflow(args, &author),
        Command::Infer(args) => infer::infer(args, &author),
        Command::Run(args) => return run::run(args),
        Command::Mutants(args) => mutants::mutants(args),
        Command::Spec(args) => return spec::run(args),
        Command::Watch(args) => return watch::run(args),
        Command::Exhaust(args) => return exhaust::run(args, &author),
        Command::Solve(args) => solve::solve(args),
        Command::Doctor(args) => doctor::doctor(args),
    };
    ExitCode::from(status.code())
}
