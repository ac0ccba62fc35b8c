//! `--json`, `--html`, `--sarif`, `--quiet`, `--verbose` and `--color`: where results are shown, and how many details.

use crate::process::console::{self, Colour, ConsoleOptions};
use crate::shared::findings::FindingArgs;
use crate::shared::sources::SourceArgs;
use crate::shared::write;
use clap::{ArgMatches, Args};
use cupping_view::Envelope;
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of commands that report on classes.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Also write the results as JSON (docs/json-schema.md)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,

    /// Also write HTML pages into this folder, index.html first (docs/html.md)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub html: Option<PathBuf>,

    #[command(flatten)]
    pub findings: FindingArgs,

    #[command(flatten)]
    pub sources: SourceArgs,

    #[command(flatten)]
    pub console: ConsoleArgs,
}

/// Arguments of commands whose report is one document.
#[derive(Debug, Args)]
pub struct DocumentArgs {
    /// Also write the results as JSON (docs/json-schema.md)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,

    /// Also write a summary as Markdown, for a comment on a pull request
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub markdown: Option<PathBuf>,

    /// Also write the findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,

    /// Also write an HTML page into this folder, index.html (docs/html.md)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub html: Option<PathBuf>,
}

impl DocumentArgs {
    /// Writes the requested documents.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn write<R: Serialize>(
        &self,
        envelope: impl FnOnce() -> Envelope<R>,
        markdown: impl FnOnce() -> String,
        sarif: impl FnOnce() -> String,
        page: impl FnOnce() -> String,
    ) -> Result<(), String> {
        if let Some(file) = &self.json {
            let text = envelope().json().map_err(|error| error.to_string())?;
            write::file(file, text.as_bytes(), "name another file with --json")?;
        }
        if let Some(file) = &self.markdown {
            write::file(file, markdown().as_bytes(), "name another file with --markdown")?;
        }
        if let Some(file) = &self.sarif {
            write::file(file, sarif().as_bytes(), "name another file with --sarif")?;
        }
        if let Some(folder) = &self.html {
            write::file(&folder.join("index.html"), page().as_bytes(), "name another folder with --html")?;
        }
        Ok(())
    }
}

/// Arguments of all commands that print results.
#[derive(Debug, Args)]
pub struct ConsoleArgs {
    /// Print errors only
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// Print details on standard error: JDK, class path, each class with its time
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    pub verbose: bool,

    /// Colours on standard output; auto means on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto, help_heading = "Output")]
    pub color: Colour,
}

/// The options of the console in a command line; those of the innermost subcommand.
pub fn console_options(matches: &ArgMatches) -> ConsoleOptions {
    let mut at = matches;
    while let Some((_, below)) = at.subcommand() {
        at = below;
    }
    let flag = |name: &str| at.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or_default();
    let colour = at.try_get_one::<Colour>("color").ok().flatten().copied().unwrap_or_default();
    ConsoleOptions {
        quiet: flag("quiet") || flag("edits"),
        verbose: flag("verbose"),
        colour: console::takes_colour(colour),
    }
}
