//! The parser for specifications (paper, Figure 1; `docs/spec.md` has the whole grammar).

use crate::ast::{
    Bound, Call, Condition, Order, Parameter, Requirement, Specification, Statement, Test, Testcase, Triple,
};
use crate::diagnostic::{Diagnostic, Source, Span};
use crate::token::{Kind, Token, is_unfinished, tokens};

/// Parses a specification.
///
/// # Errors
/// The first error.
pub fn read(source: &Source) -> Result<Specification, Diagnostic> {
    let all = tokens(&source.text).into_iter().filter(|token| token.kind != Kind::Comment).collect();
    Reader { source, tokens: all, at: 0, depth: 0 }.specification()
}

type Read<T> = Result<T, Diagnostic>;

/// Limit on the nesting of triples.
const MOST_NESTED: usize = 16;
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

struct Reader<'s> {
    source: &'s Source,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| self.source.slice(token.span))
    }

    fn next(&self) -> &str {
        self.text(self.at)
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn is(&self, text: &str) -> bool {
        self.next() == text && self.kind(self.at) != Some(Kind::Text)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += found as usize;
        found
    }

    fn here(&self) -> Span {
        let end = self.source.text.trim_end().len();
        self.tokens.get(self.at).map_or(Span { start: end, end }, |token| token.span)
    }

    fn fail<T>(&self, span: Span, message: impl Into<String>) -> Read<T> {
        Err(Diagnostic::new(self.source, span, message))
    }

    fn expect(&mut self, text: &str, for_what: &str) -> Read<()> {
        if self.take(text) {
            return Ok(());
        }
        let found = if self.next().is_empty() { "the end of the file" } else { self.next() };
        self.fail(self.here(), format!("'{text}' is missing {for_what}, before {found}"))
    }

    fn word(&mut self, what: &str) -> Read<Span> {
        match self.tokens.get(self.at) {
            Some(token) if token.kind == Kind::Word => {
                self.at += 1;
                Ok(token.span)
            }
            _ => self.fail(self.here(), format!("expected a name: {what}")),
        }
    }

    /// The span of the tokens `from..to`.
    fn span(&self, from: usize, to: usize) -> Span {
        match (self.tokens.get(from), to.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) if from < to => Span { start: first.span.start, end: last.span.end },
            (Some(first), _) => Span { start: first.span.start, end: first.span.start },
            _ => self.here(),
        }
    }

    fn specification(&mut self) -> Read<Specification> {
        let mut package = None;
        if self.take("package") {
            let name = self.qualified("the package")?;
            package = Some(self.source.slice(name).split_whitespace().collect());
            self.expect(";", "after the package")?;
        }
        let mut imports = Vec::new();
        while self.is("import") {
            let from = self.at;
            while !self.is(";") {
                if self.at >= self.tokens.len() {
                    return self.fail(self.span(from, from + 1), "';' is missing after the import");
                }
                self.at += 1;
            }
            self.at += 1;
            imports.push(self.span(from, self.at));
        }
        let mut tests = Vec::new();
        while self.at < self.tokens.len() {
            if !self.take("test") {
                let what = format!("'test' is missing: write test CLASS {{ … }} instead of {}", self.next());
                return self.fail(self.here(), what);
            }
            tests.push(self.test()?);
        }
        Ok(Specification { source: self.source.clone(), package, imports, tests })
    }

    fn qualified(&mut self, what: &str) -> Read<Span> {
        let from = self.at;
        self.word(what)?;
        while self.is(".") {
            self.at += 1;
            self.word(what)?;
        }
        Ok(self.span(from, self.at))
    }

    fn test(&mut self) -> Read<Test> {
        let class = self.qualified("the class that the test is about")?;
        self.expect("{", "after the class of the test")?;
        let mut test = Test { class, testcases: Vec::new(), members: Vec::new() };
        while !self.take("}") {
            if self.is("java") {
                self.at += 1;
                let from = self.at;
                if !self.is("{") {
                    return self.fail(self.here(), "'{' is missing after java");
                }
                let end = self.closing(from)?;
                test.members.push(self.span(from + 1, end));
                self.at = end + 1;
            } else if self.take("testcase") {
                test.testcases.push(self.testcase()?);
            } else if self.at >= self.tokens.len() {
                return self.fail(self.here(), "'}' is missing at the end of the test");
            } else {
                return self.fail(self.here(), "write testcase NAME { … } or java { … } here");
            }
        }
        Ok(test)
    }

    /// The bracket that closes the one at `from`.
    fn closing(&self, from: usize) -> Read<usize> {
        let mut open = Vec::new();
        for at in from..self.tokens.len() {
            if self.kind(at) != Some(Kind::Sign) {
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
    fn strings_end(&self, from: usize) -> Read<()> {
        let is_open = |at: &usize| self.kind(*at) == Some(Kind::Text) && is_unfinished(self.text(*at));
        match (from..self.tokens.len()).find(is_open) {
            Some(at) => self.fail(self.span(at, at + 1), "the string does not end on its line"),
            None => Ok(()),
        }
    }

    fn testcase(&mut self) -> Read<Testcase> {
        let name = self.word("the testcase")?;
        if !self.is("{") {
            return self.fail(self.here(), "'{' is missing after the name of the testcase");
        }
        let end = self.closing(self.at)?;
        self.at += 1;
        let mut types = Vec::new();
        while self.take("forall") {
            types.push(self.parameter()?);
        }
        let mut body = Vec::new();
        while self.at < end {
            body.push(self.statement(end)?);
        }
        self.at = end + 1;
        Ok(Testcase { name, types, body })
    }

    fn parameter(&mut self) -> Read<Parameter> {
        let name = self.word("the type that the testcase is about")?;
        let bound = if self.take("extends") { Some(self.ty()?) } else { None };
        let mut values = Vec::new();
        if self.take("in") {
            values.push(self.ty()?);
            while self.take(",") {
                values.push(self.ty()?);
            }
        }
        if bound.is_none() && values.is_empty() {
            return self.fail(name, "list the types: forall T extends BOUND; or forall T in TYPE, TYPE;");
        }
        self.expect(";", "after forall")?;
        Ok(Parameter { name, bound, values })
    }

    fn ty(&mut self) -> Read<Span> {
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
    fn type_end(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            if self.kind(at)? != Kind::Word || STATEMENTS.contains(&self.text(at)) {
                return None;
            }
            at += 1;
            if self.text(at) == "<" {
                at = self.type_arguments_end(at)?;
            }
            if self.text(at) != "." || self.kind(at + 1) != Some(Kind::Word) {
                break;
            }
            at += 1;
        }
        while self.text(at) == "[" && self.text(at + 1) == "]" {
            at += 2;
        }
        Some(at)
    }

    fn type_arguments_end(&self, from: usize) -> Option<usize> {
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
                _ if self.kind(at) == Some(Kind::Word) => {}
                _ => return None,
            }
        }
        None
    }

    fn statement(&mut self, end: usize) -> Read<Statement> {
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
        }
        let from = self.at;
        let start = from + (self.is("final")) as usize;
        if let Some(name) = self.type_end(start)
            && self.kind(name) == Some(Kind::Word)
            && !matches!(self.text(name), "instanceof" | "requiredBy")
            && matches!(self.text(name + 1), "=" | ";" | "," | "[")
        {
            return self.local(start, name, end);
        }
        let stop = self.statement_end(from, end)?;
        self.at = stop;
        Ok(Statement::Java(self.span(from, stop)))
    }

    fn local(&mut self, from: usize, name: usize, end: usize) -> Read<Statement> {
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
    fn comma(&self, from: usize, to: usize) -> Option<usize> {
        let mut open = 0;
        (from..to).find(|at| {
            match self.text(*at) {
                "(" | "[" | "{" => open += 1,
                ")" | "]" | "}" => open -= 1,
                _ => {}
            }
            open == 0
                && self.text(*at) == ","
                && self.kind(at + 1) == Some(Kind::Word)
                && matches!(self.text(at + 2), "=" | ";" | ",")
        })
    }

    /// The token after a Java statement.
    fn statement_end(&self, from: usize, end: usize) -> Read<usize> {
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

    fn requirement(&mut self) -> Read<Requirement> {
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

    fn bound(&mut self) -> Read<Bound> {
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

    /// An expression that ends before `,`, `;` or one of these tokens.
    fn operand(&mut self, ends: &[&str]) -> Read<Span> {
        let from = self.at;
        while self.at < self.tokens.len() {
            match self.next() {
                "(" | "[" | "{" => self.at = self.closing(self.at)? + 1,
                "new" if self.kind(self.at) == Some(Kind::Word) => {
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

    /// Parses a triple, starting at its first parenthesis.
    fn triple(&mut self) -> Read<Triple> {
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
    fn condition(&mut self, is_pre: bool) -> Read<Condition> {
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
            if self.text(at) == "(" && self.kind(at) == Some(Kind::Sign) {
                let close = self.closing(at)?;
                if self.text(close + 1) == "requiredBy" {
                    self.at = at;
                    condition.nested.push(self.triple()?);
                    at = self.at;
                    continue;
                }
            }
            let is_mark = matches!(self.text(at), "old" | "modifies")
                && self.kind(at) == Some(Kind::Word)
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

    fn call(&mut self) -> Read<Call> {
        let from = self.at;
        let mut last_open = None;
        while self.at < self.tokens.len()
            && !matches!(self.next(), "ensure" | ";" | ")" | "," | "&&" | "||" | "?" | ":")
        {
            match self.next() {
                "(" => {
                    last_open = Some(self.at);
                    self.at = self.closing(self.at)? + 1;
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
            return Ok(Call { span, receiver: None, name, arguments, is_new: true });
        }
        if open == from || self.kind(open - 1) != Some(Kind::Word) {
            return self
                .fail(span, "requiredBy needs a call: object.method(…), Class.method(…) or new Class(…)");
        }
        let name = self.span(open - 1, open);
        let receiver = (open >= from + 3 && self.text(open - 2) == ".").then(|| self.span(from, open - 2));
        Ok(Call { span, receiver, name, arguments, is_new: false })
    }
}
