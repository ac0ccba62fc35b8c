//! Output for the user: results on standard output, errors and remarks on standard error.

use crate::process::exit::Status;
use clap::ValueEnum;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The amount of output. Set once, before a command runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConsoleOptions {
    /// Errors only.
    pub quiet: bool,
    /// Remarks too.
    pub verbose: bool,
    /// Whether results have colours.
    pub colour: bool,
}

static OPTIONS: OnceLock<ConsoleOptions> = OnceLock::new();

/// Sets the amount of output; only the first call counts.
pub fn configure(options: ConsoleOptions) {
    let _ = OPTIONS.set(options);
}

fn options() -> ConsoleOptions {
    OPTIONS.get().copied().unwrap_or_default()
}

/// Whether only errors are printed.
pub fn is_quiet() -> bool {
    options().quiet
}

/// Whether results have colours.
pub fn has_colour() -> bool {
    options().colour
}

/// Whether standard output uses colours: `NO_COLOR` is that of <https://no-color.org>.
pub fn takes_colour(choice: Colour) -> bool {
    match choice {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty())
        }
    }
}

/// Prints the answer to a question, even with `--quiet`. A closed pipe (`| head`) is not an error: files are still
/// written.
pub fn answer(text: &dyn Display) {
    let mut out = io::stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// Prints results, unless the user wants errors only.
pub fn say(text: &dyn Display) {
    if !is_quiet() {
        answer(text);
    }
}

/// Prints one error on one line of standard error.
pub fn error(message: &dyn Display) {
    let _ = writeln!(io::stderr().lock(), "error: {}", on_one_line(&message.to_string()));
}

/// Prints one warning on one line of standard error.
pub fn warning(message: &dyn Display) {
    let _ = writeln!(io::stderr().lock(), "warning: {}", on_one_line(&message.to_string()));
}

/// Prints one remark on one line of standard error, if the user wants details.
pub fn remark(message: impl FnOnce() -> String) {
    if options().verbose {
        let _ = writeln!(io::stderr().lock(), "cupping: {}", on_one_line(&message()));
    }
}

/// Prints interim results on standard error, unless the user wants errors only.
pub fn interim_result(text: &dyn Display) {
    if !is_quiet() {
        let _ = write!(io::stderr().lock(), "{text}");
    }
}

/// Prints an error that may have several lines, such as a diagnostic with its position. It may begin with `error: `.
pub fn diagnostic(message: &str) {
    if message.contains('\n') {
        let _ = writeln!(io::stderr().lock(), "{message}");
    } else {
        error(&message.strip_prefix("error: ").unwrap_or(message));
    }
}

/// A text of several lines on one line; of an exception's stack trace only the exceptions.
pub fn on_one_line(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("    at "));
    lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Reports what is wrong with the input.
pub fn bad_input(error: &str) -> Status {
    self::error(&error);
    Status::BAD_INPUT
}

#[cfg(test)]
mod tests {
    use super::on_one_line;

    #[test]
    fn stack_traces_are_shortened_to_their_exceptions() {
        let trace =
            "x.Y cannot be initialised: java.lang.Error: no\n    at a()V:1\nCaused by: b.C\n    at d()V:2\n";
        assert_eq!(on_one_line(trace), "x.Y cannot be initialised: java.lang.Error: no; Caused by: b.C");
    }
}
