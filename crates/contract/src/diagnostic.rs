//! Locations in a specification, and errors there.

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
pub struct SpecificationSource {
    /// The name of the file, as the user gave it.
    pub file: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
}

impl SpecificationSource {
    /// A specification of this text.
    pub fn new(file: &str, text: &str) -> SpecificationSource {
        SpecificationSource { file: file.into(), text: text.into() }
    }

    /// The text of a part.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// Line and column, both from 1, the column in characters.
    pub fn place(&self, at: usize) -> (usize, usize) {
        cupping_view::diagnostic::place(&self.text, at)
    }
}

/// An error in a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The source.
    pub source: SpecificationSource,
    /// The part.
    pub span: Span,
    /// The message, with advice.
    pub message: String,
}

impl Diagnostic {
    pub(crate) fn new(source: &SpecificationSource, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { source: source.clone(), span, message: message.into() }
    }
}

impl Display for Diagnostic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let SpecificationSource { file, text } = &self.source;
        let span = self.span.start..self.span.end;
        cupping_view::diagnostic::Diagnostic::error(file, text, span, &self.message).fmt(f)
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_parts_outside_are_empty() {
        let source = SpecificationSource::new("a.tj", "é b\nc");
        assert_eq!((source.place(0), source.place(3), source.place(5)), ((1, 1), (1, 3), (2, 1)));
        assert_eq!(source.slice(Span { start: 0, end: 2 }), "é");
        // Within a character, and behind the text.
        assert_eq!(source.slice(Span { start: 1, end: 2 }), "");
        assert_eq!(source.slice(Span { start: 5, end: 9 }), "");
    }

    #[test]
    fn a_diagnostic_shows_its_line_with_a_caret() {
        let source = SpecificationSource::new("a.tj", "one\ntwo x\n");
        let text = Diagnostic::new(&source, Span { start: 8, end: 9 }, "no x here").to_string();
        assert!(text.contains("no x here") && text.contains("a.tj:2:5"), "{text}");
        let line = text.lines().position(|it| it.contains("two x")).unwrap();
        let caret = text.lines().nth(line + 1).unwrap().find('^').unwrap();
        assert_eq!(text.lines().nth(line).unwrap().find('x'), Some(caret), "{text}");
    }
}
