//! Places in a specification, and what is wrong there.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// A part of a specification, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The first byte behind it.
    pub end: usize,
}

/// A specification as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name of the file, as the user gave it.
    pub file: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
}

impl Source {
    /// A specification of this text.
    pub fn new(file: &str, text: &str) -> Source {
        Source { file: file.into(), text: text.into() }
    }

    /// The text of a part.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// Line and column, both from 1, the column in characters.
    pub fn place(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// The line that this byte is on, without its end.
    fn line_at(&self, at: usize) -> &str {
        let at = at.min(self.text.len());
        let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        self.text[start..].lines().next().unwrap_or_default()
    }
}

/// Something that is wrong with a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where.
    pub source: Source,
    /// Which part.
    pub span: Span,
    /// What, and what to do.
    pub message: String,
}

impl Diagnostic {
    pub(crate) fn new(source: &Source, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { source: source.clone(), span, message: message.into() }
    }
}

impl Display for Diagnostic {
    /// `file:line:column: error: message`, the line, and what of it is meant.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (line, column) = self.source.place(self.span.start);
        let text = self.source.line_at(self.span.start);
        writeln!(f, "{}:{line}:{column}: error: {}", self.source.file, self.message)?;
        writeln!(f, "    {}", text.replace('\t', " "))?;
        let length = self.source.slice(self.span).lines().next().unwrap_or_default().chars().count().max(1);
        let room = (text.chars().count() + 1).saturating_sub(column - 1).max(1);
        write!(f, "    {}{}", " ".repeat(column - 1), "^".repeat(length.min(room)))
    }
}

impl std::error::Error for Diagnostic {}
