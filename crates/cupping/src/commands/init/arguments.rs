//! The arguments of `cupping init`.

use crate::shared::output::ConsoleArgs;
use clap::Args;
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping init          writes ./cupping.toml with every option as a comment

docs/project.md describes cupping.toml.

Exit codes:
  0  written
  2  the file already exists, or cannot be written";

/// Arguments of `cupping init`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder to write into [default: the current folder]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,

    #[command(flatten)]
    pub console: ConsoleArgs,
}
