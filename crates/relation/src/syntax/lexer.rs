//! The lexer.
//!
//! A name may contain `'` and `$` (`List$Node`) but no dot: `p.q` is a join. Comments are `//`, `--` and `/*
//! */`. Typographic quotes and dashes, as copied from a PDF, are errors with a position.

use super::foreign;
use crate::error::{Error, Result, Span};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A word. Whether it is a keyword depends on the context.
    Word(String),
    Number(i64),
    Text(String),
    Symbol(&'static str),
    End,
}

/// A token with its position.
#[derive(Clone, Debug)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) span: Span,
}

/// Longest first.
const SYMBOLS: [&str; 44] = [
    "<=>", "!in", "..", "::", "->", "=>", "<=", ">=", "=<", "!=", "!:", "&&", "||", "++", "<:", ":>", "!<",
    "!>", "{", "}", "(", ")", "[", "]", "|", ",", ":", ";", ".", "=", "<", ">", "+", "-", "&", "!", "~", "^",
    "*", "#", "`", "@", "?", "/",
];

/// All tokens; [`Token::End`] is last.
pub(crate) fn tokens(text: &str) -> Result<Vec<Lexeme>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") || rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            let Some(end) = rest.find("*/") else {
                return Err(Error::new(Span { start, end: start + 2 }, "this comment is not closed")
                    .help("close it with `*/`"));
            };
            at += end + 2;
            continue;
        }
        if let Some(error) = foreign::sign(rest, start) {
            return Err(error);
        }
        let token = if first.is_alphabetic() || first == '_' || first == '$' {
            at += length(rest, |it| it.is_alphanumeric() || matches!(it, '_' | '$' | '\''));
            Token::Word(text[start..at].to_owned())
        } else if first.is_ascii_digit() {
            at += length(rest, |it| it.is_ascii_digit());
            let value = text[start..at].parse().map_err(|_| {
                Error::new(Span { start, end: at }, "this number does not fit 64 bits")
                    .help("write a smaller number")
            })?;
            Token::Number(value)
        } else if first == '"' {
            let (value, length) = quoted(rest)
                .ok_or_else(|| Error::new(Span { start, end: start + 1 }, "this string is not closed"))?;
            at += length;
            Token::Text(value)
        } else if let Some(symbol) = SYMBOLS.iter().find(|it| rest.starts_with(**it) && whole(rest, it)) {
            at += symbol.len();
            Token::Symbol(symbol)
        } else {
            let end = start + first.len_utf8();
            return Err(Error::new(Span { start, end }, format!("unexpected character `{first}`")));
        };
        found.push(Lexeme { token, span: Span { start, end: at } });
    }
    found.push(Lexeme { token: Token::End, span: Span { start: text.len(), end: text.len() } });
    Ok(found)
}

/// `!in` is a token only if no longer word starts there.
fn whole(rest: &str, symbol: &str) -> bool {
    symbol != "!in" || !rest[3..].starts_with(|it: char| it.is_alphanumeric() || it == '_')
}

fn length(text: &str, part: impl Fn(char) -> bool) -> usize {
    text.find(|it: char| !part(it)).unwrap_or(text.len())
}

/// The value of the string at the start of `text`, and its length in bytes.
fn quoted(text: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut rest = text.char_indices().skip(1);
    while let Some((at, it)) = rest.next() {
        match it {
            '"' => return Some((value, at + 1)),
            '\\' => match rest.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}
