//! What is wrong with a specification, and where.
//!
//! Drawn by `ariadne`: like `miette` it shows the author's own lines, and it needs no derive on our types.

use ariadne::{Config, IndexType, Label, Report, ReportKind, Source};

/// A range of bytes in a specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

/// A specification that cannot be used: what is wrong, the place, and a remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong, in one line.
    pub message: String,
    /// The place.
    pub span: Span,
    /// What is said at the place; may be empty.
    pub label: String,
    /// What to do about it, if that can be said.
    pub help: Option<String>,
}

impl Error {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Error {
        Error { message: message.into(), span, label: String::new(), help: None }
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Error {
        self.label = label.into();
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Error {
        self.help = Some(help.into());
        self
    }

    /// The error with the lines of `text` it is about. Without colours: it goes to files as well as to terminals.
    pub fn render(&self, file: &str, text: &str) -> String {
        let end = text.len();
        let range = self.span.start.min(end)..self.span.end.max(self.span.start).min(end);
        let label = if self.label.is_empty() { "here" } else { &self.label };
        let mut report = Report::build(ReportKind::Error, (file, range.clone()))
            .with_config(Config::default().with_color(false).with_index_type(IndexType::Byte))
            .with_message(&self.message)
            .with_label(Label::new((file, range)).with_message(label));
        if let Some(help) = &self.help {
            report = report.with_help(help);
        }
        let mut bytes = Vec::new();
        match report.finish().write((file, Source::from(text)), &mut bytes) {
            Ok(()) => {
                String::from_utf8_lossy(&bytes).lines().map(|it| format!("{}\n", it.trim_end())).collect()
            }
            Err(_) => format!("{file}: {}\n", self.message),
        }
    }
}

/// A result whose failure points into a specification.
pub type Result<T> = std::result::Result<T, Error>;
