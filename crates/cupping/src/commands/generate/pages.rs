//! `--html`: a page for each class.

use crate::shared::sources::Sources;
use cupping_case::Explanation;
use cupping_classfile::Program;
use cupping_report::files::{Author, WriteError};
use cupping_report::html::{self, page_file};
use cupping_report::result::ClassResult;
use std::path::PathBuf;

/// Writes pages.
#[derive(Debug)]
pub struct Pages {
    /// The folder.
    pub folder: PathBuf,
    /// The sources of classes.
    pub sources: Sources,
}

impl Pages {
    /// Writes the page of a class.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write(
        &self,
        result: &ClassResult,
        explanation: &Explanation,
        program: &Program,
    ) -> Result<(), WriteError> {
        let class = program.find(&result.suite.class).ok().flatten();
        let source = class.and_then(|class| self.sources.find(&class, program));
        let page = html::class_page(result, explanation, source.as_deref());
        let author = Author { command: "generate".into(), options: String::new() };
        html::write_page(&self.folder, &page_file(&result.suite.class), &author, &result.class_name(), &page)
    }
}
