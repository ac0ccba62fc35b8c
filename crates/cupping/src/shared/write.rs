//! The common code that writes files: atomically, and never over files of the user's.

use cupping_report::files::{self, Author, Mark, put_generated};
use std::path::Path;

/// Writes a file that the user names, replacing an existing one.
///
/// # Errors
///
/// It cannot be written; the text ends with the remedy.
pub fn file(path: &Path, content: &[u8], remedy: &str) -> Result<(), String> {
    files::put(path, content).map_err(|error| not_written(path, &error, remedy))
}

/// Writes a file into a folder that the user names, with a first line that identifies Cupping. An existing file
/// without such a line is left alone.
///
/// # Errors
///
/// It cannot be written, or is the user's; the text ends with the remedy.
pub fn generated(path: &Path, mark: Mark, command: &str, about: &str, text: &str) -> Result<(), String> {
    let author = Author { command: command.into(), options: String::new() };
    put_generated(path, mark, &author, about, text)
        .map_err(|error| not_written(path, &error, "name a writable folder"))
}

fn not_written(path: &Path, error: &std::io::Error, remedy: &str) -> String {
    format!("{}: cannot be written ({error}); {remedy}", path.display())
}
