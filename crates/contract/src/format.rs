//! Formats a specification: indentation by brackets and single spaces; lines are neither broken nor joined.

use crate::token::{Token, TokenKind, tokens};

/// Spaces per open brace.
const INDENT: usize = 4;
/// Additional spaces for a continuation line.
const CONTINUED: usize = 8;

/// The formatted text. The tokens stay the same, and formatting is idempotent.
pub fn format(text: &str) -> String {
    let mut out = String::new();
    let mut line: Vec<Token> = Vec::new();
    let mut layout = Layout::default();
    let mut end = 0;
    for token in tokens(text) {
        let between = &text[end..token.span.start];
        let breaks = between.matches('\n').count();
        if breaks > 0 && !line.is_empty() {
            layout.line(text, &line, &mut out);
            line.clear();
            if breaks > 1 {
                out.push('\n');
            }
        }
        line.push(token);
        end = token.span.end;
    }
    if !line.is_empty() {
        layout.line(text, &line, &mut out);
    }
    out
}

#[derive(Default)]
struct Layout {
    braces: usize,
    brackets: usize,
    /// Whether the previous line did not end its statement.
    continued: bool,
}

impl Layout {
    fn line(&mut self, text: &str, tokens: &[Token], out: &mut String) {
        let of = |token: &Token| &text[token.span.start..token.span.end];
        let is = |token: &Token, sign: &str| token.kind == TokenKind::Sign && of(token) == sign;
        let closing = tokens.iter().take_while(|token| is(token, "}")).count();
        let depth = self.braces.saturating_sub(closing);
        let goes_on = self.brackets > 0 || (self.continued && closing == 0);
        out.push_str(&" ".repeat(depth * INDENT + if goes_on { CONTINUED } else { 0 }));
        let mut before: Option<&Token> = None;
        for token in tokens {
            let is_keyword = token.kind == TokenKind::Word && matches!(of(token), "requiredBy" | "ensure");
            let apart = before.is_some_and(|before| {
                before.span.end < token.span.start
                    || is_keyword
                    || (before.kind == TokenKind::Word && matches!(of(before), "requiredBy" | "ensure"))
                    || (is(token, "{") && (is(before, ")") || before.kind == TokenKind::Word))
            });
            if apart && before.is_some() {
                out.push(' ');
            }
            out.push_str(of(token).trim_end());
            match of(token) {
                _ if token.kind != TokenKind::Sign => {}
                "{" => self.braces += 1,
                "}" => self.braces = self.braces.saturating_sub(1),
                "(" | "[" => self.brackets += 1,
                ")" | "]" => self.brackets = self.brackets.saturating_sub(1),
                _ => {}
            }
            before = Some(token);
        }
        out.push('\n');
        let last = tokens.iter().rev().find(|token| token.kind != TokenKind::Comment);
        if let Some(last) = last {
            self.continued = ![";", "{", "}"].iter().any(|sign| is(last, sign));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn braces_indent_and_keywords_stand_apart() {
        let text = "test Box{\ntestcase empty{\n(true)requiredBy   b.size()ensure(result==0);\n}\n\n\n\n}";
        let expected = "test Box {\n    testcase empty {\n        (true) requiredBy b.size() ensure (result==0);\n    \
                        }\n\n}\n";
        assert_eq!(format(text), expected);
    }

    #[test]
    fn continuation_lines_are_indented_further() {
        assert_eq!(format("{\nint x =\n1;\ny();\n}"), "{\n    int x =\n            1;\n    y();\n}\n");
        assert_eq!(format("f(a,\nb);\nc;"), "f(a,\n        b);\nc;\n");
        // A comment neither ends nor continues a statement.
        assert_eq!(format("x // why\n= 1; // because\ny;"), "x // why\n        = 1; // because\ny;\n");
        assert_eq!(format("}}\na"), "}}\na\n");
        assert_eq!(format(" \n "), "");
    }

    proptest! {
        #[test]
        fn formatting_keeps_the_tokens_and_is_idempotent(
            pieces in proptest::collection::vec(
                prop::sample::select(vec![
                    "a", "1", "(", ")", "[", "]", "{", "}", ";", ",", "==", "\n", "\n\n", " ", "   ", "\"s {\"",
                    "// c\n", "/* d */", "ensure", "requiredBy",
                ]),
                0..40,
            ),
        ) {
            let text = pieces.join(" ");
            let shown = |text: &str| {
                let all = tokens(text).into_iter();
                all.map(|it| text[it.span.start..it.span.end].trim_end().to_owned()).collect::<Vec<_>>()
            };
            let formatted = format(&text);
            prop_assert_eq!(shown(&formatted), shown(&text));
            prop_assert_eq!(format(&formatted), formatted);
        }
    }
}
