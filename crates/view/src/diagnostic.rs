//! Messages about a position in a text: file, line and column, the line itself with a mark, and a remedy.
//!
//! ```text
//! list.spec:3:12: error: unknown name 'nxt'
//!   |
//! 3 |     acyclic: nxt.^next
//!   |              ^^^ no field of List
//!   |
//!   = help: did you mean 'next'?
//! ```
//!
//! The first line has the form of compilers, which editors and continuous integration turn into links.
//! `annotate-snippets`, which the Rust project maintains for its own tools, draws lines and marks: it measures wide
//! characters, expands tabs, and shortens long lines. `ariadne` and `miette` draw boxes without a position that
//! editors recognise, and `miette` requires derives on our types; `codespan-reporting` has its own table of files.

use crate::envelope::Problem;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

/// The severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Severity {
    /// The text cannot be used.
    #[default]
    Error,
    /// It can, but is hardly what was meant.
    Warning,
}

impl Severity {
    /// Its name in the first line.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// A message about a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic<'a> {
    /// The name of the file, as the user gave it.
    pub file: &'a str,
    /// The whole text.
    pub text: &'a str,
    /// The marked part, in bytes.
    pub span: Range<usize>,
    /// The severity.
    pub severity: Severity,
    /// The error, in one line.
    pub message: &'a str,
    /// The text of the mark; may be empty.
    pub label: &'a str,
    /// The remedy.
    pub help: Option<&'a str>,
}

impl<'a> Diagnostic<'a> {
    /// An error.
    pub fn error(file: &'a str, text: &'a str, span: Range<usize>, message: &'a str) -> Diagnostic<'a> {
        Diagnostic { file, text, span, severity: Severity::Error, message, label: "", help: None }
    }

    /// Adds a text beside the mark.
    #[must_use]
    pub fn label(self, label: &'a str) -> Diagnostic<'a> {
        Diagnostic { label, ..self }
    }

    /// Adds a remedy.
    #[must_use]
    pub fn help(self, help: Option<&'a str>) -> Diagnostic<'a> {
        Diagnostic { help, ..self }
    }

    /// Line and column, from 1, the column in characters.
    pub fn place(&self) -> (usize, usize) {
        place(self.text, self.span.start)
    }

    /// The message for a report.
    pub fn problem(&self) -> Problem {
        let (line, column) = self.place();
        Problem {
            file: Some(self.file.into()),
            line: u32::try_from(line).ok(),
            column: u32::try_from(column).ok(),
            help: self.help.map(Into::into),
            ..Problem::new(self.message)
        }
    }
}

/// Line and column of a byte of a text, from 1, the column in characters.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..boundary(text, at)];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[start..].chars().count() + 1)
}

/// The nearest character that begins there or before.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Prints without colours: messages go to files as well as to terminals.
impl Display for Diagnostic<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (line, column) = self.place();
        write!(f, "{}:{line}:{column}: {}: {}", self.file, self.severity.name(), self.message)?;
        let start = boundary(self.text, self.span.start);
        // The first line of a longer span is enough to find it.
        let line_end = self.text[start..].find(['\n', '\r']).map_or(self.text.len(), |at| start + at);
        let end = boundary(self.text, self.span.end.max(start)).min(line_end);
        let mark =
            AnnotationKind::Primary.span(start..end).label((!self.label.is_empty()).then_some(self.label));
        let mut group = Group::with_level(Level::ERROR).element(Snippet::source(self.text).annotation(mark));
        if let Some(help) = self.help {
            group = group.element(Level::HELP.message(help));
        }
        for line in Renderer::plain().render(&[group]).lines() {
            write!(f, "\n{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_named_and_marked() {
        let text = "one\n\tlet größe = nxt;\n";
        let at = text.find("nxt").unwrap_or_default();
        let diagnostic = Diagnostic::error("a.spec", text, at..at + 3, "unknown name 'nxt'")
            .label("no field")
            .help(Some("did you mean 'next'?"));
        let shown = diagnostic.to_string();
        let expected = "a.spec:2:14: error: unknown name 'nxt'\n  |\n2 |     let größe = nxt;\n  |                 ^^^ no field\n  |\n  = help: did you mean 'next'?";
        assert_eq!(shown, expected, "\n{shown}");
        let problem = diagnostic.problem();
        assert_eq!((problem.line, problem.column), (Some(2), Some(14)));
    }

    #[test]
    fn no_place_is_too_far() {
        let spans = [("", 0, 0), ("", 5, 9), ("é", 1, 1), ("ab\n", 3, 3), ("ab", 9, 2), ("a\r\nb\n", 3, 100)];
        for (text, start, end) in spans {
            let shown = Diagnostic::error("f", text, start..end, "wrong").to_string();
            assert!(shown.starts_with("f:"), "{text:?} {start}..{end}: {shown}");
        }
    }
}
