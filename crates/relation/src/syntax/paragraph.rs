//! Parses paragraphs: signatures, facts, functions, assertions, commands, and the sections of a method's
//! specification.

use super::ast::{Command, Decl, Expr, ExprKind, Function, Module, Mult, Name, Paragraph, ScopeItem, Sig};
use super::lexer::Token;
use super::parser::{Parser, is_keyword};
use crate::error::{Error, Result};

/// Parses a whole specification.
pub fn parse_module(text: &str) -> Result<Module> {
    let mut parser = Parser::new(text)?;
    let mut module = Module::default();
    if parser.take_word("module") {
        module.name = Some(parser.name()?);
    }
    while !matches!(parser.peek(), Token::End) {
        module.paragraphs.push(parser.paragraph()?);
    }
    Ok(module)
}

/// Parses one expression, or several formulas.
pub fn parse_expression(text: &str) -> Result<Expr> {
    let mut parser = Parser::new(text)?;
    let block = parser.formulas()?;
    match block.kind {
        ExprKind::Block(mut formulas) if formulas.len() == 1 => Ok(formulas.remove(0)),
        _ => Ok(block),
    }
}

impl Parser {
    fn paragraph(&mut self) -> Result<Paragraph> {
        let Token::Word(word) = self.peek().clone() else { return Err(self.no_paragraph()) };
        match word.as_str() {
            "open" => {
                self.advance();
                let name = self.name()?;
                if self.take_word("as") {
                    self.name()?;
                }
                Ok(Paragraph::Open(name))
            }
            "fact" => {
                self.advance();
                let name = self.optional_name()?;
                Ok(Paragraph::Fact(name, self.block()?))
            }
            "assert" => {
                self.advance();
                let name = self.optional_name()?;
                Ok(Paragraph::Assert(name, self.block()?))
            }
            "fun" | "pred" => self.function().map(Paragraph::Function),
            "let" => self.shorthand().map(Paragraph::Function),
            "run" | "check" => self.command().map(Paragraph::Command),
            "sig" | "abstract" | "static" | "part" | "one" | "lone" | "some" | "disj" => {
                self.signature().map(Paragraph::Sig)
            }
            _ => {
                // `pre { … }`, `post { … }`, `invariant { … }`
                if matches!(self.peek_at(1), Token::Symbol("{")) {
                    let name = self.name()?;
                    return Ok(Paragraph::Section(name, self.block()?));
                }
                Err(self.no_paragraph())
            }
        }
    }

    fn no_paragraph(&self) -> Error {
        self.unexpected("a paragraph")
            .help("a paragraph starts with sig, fact, fun, pred, let, assert, run or check")
    }

    fn optional_name(&mut self) -> Result<Option<Name>> {
        if self.is_symbol("{") { Ok(None) } else { self.name().map(Some) }
    }

    fn signature(&mut self) -> Result<Sig> {
        let (mut is_abstract, mut mult, mut part) = (false, None, false);
        loop {
            if self.take_word("abstract") {
                is_abstract = true;
            } else if self.take_word("static") || self.take_word("one") {
                mult = Some(Mult::One);
            } else if self.take_word("part") {
                part = true;
            } else if self.take_word("lone") {
                mult = Some(Mult::Lone);
            } else if self.take_word("some") {
                mult = Some(Mult::Some);
            } else if !self.take_word("disj") {
                break;
            }
        }
        if !self.take_word("sig") {
            return Err(self.unexpected("`sig`"));
        }
        let mut names = vec![self.name()?];
        while self.take_symbol(",") {
            names.push(self.name()?);
        }
        let mut parents = Vec::new();
        let disjoint = self.take_word("extends");
        if disjoint {
            parents.push(self.name()?);
        } else if self.take_word("in") {
            parents.push(self.name()?);
            while self.take_symbol("+") {
                parents.push(self.name()?);
            }
        }
        self.expect("{")?;
        let mut fields: Vec<Decl> = Vec::new();
        while !self.is_symbol("}") {
            fields.push(self.declaration()?);
            if !self.take_symbol(",") {
                break;
            }
        }
        self.expect("}")?;
        let facts = if self.is_symbol("{") { Some(self.block()?) } else { None };
        Ok(Sig { is_abstract, mult, part, names, disjoint, parents, fields, facts })
    }

