//! What the user sees: results on standard output, errors on standard error.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

/// Writes to standard output. A reader that has gone (`| head`) is no error: the files are written all the same.
pub fn say(text: &dyn Display) {
    let mut out = io::stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// Writes one error to standard error.
pub fn error(message: &dyn Display) {
    let _ = writeln!(io::stderr().lock(), "error: {message}");
}

/// Whether standard output takes colours: a terminal, and `NO_COLOR` (<https://no-color.org>) is not set.
pub fn colour() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty())
}
