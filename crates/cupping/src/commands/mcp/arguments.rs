//! The arguments of `cupping mcp`.

use crate::shared::jdk::JdkArgs;
use crate::shared::output::ConsoleArgs;
use clap::Args;
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping mcp                                   in a project: the class path is that of the project
  cupping mcp --folder ~/shop                   the same, started from elsewhere
  cupping mcp --classpath classes:lib.jar       without a project

Clients start it and speak JSON-RPC with it on standard input and output. docs/mcp.md lists the tools, and
describes how to configure clients.

Exit codes:
  0  the client has ended the conversation
  2  the folder does not exist, or the client violated the protocol";

/// Arguments of `cupping mcp`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder in which questions are answered [default: the current folder]
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    pub folder: Option<PathBuf>,

    /// The class path, unless a question has one [default: that of the project around the folder]
    #[arg(long, visible_alias = "class-path", value_name = "PATH", help_heading = "Input")]
    pub classpath: Option<String>,

    #[command(flatten)]
    pub jdk: JdkArgs,

    /// Maximal number of seconds for an answer, whatever is requested
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Search")]
    pub max_seconds: u32,

    #[command(flatten)]
    pub console: ConsoleArgs,
}
