//! Errors in a specification, with their positions.

use cupping_view::diagnostic::{Diagnostic, Severity};
use serde::{Deserialize, Serialize};

/// A range of bytes in a specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

impl Span {
    /// The smallest range that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A specification that cannot be used: the error, its position, and a remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The error, in one line.
    pub message: String,
    /// The place.
    pub span: Span,
    /// The label at the position; may be empty.
    pub label: String,
    /// The remedy, if one is known.
    pub help: Option<String>,
}

impl Error {
    /// An error at a position.
    pub fn new(span: Span, message: impl Into<String>) -> Error {
        Error { message: message.into(), span, label: String::new(), help: None }
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Error {
        self.label = label.into();
        self
    }

    /// The error with a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Error {
        self.help = Some(help.into());
        self
    }

    /// The error in a file of this name and text, to be shown or reported.
    pub fn diagnostic<'a>(&'a self, file: &'a str, text: &'a str) -> Diagnostic<'a> {
        let span = self.span.start..self.span.end.max(self.span.start);
        Diagnostic::error(file, text, span, &self.message).label(&self.label).help(self.help.as_deref())
    }

    /// As [`Error::diagnostic`], for a text that is valid but probably unintended.
    pub fn warning<'a>(&'a self, file: &'a str, text: &'a str) -> Diagnostic<'a> {
        Diagnostic { severity: Severity::Warning, ..self.diagnostic(file, text) }
    }

    /// The error with the lines of `text` it is about, and a final newline.
    pub fn render(&self, file: &str, text: &str) -> String {
        format!("{}\n", self.diagnostic(file, text))
    }
}

/// A result whose failure points into a specification.
pub type Result<T> = std::result::Result<T, Error>;
