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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<(TokenKind, &str)> {
        tokens(text).into_iter().map(|it| (it.kind, &text[it.span.start..it.span.end])).collect()
    }

    fn texts(text: &str) -> Vec<&str> {
        split(text).into_iter().map(|it| it.1).collect()
    }

    #[test]
    fn numbers_end_where_a_range_begins() {
        assert_eq!(texts("1..5"), ["1", "..", "5"]);
        assert_eq!(texts("1.5..2e3"), ["1.5", "..", "2e3"]);
        // The sign belongs to an exponent, which hexadecimal numbers mark by `p`.
        assert_eq!(texts("1.5e-3f+1"), ["1.5e-3f", "+", "1"]);
        assert_eq!(texts("0xe+1"), ["0xe", "+", "1"]);
        assert_eq!(texts("0x1p-3"), ["0x1p-3"]);
        assert_eq!(texts("1_000L-2"), ["1_000L", "-", "2"]);
    }

    #[test]
    fn angle_brackets_stay_apart() {
        assert_eq!(texts("Map<K,List<V>>x"), ["Map", "<", "K", ",", "List", "<", "V", ">", ">", "x"]);
        assert_eq!(texts("a>=b->c::d...e"), ["a", ">=", "b", "->", "c", "::", "d", "...", "e"]);
    }

    #[test]
    fn quotes_and_comments_hide_what_is_in_them() {
        assert_eq!(texts(r#""a\"b" 'c' '\''"#), [r#""a\"b""#, "'c'", r"'\''"]);
        assert_eq!(texts("x//{\n}"), ["x", "//{", "}"]);
        assert_eq!(texts("a/*{*/b/**/c"), ["a", "/*{*/", "b", "/**/", "c"]);
        let block = "\"\"\"\na\"\"b\\\"\"\"c\"\"\"";
        assert_eq!(texts(&format!("{block};")), [block, ";"]);
        assert_eq!(split("requiredBy é"), [(TokenKind::Word, "requiredBy"), (TokenKind::Word, "é")]);
    }

    #[test]
    fn unclosed_literals_end_at_the_line_and_comments_at_the_text() {
        assert_eq!(texts("\"a\nb"), ["\"a", "b"]);
        assert_eq!(texts("a/*b"), ["a", "/*b"]);
        for (text, expected) in [
            ("\"a\"", false),
            ("\"a", true),
            ("\"a\\\"", true),
            ("'x'", false),
            ("\"\"\"a\"\"\"", false),
            ("\"\"\"a\"\"", true),
        ] {
            assert_eq!(is_unfinished(text), expected, "{text}");
        }
    }

    proptest! {
        /// Nothing but white space is between tokens, whatever the text.
        #[test]
        fn tokens_cover_any_text(text in "[a-z0-9.\"'/*\\\\{}<>= \n\u{e9}\u{1F600}]{0,40}") {
            let mut end = 0;
            for token in tokens(&text) {
                prop_assert!(token.span.start >= end && token.span.end > token.span.start);
                prop_assert!(text[end..token.span.start].chars().all(char::is_whitespace));
                prop_assert!(text.is_char_boundary(token.span.end));
                end = token.span.end;
            }
            prop_assert!(text[end..].chars().all(char::is_whitespace));
        }
    }
}
