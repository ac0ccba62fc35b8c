//! Requirements: variables with restrictions.

use super::reader::{ParseResult, TokenReader};
use crate::ast::{Bound, Order, Requirement};

impl TokenReader<'_> {
    pub(super) fn requirement(&mut self) -> ParseResult<Requirement> {
        let from = self.at - 1;
        let ty = self.ty()?;
        if self.source.slice(ty) == "var" {
            return self.fail(ty, "write the type instead of var: conditions are compiled separately");
        }
        let name = self.word("the required variable")?;
        let mut bounds = Vec::new();
        loop {
            bounds.push(self.bound()?);
            if !self.take(",") {
                break;
            }
        }
        if bounds.len() > 1 && bounds.iter().any(|bound| matches!(bound, Bound::Equal(_))) {
            return self
                .fail(self.span(from, self.at), "a variable that equals a value takes no other restriction");
        }
        self.expect(";", "after the requirement")?;
        Ok(Requirement { span: self.span(from, self.at), ty, name, bounds })
    }

    pub(super) fn bound(&mut self) -> ParseResult<Bound> {
        let order = match self.next() {
            "<" => Some(Order::Less),
            "<=" => Some(Order::AtMost),
            ">" => Some(Order::Greater),
            ">=" => Some(Order::AtLeast),
            "!=" => Some(Order::Not),
            _ => None,
        };
        if let Some(order) = order {
            self.at += 1;
            return Ok(Bound::Compare(order, self.operand(&[])?));
        }
        if self.take("=") {
            return Ok(Bound::Equal(self.operand(&[])?));
        }
        if self.take("where") {
            if !self.is("(") {
                return self.fail(self.here(), "write the predicate in parentheses: where (e)");
            }
            let end = self.closing(self.at)?;
            let span = self.span(self.at + 1, end);
            self.at = end + 1;
            return Ok(Bound::Where(span));
        }
        if self.take("in") {
            if self.is("{") {
                let end = self.closing(self.at)?;
                self.at += 1;
                let mut values = Vec::new();
                while self.at < end {
                    values.push(self.operand(&["}"])?);
                    self.take(",");
                }
                self.at = end + 1;
                return Ok(Bound::OneOf(values));
            }
            let low = self.operand(&[".."])?;
            self.expect("..", "between the ends of the range")?;
            return Ok(Bound::Range(low, self.operand(&[])?));
        }
        self.fail(
            self.here(),
            "expected a restriction: = e, < e, <= e, > e, >= e, != e, in a .. b, in { a, b } or where (e)",
        )
    }
}
