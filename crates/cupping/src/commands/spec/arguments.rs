//! The arguments of `cupping spec`.

use crate::shared::budget::JobsArgs;
use crate::shared::class_path::ClassPathArgs;
use crate::shared::jdk::JdkArgs;
use crate::shared::output::ConsoleArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping spec check guide.tj --classpath app.jar
  cupping spec format guide.tj
  cupping spec format --check specs

docs/spec.md describes the language.

Exit codes:
  0  all triples hold; all files are formatted
  1  a triple does not hold; with format --check, a file is not formatted
  2  a specification is wrong, or a dependency is missing";

/// Arguments of `cupping spec`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The subcommand.
    #[command(subcommand)]
    pub command: SpecCommand,
}

/// The commands of `cupping spec`.
#[derive(Debug, Subcommand)]
pub enum SpecCommand {
    /// Run the triples, each testcase by itself
    Check(SpecCheckArgs),
    /// Lay specifications out, in place
    Format(SpecFormatArgs),
}

/// Arguments of `cupping spec check`.
#[derive(Debug, Args)]
pub struct SpecCheckArgs {
    /// Specifications, or folders of them (*.tj)
    #[arg(value_name = "FILES", required = true)]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub class_path: ClassPathArgs,

    #[command(flatten)]
    pub jdk: JdkArgs,

    /// Number of tries of a testcase with random values
    #[arg(long, value_name = "N", help_heading = "Search", default_value_t = 100)]
    pub tries: usize,

    /// Seed of random values
    #[arg(long, value_name = "N", help_heading = "Search", default_value_t = 0)]
    pub seed: u64,

    #[command(flatten)]
    pub jobs: JobsArgs,

    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// Arguments of `cupping spec format`.
#[derive(Debug, Args)]
pub struct SpecFormatArgs {
    /// Specifications, or folders of them (*.tj)
    #[arg(value_name = "FILES", required = true)]
    pub files: Vec<PathBuf>,

    /// Change nothing; list the files that are not formatted
    #[arg(long, help_heading = "Output")]
    pub check: bool,

    #[command(flatten)]
    pub console: ConsoleArgs,
}
