//! The tokens of a Java source.
//!
//! This is a scanner, not a parser: it knows comments, literals and braces.

/// A token and its line: a word, a literal, or a single character. Comments are skipped.
pub(crate) struct Token<'a> {
    /// As the source has it.
    pub text: &'a str,
    /// Its first line, counted from 1.
    pub line: usize,
}

/// The tokens of a source, damaged or not.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = length(rest, first);
        let token = &rest[..length];
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        if !is_comment && !first.is_whitespace() {
            tokens.push(Token { text: token, line });
        }
        line += token.matches('\n').count();
        at += length;
    }
    tokens
}

/// The length, never 0, of the token or comment at the start of a text.
fn length(rest: &str, first: char) -> usize {
    let until =
        |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |it| from + it + end.len());
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return until("*/", 2);
    }
    if rest.starts_with("\"\"\"") {
        return until("\"\"\"", 3);
    }
    if first == '"' || first == '\'' {
        return quoted(rest, first);
    }
    if is_word(first) {
        return rest.find(|it| !is_word(it)).unwrap_or(rest.len());
    }
    first.len_utf8()
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return at,
            _ if character == quote => return at + quote.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

/// The index after a member: after its last brace, or the semicolon of a field.
pub(crate) fn end_of_member(tokens: &[Token<'_>], start: usize) -> usize {
    let (mut braces, mut parentheses) = (0usize, 0usize);
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.text {
            "(" => parentheses += 1,
            ")" => parentheses = parentheses.saturating_sub(1),
            "{" => braces += 1,
            "}" => {
                braces = braces.saturating_sub(1);
                // The elements of an annotation and of an array have braces, too.
                let goes_on = tokens.get(at + 1).is_some_and(|it| matches!(it.text, ";" | "," | ")"));
                if braces == 0 && parentheses == 0 && !goes_on {
                    return at + 1;
                }
            }
            ";" if braces == 0 && parentheses == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}
