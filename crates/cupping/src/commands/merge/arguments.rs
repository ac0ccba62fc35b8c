//! The arguments of `cupping merge`.

use clap::Args;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping merge generate -cp lib.jar 'org.example.**' --work 10s --store cache --json all.json

It may be run at any time, and repeatedly. When all jobs are done, files and
reports equal those of a direct run of the command, byte for byte except for times.
Classes whose jobs are not done are reported as errors.

Exit codes: those of the command; 2 as long as jobs are not done.

docs/scale.md describes the complete procedure.";

/// Arguments of `cupping merge`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The command with its options, as it was planned
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}
