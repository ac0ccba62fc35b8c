//! The arguments of `cupping completions`.

use clap::Args;
use clap_complete::Shell;

/// The text below the options.
pub const HELP: &str = "\
Examples:
  cupping completions bash > ~/.local/share/bash-completion/completions/cupping
  cupping completions zsh > ~/.zfunc/_cupping
  cupping completions fish > ~/.config/fish/completions/cupping.fish";

/// Arguments of `cupping completions`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}
