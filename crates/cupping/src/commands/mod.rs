//! The commands. A new one is a folder with two files, `arguments.rs` and `mod.rs`, and two lines here.

pub mod check;
pub mod completions;
pub mod dataflow;
pub mod diff;
pub mod doctor;
pub mod exhaust;
pub mod generate;
pub mod infer;
pub mod init;
pub mod man;
pub mod mcp;
pub mod merge;
pub mod mutants;
pub mod plan;
pub mod project;
pub mod run;
pub mod solve;
pub mod spec;
pub mod watch;
pub mod work;

use crate::process::exit::Status;
use crate::process::interrupt::PATIENCE;
use crate::shared::program::UNSUPPORTED;
use crate::shared::selection::ClassArgs;
use crate::shared::store::StoreArgs;
use clap::Subcommand;
use cupping_report::files::Author;
use std::process::ExitCode;
use std::time::Duration;

/// The meaning of Ctrl-C and of a panic for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandKind {
    /// It has results to keep when it is interrupted.
    Analysis,
    /// It has none, and ends at once.
    Query,
    /// It runs a program, whose end is its own.
    Program,
    /// It runs a program and reports on it.
    Test,
}

/// Declares the commands: a row has the help text, the name, the folder, and the kind of command.
macro_rules! commands {
    ($($(#[doc = $help:literal])+ $name:ident => $folder:ident, $kind:ident;)+) => {
        /// The commands.
        #[derive(Debug, Subcommand)]
        pub enum Command {
            $($(#[doc = $help])+
            #[command(after_help = $folder::arguments::HELP)]
            $name(Box<$folder::arguments::Arguments>),)+
        }

        impl Command {
            /// Runs the command; its exit code.
            pub fn run(&'static self, author: Author) -> ExitCode {
                match self {
                    $(Command::$name(arguments) => $folder::run(arguments, author),)+
                }
            }

            fn kind(&self) -> CommandKind {
                match self {
                    $(Command::$name(_) => CommandKind::$kind,)+
                }
            }
        }
    };
}

commands! {
    /// Write certified JUnit tests for classes
    Generate => generate, Analysis;
    /// Report which generated tests fail, and why; rewrite them
    Check => check, Analysis;
    /// Find the definition-use pairs of classes, and a sequence of calls for each
    Dataflow => dataflow, Analysis;
    /// Find likely specifications of classes, and tests that break what other tests suggest
    Infer => infer, Analysis;
    /// Compare two versions of classes, and find calls on which they behave differently
    Diff => diff, Analysis;
    /// Run a Java program on the machine, isolated from this computer
    Run => run, Program;
    /// Put small faults into classes and count how many each suite of tests detects
    Mutants => mutants, Analysis;
    /// Check or lay out specifications in TestJava
    Spec => spec, Query;
    /// Run a Java program in test mode: every call is checked against the triples of specifications
    Watch => watch, Test;
    /// Run a method on every input within a scope, and check what it does
    Exhaust => exhaust, Analysis;
    /// Ask the solver again what a saved query holds
    Solve => solve, Query;
    /// List the jobs of a command on classes, to be divided among computers
    Plan => plan, Analysis;
    /// Do jobs of a plan, and keep their results
    Work => work, Analysis;
    /// Combine the results of a command's jobs into its files and reports
    Merge => merge, Analysis;
    /// Show the surrounding project: modules, class paths, test frameworks, and the folders for tests
    Project => project, Query;
    /// Write a cupping.toml with every option, to be edited
    Init => init, Query;
    /// Answer questions of an agent or editor about Java code: a server of the Model Context Protocol
    Mcp => mcp, Query;
    /// Show which JDK, JUnit jars and cache folder are used, and what is missing
    Doctor => doctor, Query;
    /// Print a script that completes the commands and options of Cupping in a shell
    Completions => completions, Query;
    /// Write the man pages of Cupping and its commands
    Man => man, Query;
}

impl Command {
    /// The classes that it works on, if it does.
    pub fn classes_mut(&mut self) -> Option<&mut ClassArgs> {
        match self {
            Command::Generate(arguments) => Some(&mut arguments.classes),
            Command::Check(arguments) => Some(&mut arguments.classes),
            Command::Dataflow(arguments) => Some(&mut arguments.classes),
            Command::Infer(arguments) => Some(&mut arguments.classes),
            Command::Mutants(arguments) => Some(&mut arguments.classes),
            _ => None,
        }
    }

    /// The store for its results, if it has one.
    pub fn store_mut(&mut self) -> Option<&mut StoreArgs> {
        match self {
            Command::Generate(arguments) => Some(&mut arguments.store),
            Command::Dataflow(arguments) => Some(&mut arguments.store),
            Command::Infer(arguments) => Some(&mut arguments.store),
            Command::Diff(arguments) => Some(&mut arguments.store),
            Command::Check(arguments) => Some(&mut arguments.store),
            Command::Mutants(arguments) => Some(&mut arguments.store),
            Command::Exhaust(arguments) => Some(&mut arguments.store),
            _ => None,
        }
    }

    /// Time that the command may take to return when it is interrupted.
    pub fn patience(&self) -> Duration {
        match self.kind() {
            CommandKind::Analysis | CommandKind::Test => PATIENCE,
            CommandKind::Query | CommandKind::Program => Duration::ZERO,
        }
    }

    /// The exit code where the command panics.
    pub fn panic_code(&self) -> u8 {
        match self.kind() {
            CommandKind::Analysis | CommandKind::Query => Status::WRONG.code(),
            CommandKind::Program | CommandKind::Test => UNSUPPORTED,
        }
    }
}
