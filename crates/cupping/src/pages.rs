//! `--html`: a page for each class, and the one that lists them.

use crate::sources::Sources;
use cupping_case::Explanation;
use cupping_classfile::Program;
use cupping_report::html::{self, PageError, page_file};
use cupping_report::result::ClassResult;
use std::path::PathBuf;

/// Writes pages.
#[derive(Debug)]
pub struct Pages {
    /// The folder.
    pub folder: PathBuf,
    /// Where sources are.
    pub sources: Sources,
}

impl Pages {
    /// Writes the page of a class.
    ///
    /// # Errors
    /// [`PageError`].
    pub fn write(
        &self,
        result: &ClassResult,
        explanation: &Explanation,
        program: &Program,
    ) -> Result<(), PageError> {
        let class = program.find(&result.suite.class).ok().flatten();
        let source = class.and_then(|class| self.sources.find(&class, program));
        let page = html::class_page(result, explanation, source.as_deref());
        html::write_page(&self.folder, &page_file(&result.suite.class), &page)
    }

    /// Writes the index.
    ///
    /// # Errors
    /// [`PageError`].
    pub fn finish(&self, results: &[ClassResult]) -> Result<(), PageError> {
        html::write_page(&self.folder, "index.html", &html::index_page(results))
    }
}
