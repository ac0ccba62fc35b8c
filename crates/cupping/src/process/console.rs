//! What the user sees: results on standard output, errors on standard error.

use crate::exit::Status;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

/// Writes to standard output. A reader that has gone (`| head`) is no error: the files are written all the same.
pub fn say(text: &dyn Display) {
    let mut out = io::stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// Writes one error to standard error, on one line.
pub fn error(message: &dyn Display) {
    let _ = writeln!(io::stderr().lock(), "error: {}", on_one_line(&message.to_string()));
}

/// Writes one warning to standard error, on one line.
pub fn warning(message: &dyn Display) {
    let _ = writeln!(io::stderr().lock(), "warning: {}", on_one_line(&message.to_string()));
}

/// A text of several lines on one; of an exception's stack trace only the exceptions.
fn on_one_line(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("    at "));
    lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Whether standard output takes colours: a terminal, and `NO_COLOR` (<https://no-color.org>) is not set.
pub fn colour() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty())
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
    fn of_a_stack_trace_the_exceptions_are_shown() {
        let trace =
            "x.Y cannot be initialised: java.lang.Error: no\n    at a()V:1\nCaused by: b.C\n    at d()V:2\n";
        assert_eq!(on_one_line(trace), "x.Y cannot be initialised: java.lang.Error: no; Caused by: b.C");
    }
}
