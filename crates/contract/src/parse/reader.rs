//! Reads tokens: brackets, types and expressions of Java.

use crate::diagnostic::{Diagnostic, Span, SpecificationSource};
use crate::token::{Token, TokenKind, is_unfinished};

/// What was read, or the first error.
pub(super) type ParseResult<T> = Result<T, Diagnostic>;

/// Words that cannot start a local declaration.
const STATEMENTS: &[&str] = &[
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "try",
    "return",
    "throw",
    "assert",
    "break",
    "continue",
    "yield",
    "synchronized",
    "new",
    "class",
    "interface",
    "enum",
    "super",
    "this",
];

/// The tokens of a specification and the current position.
pub(super) struct TokenReader<'s> {
    pub(super) source: &'s SpecificationSource,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    /// Number of triples that contain this position.
    pub(super) depth: usize,
}

impl TokenReader<'_> {
    pub(super) fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| self.source.slice(token.span))
    }

    pub(super) fn next(&self) -> &str {
        self.text(self.at)
    }

    pub(super) fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.next() == text && self.kind(self.at) != Some(TokenKind::Text)
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += found as usize;
        found
    }

    pub(super) fn here(&self) -> Span {
        let end = self.source.text.trim_end().len();
        self.tokens.get(self.at).map_or(Span { start: end, end }, |token| token.span)
    }

    pub(super) fn fail<T>(&self, span: Span, message: impl Into<String>) -> ParseResult<T> {
        Err(Diagnostic::new(self.source, span, message))
    }

    pub(super) fn expect(&mut self, text: &str, for_what: &str) -> ParseResult<()> {
        if self.take(text) {
            return Ok(());
        }
        let found = if self.next().is_empty() { "the end of the file" } else { self.next() };
        self.fail(self.here(), format!("'{text}' is missing {for_what}, before {found}"))
    }

    pub(super) fn word(&mut self, what: &str) -> ParseResult<Span> {
        match self.tokens.get(self.at) {
            Some(token) if token.kind == TokenKind::Word => {
                self.at += 1;
                Ok(token.span)
            }
            _ => self.fail(self.here(), format!("expected a name: {what}")),
        }
    }

    /// Reports that a keyword is missing before a word, or that the word is a misspelt keyword.
    pub(super) fn keyword_missing<T>(&self, at: usize, keyword: &str, form: &str) -> ParseResult<T> {
        let found = self.text(at);
        let what = match strsim::damerau_levenshtein(&found.to_lowercase(), &keyword.to_lowercase()) {
            0..=3 => format!("{found} is not a word of TestJava; did you mean {keyword}?"),
            _ => format!("{keyword} is missing before {found}: {form}"),
        };
        self.fail(self.span(at, at + 1), what)
    }

    /// The span of the tokens `from..to`.
    pub(super) fn span(&self, from: usize, to: usize) -> Span {
        match (self.tokens.get(from), to.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) if from < to => Span { start: first.span.start, end: last.span.end },
            (Some(first), _) => Span { start: first.span.start, end: first.span.start },
            _ => self.here(),
        }
    }

    /// The bracket that closes the one at `from`.
    pub(super) fn closing(&self, from: usize) -> ParseResult<usize> {
        let mut open = Vec::new();
        for at in from..self.tokens.len() {
            if self.kind(at) != Some(TokenKind::Sign) {
                continue;
            }
            match self.text(at) {
                "(" => open.push((at, ")")),
                "[" => open.push((at, "]")),
                "{" => open.push((at, "}")),
                closing @ (")" | "]" | "}") => {
                    match open.pop() {
                        Some((_, expected)) if expected == closing => {}
                        // A closing brace ends all brackets inside; no other bracket closes a brace.
                        Some((opened, expected)) if expected != "}" => {
                            let message = format!("'{expected}' is missing: '{closing}' does not close this");
                            self.strings_end(from)?;
                            return self.fail(self.span(opened, opened + 1), message);
                        }
                        _ => return self.fail(self.span(at, at + 1), format!("'{closing}' closes nothing")),
                    }
                    if open.is_empty() {
                        return Ok(at);
                    }
                }
                _ => {}
            }
        }
        self.strings_end(from)?;
        self.fail(self.span(from, from + 1), format!("'{}' is not closed", self.text(from)))
    }

    /// Reports an unterminated string, which may contain the bracket.
    pub(super) fn strings_end(&self, from: usize) -> ParseResult<()> {
        let is_open = |at: &usize| self.kind(*at) == Some(TokenKind::Text) && is_unfinished(self.text(*at));
        match (from..self.tokens.len()).find(is_open) {
            Some(at) => self.fail(self.span(at, at + 1), "the string does not end on its line"),
            None => Ok(()),
        }
    }

    pub(super) fn qualified(&mut self, what: &str) -> ParseResult<Span> {
        let from = self.at;
        self.word(what)?;
        while self.is(".") {
            self.at += 1;
            self.word(what)?;
        }
        Ok(self.span(from, self.at))
    }

    pub(super) fn ty(&mut self) -> ParseResult<Span> {
        match self.type_end(self.at) {
            Some(end) => {
                let span = self.span(self.at, end);
                self.at = end;
                Ok(span)
            }
            None => self.fail(self.here(), "expected a type"),
        }
    }

    /// The end of the type that starts here, if one does.
    pub(super) fn type_end(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            if self.kind(at)? != TokenKind::Word || STATEMENTS.contains(&self.text(at)) {
                return None;
            }
            at += 1;
            if self.text(at) == "<" {
                at = self.type_arguments_end(at)?;
            }
            if self.text(at) != "." || self.kind(at + 1) != Some(TokenKind::Word) {
                break;
            }
            at += 1;
        }
        while self.text(at) == "[" && self.text(at + 1) == "]" {
            at += 2;
        }
        Some(at)
    }

    pub(super) fn type_arguments_end(&self, from: usize) -> Option<usize> {
        let mut open = 0;
        for at in from..self.tokens.len() {
            match self.text(at) {
                "<" => open += 1,
                ">" => {
                    open -= 1;
                    if open == 0 {
                        return Some(at + 1);
                    }
                }
                "," | "." | "?" | "&" | "[" | "]" | "@" => {}
                _ if self.kind(at) == Some(TokenKind::Word) => {}
                _ => return None,
            }
        }
        None
    }

    /// An expression that ends before `,`, `;` or one of these tokens.
    pub(super) fn operand(&mut self, ends: &[&str]) -> ParseResult<Span> {
        let from = self.at;
        while self.at < self.tokens.len() {
            match self.next() {
                "(" | "[" | "{" => self.at = self.closing(self.at)? + 1,
                "new" if self.kind(self.at) == Some(TokenKind::Word) => {
                    self.at = self.type_end(self.at + 1).unwrap_or(self.at + 1);
                }
                "," | ";" | ")" | "]" | "}" => break,
                sign if ends.contains(&sign) => break,
                _ => self.at += 1,
            }
        }
        if from == self.at {
            return self.fail(self.here(), "expected an expression");
        }
        Ok(self.span(from, self.at))
    }
}