    fn function(&mut self) -> Result<Function> {
        let is_predicate = self.is_word("pred");
        self.advance();
        let (receiver, name) = match self.receiver()? {
            Some((receiver, name)) => (Some(receiver), name),
            None => (None, self.name()?),
        };
        let close = match () {
            () if self.take_symbol("(") => Some(")"),
            () if self.take_symbol("[") => Some("]"),
            () => None,
        };
        let mut parameters = Vec::new();
        if let Some(close) = close {
            while !self.is_symbol(close) {
                parameters.push(self.declaration()?);
                if !self.take_symbol(",") {
                    break;
                }
            }
            self.expect(close)?;
        }
        let mut returns = None;
        if self.take_symbol(":") {
            let mult = self.multiplicity();
            returns = Some((mult, self.type_expression()?));
        }
        let body = self.block()?;
        Ok(Function { name, receiver, parameters, returns, body, is_predicate, is_shorthand: false })
    }

    /// `let name[a, b] = e`, a macro as in Alloy.
    fn shorthand(&mut self) -> Result<Function> {
        self.advance();
        let name = self.name()?;
        let mut names = Vec::new();
        if self.take_symbol("[") {
            while !self.is_symbol("]") {
                names.push(self.name()?);
                if !self.take_symbol(",") {
                    break;
                }
            }
            self.expect("]")?;
        }
        let body = if self.is_symbol("{") {
            self.block()?
        } else {
            self.expect("=")?;
            self.expression()?
        };
        let anything = |name: Name| Decl {
            disjoint: false,
            partition: false,
            mult: None,
            bound: Expr { kind: ExprKind::Name("univ".to_owned()), span: name.span },
            names: vec![name],
        };
        let parameters = names.into_iter().map(anything).collect();
        let (receiver, returns) = (None, None);
        Ok(Function { name, receiver, parameters, returns, body, is_predicate: false, is_shorthand: true })
    }

    fn command(&mut self) -> Result<Command> {
        let start = self.span();
        let check = self.is_word("check");
        self.advance();
        let goal = if self.is_symbol("{") {
            self.block()?
        } else {
            let name = self.name()?;
            Expr { kind: ExprKind::Name(name.text), span: name.span }
        };
        let (mut scope, mut default) = (Vec::new(), None);
        if self.take_word("for") {
            (default, scope) = self.scope()?;
        }
        Ok(Command { check, goal, scope, default, span: start.to(self.last_span()) })
    }

    /// `3 but exactly 4 Node, 0..2 int`
    pub(crate) fn scope(&mut self) -> Result<(Option<i64>, Vec<ScopeItem>)> {
        let mut items = Vec::new();
        let mut default = None;
        if matches!(self.peek(), Token::Number(_))
            && !matches!(self.peek_at(1), Token::Word(word) if !is_keyword(word))
            && !matches!(self.peek_at(1), Token::Symbol(".."))
        {
            if let Token::Number(value) = self.advance() {
                default = Some(value);
            }
            if !self.take_word("but") {
                return Ok((default, items));
            }
        }
        loop {
            items.push(self.scope_item()?);
            if !self.take_symbol(",") {
                return Ok((default, items));
            }
        }
    }

    fn scope_item(&mut self) -> Result<ScopeItem> {
        let exactly = self.take_word("exactly");
        let first = self.integer()?;
        let range = if self.take_symbol("..") { Some(self.integer()?) } else { None };
        let name = self.name()?;
        let integers = matches!(name.text.as_str(), "int" | "Int" | "Integer");
        let (least, most) = match range {
            Some(most) => (first, most),
            None if exactly => (first, first),
            // Alloy's bit width.
            None if integers => {
                let half = 1_i64 << first.clamp(1, 16) >> 1;
                (-half, half - 1)
            }
            None => (0, first),
        };
        if least > most || (!integers && least < 0) {
            return Err(Error::new(name.span, format!("the scope of {} is empty", name.text))
                .help("write the smaller number first"));
        }
        Ok(ScopeItem { name, least, most })
    }

    fn integer(&mut self) -> Result<i64> {
        let negative = self.take_symbol("-");
        match self.peek() {
            Token::Number(value) => {
                let value = if negative { -value } else { *value };
                self.advance();
                Ok(value)
            }
            _ => {
                Err(self.unexpected("a number").help("write a scope as `exactly 3 Node, 4 Entry, 0..2 int`"))
            }
        }
    }
}

/// Parses a scope as it follows `for` in a command.
pub fn parse_scope(text: &str) -> Result<(Option<i64>, Vec<ScopeItem>)> {
    let mut parser = Parser::new(text)?;
    let scope = parser.scope()?;
    match parser.peek() {
        Token::End => Ok(scope),
        _ => Err(parser.unexpected("`,` or the end of the scope")),
    }
}
