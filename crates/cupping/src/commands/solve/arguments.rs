//! The arguments of `cupping solve`.

use crate::shared::output::ConsoleArgs;
use clap::Args;
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
A self-check that fails saves its query in OUT/cupping-internal-errors.

Exit codes:
  0  answered, or gave up because the budget was spent
  1  layers of the solver contradict each other
  2  the file does not exist or contains no query";

/// Arguments of `cupping solve`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A query as Cupping saves it
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Print the counters of the solver's layers
    #[arg(long, help_heading = "Output")]
    pub stats: bool,

    #[command(flatten)]
    pub console: ConsoleArgs,
}
