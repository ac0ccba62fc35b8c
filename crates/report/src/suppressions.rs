//! Findings that the code suppresses: `@SuppressWarnings("cupping:generate REASON")`.
//!
//! The annotation is not in class files, so that it is read from the source. It may be on a class, a member or a
//! local variable, and is about all lines of that declaration.

use crate::java_tokens::{Token, end_of_member, tokens};
use std::ops::Range;

/// The beginning of the texts that concern Cupping.
const PREFIX: &str = "cupping:";

/// A suppression in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The lines of the annotated declaration, from the annotation on, counted from 1.
    pub lines: Range<usize>,
    /// The suppressed kind of findings: the name of a command or of a rule.
    pub kind: String,
    /// The reason, for people.
    pub reason: String,
}

impl Suppression {
    /// Whether it suppresses a finding of a command and a rule at a line.
    pub fn is_about(&self, command: &str, rule: &str, line: usize) -> bool {
        (self.kind == command || self.kind == rule) && self.lines.contains(&line)
    }
}

/// The suppressions in a source, in their order.
pub fn suppressions(source: &str) -> Vec<Suppression> {
    // Most sources have none, and need no tokens.
    if !source.contains(PREFIX) {
        return Vec::new();
    }
    let tokens = tokens(source);
    let mut found = Vec::new();
    for start in 0..tokens.len() {
        if tokens[start].text != "@" {
            continue;
        }
        let texts = of_annotation(&tokens[start + 1..]);
        if texts.is_empty() {
            continue;
        }
        let end = end_of_member(&tokens, start);
        let last = tokens[..end].last().map_or(tokens[start].line, |it| it.line);
        let lines = tokens[start].line..last + 1;
        found.extend(texts.into_iter().map(|(kind, reason)| Suppression {
            lines: lines.clone(),
            kind,
            reason,
        }));
    }
    found
}

/// The kinds and reasons in an annotation, given by the tokens after its `@`; none in other annotations.
fn of_annotation(tokens: &[Token<'_>]) -> Vec<(String, String)> {
    // The name may have its package.
    let name = tokens.iter().take_while(|it| it.text != "(" && it.text != "@");
    let Some(length) = name.clone().position(|it| it.text == "SuppressWarnings") else { return Vec::new() };
    if !name.take(length).enumerate().all(|(at, it)| at % 2 == 0 || it.text == ".") {
        return Vec::new();
    }
    let arguments = tokens[length + 1..].iter();
    arguments.take_while(|it| it.text != ")").filter_map(|it| reason(it.text)).collect()
}

/// The kind and the reason in `"cupping:KIND REASON"`.
pub(crate) fn reason(literal: &str) -> Option<(String, String)> {
    let rest = literal.strip_prefix('"')?.trim_end_matches('"').strip_prefix(PREFIX)?;
    let (kind, reason) = rest.split_once([' ', ':']).unwrap_or((rest, ""));
    let reason = reason.trim_matches([' ', ':']);
    let reason = if reason.is_empty() { "no reason is given" } else { reason };
    Some((kind.to_owned(), reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"package a;

@SuppressWarnings("cupping:likely-defect a draft")
class A {
    @Override
    @SuppressWarnings({"unchecked", "cupping:generate callers check", "cupping:mutants"})
    void f() {
        g("}"); // @SuppressWarnings("cupping:generate in a comment")
    }

    @Deprecated(since = "cupping:generate no suppression")
    void g() {
        @java.lang.SuppressWarnings("cupping:infer: local") int x = 1;
    }
}
"#;

    #[test]
    fn a_suppression_is_about_the_declaration_behind_it() {
        let found = suppressions(SOURCE);
        let shown: Vec<(Range<usize>, &str, &str)> =
            found.iter().map(|it| (it.lines.clone(), it.kind.as_str(), it.reason.as_str())).collect();
        assert_eq!(
            shown,
            [
                (3..16, "likely-defect", "a draft"),
                (6..10, "generate", "callers check"),
                (6..10, "mutants", "no reason is given"),
                (13..14, "infer", "local"),
            ]
        );
        assert!(found[1].is_about("generate", "likely-defect", 8));
        assert!(!found[1].is_about("generate", "likely-defect", 13));
        assert!(found[0].is_about("generate", "likely-defect", 13));
        assert!(!found[0].is_about("generate", "another", 13));
    }

    #[test]
    fn damaged_sources_are_no_panic() {
        for end in (0..SOURCE.len()).filter(|it| SOURCE.is_char_boundary(*it)) {
            suppressions(&SOURCE[..end]);
            suppressions(&SOURCE[end..]);
        }
    }
}
