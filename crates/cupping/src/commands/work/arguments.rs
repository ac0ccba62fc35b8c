//! The arguments of `cupping work`.

use clap::Args;
use cupping_jobs::Shard;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping plan generate -cp lib.jar 'org.example.**' --store cache | cupping work
  cupping work jobs --shard 3/7
  head -20 jobs | cupping work --store /mnt/cache --jobs 1

A job whose result is in the store is not done again, so work may be stopped and
restarted at any time, and several workers may have the same jobs. Results are
written atomically. Files must be where the plan's command line says.

Exit codes:
  0    the results of all jobs are in the store
  2    some are not: a full disk, files that differ from those of the plan
  130  interrupted with Ctrl-C; the results until then are in the store

docs/scale.md describes the complete procedure.";

/// Arguments of `cupping work`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The plan; - is standard input
    #[arg(value_name = "PLAN", default_value = "-")]
    pub plan: PathBuf,

    /// Only a part of the plan, such as 3/7: the third of seven parts of about equal cost
    #[arg(long, value_name = "K/N", help_heading = "Search")]
    pub shard: Option<Shard>,

    /// Do jobs of standard input as they come, one at a time; a line of JSON says when each is done
    #[arg(long, conflicts_with_all = ["plan", "shard", "jobs"], help_heading = "Search")]
    pub stream: bool,

    /// Keep results in this folder instead of the one named in the plan
    #[arg(long, value_name = "DIR", help_heading = "Search")]
    pub store: Option<PathBuf>,

    /// Number of parallel threads, instead of the one in the plan
    #[arg(short, long, value_name = "N", help_heading = "Search")]
    pub jobs: Option<NonZeroUsize>,
}
