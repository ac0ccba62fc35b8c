//! A lexer for Java tokens (JLS §3), as far as brackets and words require.

use crate::diagnostic::Span;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Word,
    /// A number.
    Number,
    /// A string, text block or character.
    Text,
    /// A comment.
    Comment,
    /// An operator or separator. Keywords such as `requiredBy` are words.
    Sign,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its position.
    pub span: Span,
}

/// Operators of several characters, longest first. `>>` and the like stay split, since they may close type
/// arguments.
const SIGNS: &[&str] = &[
    "...", "->", "::", "++", "--", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "&=", "|=",
    "^=", "%=", "..",
];

/// The tokens of a text, including comments. An unknown character is a token of its own; an unterminated
/// string ends with its line or with the text.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = if rest.starts_with("//") {
            (TokenKind::Comment, rest.find('\n').unwrap_or(rest.len()))
        } else if let Some(inside) = rest.strip_prefix("/*") {
            (TokenKind::Comment, inside.find("*/").map_or(rest.len(), |end| end + 4))
        } else if rest.starts_with("\"\"\"") {
            (TokenKind::Text, text_block(rest))
        } else if first == '"' || first == '\'' {
            (TokenKind::Text, quoted(rest, first))
        } else if first.is_alphabetic() || first == '_' || first == '$' {
            (TokenKind::Word, run(rest, |c| c.is_alphanumeric() || c == '_' || c == '$'))
        } else if first.is_ascii_digit() {
            (TokenKind::Number, number(rest))
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (TokenKind::Sign, sign.map_or(first.len_utf8(), |sign| sign.len()))
        };
        tokens.push(Token { kind, span: Span { start: at, end: at + length } });
        at += length;
    }
    tokens
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// The length of a number with its exponent; `1..5` is a range starting at 1.
fn number(text: &str) -> usize {
    let mut length = 0;
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(length) {
        let before = length.checked_sub(1).map_or(0, |at| bytes[at].to_ascii_lowercase());
        let hex = text.starts_with("0x") || text.starts_with("0X");
        let is_sign = matches!(byte, b'+' | b'-') && (before == b'p' || before == b'e' && !hex);
        let is_point = byte == b'.' && bytes.get(length + 1) != Some(&b'.');
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || is_point || is_sign) {
            break;
        }
        length += 1;
    }
    length
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == '\n' {
            return at;
        }
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// Whether a string or character literal lacks its closing quote.
pub(crate) fn is_unfinished(text: &str) -> bool {
    if let Some(inside) = text.strip_prefix("\"\"\"") {
        return !inside.ends_with("\"\"\"");
    }
    let mut escaped = false;
    let quote = text.chars().next();
    !text.chars().skip(1).any(|c| {
        let closes = Some(c) == quote && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    })
}

fn text_block(text: &str) -> usize {
    let mut at = 3;
    while let Some(found) = text[at..].find(['\\', '"']) {
        at += found;
        if text[at..].starts_with("\"\"\"") {
            return at + 3;
        }
        at += if text[at..].starts_with('\\') {
            1 + text[at + 1..].chars().next().map_or(0, char::len_utf8)
        } else {
            1
        };
    }
    text.len()
}
