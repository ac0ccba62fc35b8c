//! The arguments of `cupping man`.

use clap::Args;
use std::path::PathBuf;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping man | man -l -                     reads the page of cupping
  cupping man /usr/local/share/man/man1      installs all pages

Exit codes:
  0  done
  2  a page cannot be written";

/// Arguments of `cupping man`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Write the page of each command into this folder [default: print the page of cupping]
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}
