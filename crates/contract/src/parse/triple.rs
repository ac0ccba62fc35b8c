//! Triples: precondition, call, postcondition.

use super::reader::{ParseResult, TokenReader};
use crate::ast::{Condition, Triple, TripleCall};
use crate::token::TokenKind;

/// Limit on the nesting of triples.
const MOST_NESTED: usize = 16;

impl TokenReader<'_> {
    /// Parses a triple, starting at its first parenthesis.
    pub(super) fn triple(&mut self) -> ParseResult<Triple> {
        let from = self.at;
        if self.depth >= MOST_NESTED {
            return self.fail(self.here(), "triples are nested too deeply");
        }
        self.depth += 1;
        let pre = self.condition(true)?;
        self.expect("requiredBy", "after the precondition")?;
        let call = self.call()?;
        let (mut throws, mut post) = (None, None);
        if self.take("ensure") {
            if self.take("throws") {
                throws = Some(self.ty()?);
                if self.is("(") {
                    post = Some(self.condition(false)?);
                }
            } else if self.is("(") {
                post = Some(self.condition(false)?);
            } else {
                return self.fail(self.here(), "write ensure (e), ensure throws E, or ensure throws E (e)");
            }
        }
        self.depth -= 1;
        Ok(Triple { span: self.span(from, self.at), pre, call, throws, post })
    }

    /// Parses a condition in parentheses.
    pub(super) fn condition(&mut self, is_pre: bool) -> ParseResult<Condition> {
        let open = self.at;
        if !self.is("(") {
            return self.fail(self.here(), "expected a condition in parentheses");
        }
        let end = self.closing(open)?;
        let mut condition = Condition {
            span: self.span(open + 1, end),
            old: Vec::new(),
            modifies: Vec::new(),
            nested: Vec::new(),
        };
        if end == open + 1 {
            return self
                .fail(self.span(open, end + 1), "the condition is empty; write (true) for no condition");
        }
        let mut at = open + 1;
        while at < end {
            if self.text(at) == "(" && self.kind(at) == Some(TokenKind::Sign) {
                let close = self.closing(at)?;
                if self.text(close + 1) == "requiredBy" {
                    self.at = at;
                    condition.nested.push(self.triple()?);
                    at = self.at;
                    continue;
                }
            }
            let is_mark = matches!(self.text(at), "old" | "modifies")
                && self.kind(at) == Some(TokenKind::Word)
                && self.text(at + 1) == "("
                && (at == 0 || !matches!(self.text(at - 1), "." | "::"));
            if is_mark {
                let close = self.closing(at + 1)?;
                let (whole, inner) = (self.span(at, close + 1), self.span(at + 2, close));
                if is_pre {
                    let what = format!("{} is only allowed in a postcondition", self.text(at));
                    return self.fail(whole, what);
                }
                if close == at + 2 {
                    return self.fail(whole, "expected an expression in the parentheses");
                }
                if self.text(at) == "old" {
                    condition.old.push((whole, inner));
                } else if self.text(close - 2) == "." || close == at + 3 {
                    condition.modifies.push((whole, inner));
                } else {
                    return self
                        .fail(inner, "the operand of modifies must be a field: modifies(object.field)");
                }
                at = close + 1;
                continue;
            }
            at += 1;
        }
        self.at = end + 1;
        Ok(condition)
    }

    pub(super) fn call(&mut self) -> ParseResult<TripleCall> {
        let from = self.at;
        let mut last_open = None;
        while self.at < self.tokens.len()
            && !matches!(self.next(), "ensure" | ";" | ")" | "," | "&&" | "||" | "?" | ":")
        {
            match self.next() {
                "(" => {
                    last_open = Some(self.at);
                    self.at = self.closing(self.at)? + 1;
                    let is_word = self.kind(self.at) == Some(TokenKind::Word) && !self.is("ensure");
                    if is_word && self.text(self.at - 1) == ")" {
                        return self.keyword_missing(
                            self.at,
                            "ensure",
                            "a triple is (pre) requiredBy call ensure (post)",
                        );
                    }
                }
                "[" | "{" => self.at = self.closing(self.at)? + 1,
                _ => self.at += 1,
            }
        }
        let span = self.span(from, self.at);
        let Some(open) = last_open.filter(|open| self.closing(*open).is_ok_and(|end| end + 1 == self.at))
        else {
            return self
                .fail(span, "requiredBy needs a call: object.method(…), Class.method(…) or new Class(…)");
        };
        let end = self.at;
        self.at = open + 1;
        let mut arguments = Vec::new();
        while self.at < end - 1 {
            arguments.push(self.operand(&[])?);
            if !self.take(",") && self.at < end - 1 {
                return self.fail(self.here(), "',' is missing between the arguments");
            }
        }
        self.at = end;
        if self.text(from) == "new" {
            let name = self.span(from + 1, open);
            return Ok(TripleCall { span, receiver: None, name, arguments, is_new: true });
        }
        if open == from || self.kind(open - 1) != Some(TokenKind::Word) {
            return self
                .fail(span, "requiredBy needs a call: object.method(…), Class.method(…) or new Class(…)");
        }
        let name = self.span(open - 1, open);
        let receiver = (open >= from + 3 && self.text(open - 2) == ".").then(|| self.span(from, open - 2));
        Ok(TripleCall { span, receiver, name, arguments, is_new: false })
    }
}
