//! The arguments of `cupping merge`.

use clap::Args;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping merge generate -cp lib.jar 'org.example.**' --work 10s --store cache --json all.json

It may be run at any time and any number of times. When all jobs are done, files
and reports are those of the command run at once, byte for byte but for times.
Classes whose jobs are not done are named as errors.

Exit codes: those of the command; 2 while jobs are not done.

docs/scale.md has the whole way.";

/// Arguments of `cupping merge`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The command with its options, as it was planned
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}
