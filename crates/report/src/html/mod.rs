//! Pages to look at: one for each class, with its code, its tests and its constraint trees, and one that lists them.
//!
//! Each page is one file without references to anything but the other pages, so that it opens from the file system and
//! can be sent to somebody. What there is to read is in the HTML; the constraint trees, of which there may be a hundred
//! thousand nodes, are data that the script shows piece by piece.
//!
//! Part chosen: `askama` fills in the templates (`templates/`). It compiles them with our types, so that a template can
//! neither fail nor name what is not there when a user runs it, and it escapes by default; `minijinja` reads templates
//! at run time, which helps whose users bring their own; `maud` has HTML in Rust's syntax, which no editor of pages
//! understands.

mod cases;
mod code;
mod escape;
mod index;
mod java;
mod names;
mod page;
mod trees;

pub use index::index_page;
pub use names::page_file;
pub use page::class_page;

use crate::files::{self, Author, Mark, WriteError};
use std::path::Path;

/// Writes a page about something into the folder, which is made if it is not there.
///
/// # Errors
/// A page of the user's is there, or it cannot be written.
pub fn write_page(
    folder: &Path,
    file: &str,
    author: &Author,
    about: &str,
    page: &str,
) -> Result<(), WriteError> {
    let path = folder.join(file);
    let put = files::put_generated(&path, Mark::Html, author, about, page);
    put.map_err(|source| WriteError { path, source, option: "--html" })
}

/// `95 %`, rounded down so that only what is complete is 100 %; of nothing, `–`.
fn percent(count: cupping_case::CoverageCount) -> String {
    match (u64::from(count.covered) * 100).checked_div(u64::from(count.total)) {
        Some(percent) => format!("{percent} %"),
        None => "–".into(),
    }
}

/// A bar of coverage as pages show it.
struct Bar {
    what: &'static str,
    percent: String,
    covered: u32,
    total: u32,
}

impl Bar {
    fn new(what: &'static str, count: cupping_case::CoverageCount) -> Bar {
        Bar { what, percent: percent(count), covered: count.covered, total: count.total }
    }

    /// Hundredths of a percent, for sorting; less than none where there is nothing to cover.
    fn share(&self) -> i64 {
        (i64::from(self.covered) * 10_000).checked_div(i64::from(self.total)).unwrap_or(-1)
    }
}
