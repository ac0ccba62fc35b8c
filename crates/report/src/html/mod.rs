//! HTML pages: one for each class, with its code, its tests and its constraint trees, and an index.
//!
//! Each page is one file without references to anything but the other pages, so that it opens from the file system
//! and can be sent to somebody. Readable content is in the HTML; the constraint trees, which may have a hundred
//! thousand nodes, are data that the script shows piece by piece.

mod cases;
mod code;
mod index;
mod names;
mod page;
mod panel;
mod trees;

pub use cupping_view::page_file;
pub use index::index_page;
pub use page::class_page;

use crate::files::{self, Author, Mark, WriteError};
use cupping_view::Figure;
use std::path::Path;

/// Writes a page about something into the folder, which is created if it is missing.
///
/// # Errors
///
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

/// A figure next to a heading: how much of something is covered.
fn share(what: &str, count: cupping_case::CoverageCount) -> Figure {
    Figure::share(count.covered.into(), count.total.into(), what)
}
