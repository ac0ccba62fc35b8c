//! The statements of a testcase.

use super::reader::{ParseResult, TokenReader};
use crate::ast::Statement;
use crate::diagnostic::Span;
use crate::token::TokenKind;

impl TokenReader<'_> {
    pub(super) fn statement(&mut self, end: usize) -> ParseResult<Statement> {
        if self.take("requirement") {
            return self.requirement().map(Statement::Requirement);
        }
        if self.is("forall") {
            return self.fail(self.here(), "forall must come first in the testcase");
        }
        if self.is("(") {
            let close = self.closing(self.at)?;
            if self.text(close + 1) == "requiredBy" {
                let triple = self.triple()?;
                self.expect(";", "after the triple")?;
                return Ok(Statement::Triple(triple));
            }
            // No Java statement continues with a word after a parenthesis at its start.
            if self.kind(close + 1) == Some(TokenKind::Word) && close + 1 < end {
                return self.keyword_missing(
                    close + 1,
                    "requiredBy",
                    "a triple is (pre) requiredBy call ensure (post)",
                );
            }
        }
        let from = self.at;
        let start = from + (self.is("final")) as usize;
        if let Some(name) = self.type_end(start)
            && self.kind(name) == Some(TokenKind::Word)
            && !matches!(self.text(name), "instanceof" | "requiredBy")
            && matches!(self.text(name + 1), "=" | ";" | "," | "[")
        {
            return self.local(start, name, end);
        }
        let stop = self.statement_end(from, end)?;
        let is_keyword = |at: &usize| {
            let is_after_call = *at > from && self.text(at - 1) == ")";
            self.kind(*at) == Some(TokenKind::Word)
                && (self.text(*at) == "requiredBy" || self.text(*at) == "ensure" && is_after_call)
        };
        if let Some(at) = (from..stop).find(is_keyword) {
            let what = format!(
                "{} belongs to a triple, whose precondition is in parentheses: (pre) requiredBy call ensure (post)",
                self.text(at)
            );
            return self.fail(self.span(at, at + 1), what);
        }
        self.at = stop;
        Ok(Statement::Java(self.span(from, stop)))
    }

    pub(super) fn local(&mut self, from: usize, name: usize, end: usize) -> ParseResult<Statement> {
        let ty = self.span(from, name);
        if self.source.slice(ty) == "var" {
            return self.fail(ty, "write the type instead of var: conditions are compiled separately");
        }
        let stop = self.statement_end(from, end)?;
        let name_span = self.span(name, name + 1);
        let value = match self.text(name + 1) {
            ";" => None,
            "=" => Some(self.span(name + 2, stop - 1)),
            _ => return self.fail(self.span(name + 1, name + 2), "declare one variable at a time"),
        };
        if let Some(comma) = self.comma(name + 1, stop) {
            return self.fail(self.span(comma, comma + 1), "declare one variable at a time");
        }
        self.at = stop;
        Ok(Statement::Local { ty, name: name_span, value })
    }

    /// A comma between declarations: one outside of all brackets, followed by a name and then `=` or the end.
    pub(super) fn comma(&self, from: usize, to: usize) -> Option<usize> {
        let mut open = 0;
        (from..to).find(|at| {
            match self.text(*at) {
                "(" | "[" | "{" => open += 1,
                ")" | "]" | "}" => open -= 1,
                _ => {}
            }
            open == 0
                && self.text(*at) == ","
                && self.kind(at + 1) == Some(TokenKind::Word)
                && matches!(self.text(at + 2), "=" | ";" | ",")
        })
    }

    /// The token after a Java statement.
    pub(super) fn statement_end(&self, from: usize, end: usize) -> ParseResult<usize> {
        let is_loop_with_test = self.text(from) == "do";
        let mut at = from;
        while at < end {
            match self.text(at) {
                "(" | "[" => at = self.closing(at)? + 1,
                "{" => {
                    at = self.closing(at)? + 1;
                    let goes_on =
                        matches!(self.text(at), "else" | "catch" | "finally" | ";" | "." | "," | ")" | "?")
                            || (is_loop_with_test && self.text(at) == "while");
                    if !goes_on {
                        return Ok(at);
                    }
                }
                ";" if self.text(at + 1) == "else" => at += 1,
                ";" => return Ok(at + 1),
                ")" | "]" => {
                    return self.fail(self.span(at, at + 1), format!("'{}' closes nothing", self.text(at)));
                }
                _ => at += 1,
            }
        }
        let last = self.span(end.saturating_sub(1), end);
        self.fail(Span { start: last.end, end: last.end }, "';' is missing at the end of the statement")
    }
}
