//! The arguments of `cupping plan`.

use clap::Args;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping plan generate -cp lib.jar 'org.example.**' --work 10s --store cache > jobs
  cupping work jobs --shard 1/2          on one computer, and 2/2 on another
  cupping merge generate -cp lib.jar 'org.example.**' --work 10s --store cache

A job is a line of JSON: its key (a digest of its inputs), the class, its share
of the budget, an estimate of the work, the command line. Jobs whose
results are in the store are left out: an empty plan means that all jobs are done.
With a budget for all classes together, a later plan has the jobs of the next round.

Exit codes:
  0    the jobs are printed
  2    the planned command is wrong

docs/scale.md describes the complete procedure, for Ray, Slurm, Kubernetes and CI.";

/// Arguments of `cupping plan`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The command with its options: generate, infer, dataflow, exhaust, mutants, diff or check, with --store
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}
