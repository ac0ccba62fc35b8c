//! `--json`, `--html`, `--quiet`, `--verbose` and `--color`: where results are shown, and how much of them.

use crate::process::console::{self, Colour, Settings};
use clap::{ArgMatches, Args};
use std::path::PathBuf;

/// Arguments of commands that report on classes.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Also write the results as JSON (docs/json-schema.md)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,

    /// Also write pages to look at into this folder, index.html first (docs/html.md)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub html: Option<PathBuf>,

    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// Arguments of all commands that print results.
#[derive(Debug, Args)]
pub struct ConsoleArgs {
    /// Print errors only
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// Print on standard error what is used and what is done: JDK, class path, each class with its time
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    pub verbose: bool,

    /// Colours on standard output; auto means on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto, help_heading = "Output")]
    pub color: Colour,
}

/// The settings of the console that a command line asks for; those of the subcommand at the bottom.
pub fn console_settings(matches: &ArgMatches) -> Settings {
    let mut at = matches;
    while let Some((_, below)) = at.subcommand() {
        at = below;
    }
    let flag = |name: &str| at.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or_default();
    let colour = at.try_get_one::<Colour>("color").ok().flatten().copied().unwrap_or_default();
    Settings { quiet: flag("quiet"), verbose: flag("verbose"), colour: console::takes_colour(colour) }
}
