//! The arguments of `cupping doctor`.

use crate::shared::jdk::JdkArgs;
use crate::shared::junit::JunitArgs;
use crate::shared::output::ConsoleArgs;
use clap::Args;

/// The text below the options.
pub const HELP: &str = "\
Exit codes:
  0  everything needed is installed
  2  something is missing; its line says what, and how to get it";

/// Arguments of `cupping doctor`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    pub jdk: JdkArgs,

    #[command(flatten)]
    pub junit: JunitArgs,

    /// List the native methods that a module of the JDK declares, and whether the machine implements them; all for
    /// all modules
    #[arg(long, value_name = "MODULE", num_args = 0..=1, default_missing_value = "java.base", help_heading = "Output")]
    pub natives: Option<String>,

    #[command(flatten)]
    pub console: ConsoleArgs,
}
