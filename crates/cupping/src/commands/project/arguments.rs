//! The arguments of `cupping project`.

use crate::shared::jdk::JdkArgs;
use crate::shared::output::ConsoleArgs;
use clap::Args;
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping project                 in a project of Maven, Gradle or Bazel, or a folder with sources below src
  cupping project --json - | jq -r '.results.modules[].class_path[]'

docs/project.md describes what Cupping takes from a project.

Exit codes:
  0  a project was found, and this is what Cupping takes from it
  2  no project was found, or it cannot be used; the message says why";

/// Arguments of `cupping project`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A folder in the project [default: the current folder]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,

    #[command(flatten)]
    pub jdk: JdkArgs,

    /// Also write the description as JSON; - is standard output, in place of the text
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,

    /// Do not start the build tool: show its last answer
    #[arg(long, help_heading = "Input")]
    pub no_build: bool,

    #[command(flatten)]
    pub console: ConsoleArgs,
}
