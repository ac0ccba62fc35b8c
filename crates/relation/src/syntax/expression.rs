//! Parses expressions by precedence climbing. The levels are those of Alloy 6; `::` and the backtick, which
//! Alloy lacks, bind tightest.

use super::ast::{Binary, Decl, Expr, ExprKind, Mult, Name, Quantifier, Unary};
use super::foreign;
use super::lexer::Token;
use super::parser::{Parser, is_keyword};
use crate::error::{Error, Result, Span};

const LEAST: u8 = 0;
const IMPLIES: u8 = 3;
const NOT: u8 = 5;
const COMPARE: u8 = 6;
const TEST: u8 = 7;
const SUM: u8 = 8;
const CARDINALITY: u8 = 9;
const PRODUCT: u8 = 12;
const BOX: u8 = 15;
const JOIN: u8 = 16;
const CLOSURE: u8 = 17;
const TIGHTEST: u8 = 18;

/// The form of a quantified formula.
const QUANTIFIED: &str = "write `all x: SET | FORMULA`";

/// Infix operators with their precedence.
const INFIX: [(&str, u8, Binary); 33] = [
    ("||", 1, Binary::Or),
    ("or", 1, Binary::Or),
    ("<=>", 2, Binary::Iff),
    ("iff", 2, Binary::Iff),
    ("=>", IMPLIES, Binary::Implies),
    ("implies", IMPLIES, Binary::Implies),
    ("&&", 4, Binary::And),
    ("and", 4, Binary::And),
    ("in", COMPARE, Binary::In),
    (":", COMPARE, Binary::In),
    ("!in", COMPARE, Binary::NotIn),
    ("!:", COMPARE, Binary::NotIn),
    ("=", COMPARE, Binary::Equal),
    ("!=", COMPARE, Binary::NotEqual),
    ("<", COMPARE, Binary::Less),
    ("<=", COMPARE, Binary::AtMost),
    ("=<", COMPARE, Binary::AtMost),
    (">", COMPARE, Binary::Greater),
    (">=", COMPARE, Binary::AtLeast),
    ("!<", COMPARE, Binary::AtLeast),
    ("!>", COMPARE, Binary::AtMost),
    ("+", SUM, Binary::Union),
    ("-", SUM, Binary::Difference),
    ("++", 10, Binary::Override),
    ("&", 11, Binary::Intersection),
    ("->", PRODUCT, Binary::Product(None, None)),
    ("<:", 13, Binary::Domain),
    (":>", 14, Binary::Range),
    (".", JOIN, Binary::Join),
    ("..", JOIN, Binary::Join),
    ("::", TIGHTEST, Binary::Join),
    ("not in", COMPARE, Binary::NotIn),
    ("! in", COMPARE, Binary::NotIn),
];

impl Parser {
    /// Parses an expression or formula.
    pub(crate) fn expression(&mut self) -> Result<Expr> {
        self.climb(LEAST)
    }

    fn climb(&mut self, least: u8) -> Result<Expr> {
        self.nested(|parser| {
            let mut left = parser.prefix()?;
            while let Some(next) = parser.infix(&left, least)? {
                left = next;
                parser.deepen()?;
            }
            Ok(left)
        })
    }

    /// Extends `left` with the next operator and operand, if an operator of at least this precedence follows.
    fn infix(&mut self, left: &Expr, least: u8) -> Result<Option<Expr>> {
        let start = left.span;
        if self.is_symbol("`") {
            self.advance();
            let kind = ExprKind::Unary(Unary::Before, Box::new(left.clone()));
            return Ok(Some(Expr { kind, span: start.to(self.last_span()) }));
        }
        if self.is_symbol("[") && least <= BOX {
            self.advance();
            let arguments = self.arguments("]")?;
            let kind = ExprKind::Apply(Box::new(left.clone()), arguments);
            return Ok(Some(Expr { kind, span: start.to(self.last_span()) }));
        }
        // A multiplicity before an arrow.
        if least <= PRODUCT
            && matches!(self.peek_at(1), Token::Symbol("->"))
            && let Some(mult) = self.multiplicity()
        {
            self.expect("->")?;
            return self.product(left, Some(mult)).map(Some);
        }
        let Some((operator, level, length)) = self.operator() else {
            return self.foreign_operator().map_or(Ok(None), Err);
        };
        if level < least {
            return Ok(None);
        }
        (0..length).for_each(|_| drop(self.advance()));
        let right = match operator {
            Binary::Product(..) => return self.product(left, None).map(Some),
            Binary::Implies => {
                let then = self.climb(IMPLIES)?;
                if self.take_word("else") {
                    let other = self.climb(IMPLIES)?;
                    let span = start.to(other.span);
                    let kind = ExprKind::If(Box::new(left.clone()), Box::new(then), Box::new(other));
                    return Ok(Some(Expr { kind, span }));
                }
                then
            }
            _ => self.climb(level + 1)?,
        };
        let span = start.to(right.span);
        Ok(Some(Expr { kind: ExprKind::Binary(operator, Box::new(left.clone()), Box::new(right)), span }))
    }

    fn operator(&self) -> Option<(Binary, u8, usize)> {
        let (text, length) = match (self.peek(), self.peek_at(1)) {
            (Token::Word(not), Token::Word(word)) if not == "not" && word == "in" => ("not in", 2),
            (Token::Symbol("!"), Token::Word(word)) if word == "in" => ("! in", 2),
            (Token::Word(word), _) => (word.as_str(), 1),
            (Token::Symbol(symbol), _) => (*symbol, 1),
            _ => return None,
        };
        INFIX.iter().find(|(it, ..)| *it == text).map(|&(_, level, operator)| (operator, level, length))
    }

    /// The error about an operator of another notation.
    fn foreign_operator(&self) -> Option<Error> {
        match self.peek() {
            Token::Word(word) => foreign::operator(word, self.span()),
            Token::Symbol("/") => {
                Some(Error::new(self.span(), "`/` is not an operator").help("write `div[a, b]`"))
            }
            _ => None,
        }
    }

    /// Parses what follows the arrow.
    fn product(&mut self, left: &Expr, before: Option<Mult>) -> Result<Expr> {
        let after = self.multiplicity();
        let right = self.climb(PRODUCT)?;
        let span = left.span.to(right.span);
        let kind = ExprKind::Binary(Binary::Product(before, after), Box::new(left.clone()), Box::new(right));
        Ok(Expr { kind, span })
    }

    /// Parses a multiplicity, as a word or a symbol.
    pub(crate) fn multiplicity(&mut self) -> Option<Mult> {
        let mult = match self.peek() {
            Token::Word(word) => match word.as_str() {
                "lone" | "sole" | "option" => Mult::Lone,
                "one" => Mult::One,
                "some" => Mult::Some,
                "set" => Mult::Set,
                _ => return None,
            },
            Token::Symbol("?") => Mult::Lone,
            Token::Symbol("!") => Mult::One,
            Token::Symbol("+") => Mult::Some,
            _ => return None,
        };
        self.advance();
        Some(mult)
    }

    fn arguments(&mut self, close: &str) -> Result<Vec<Expr>> {
        let arguments = self.list(close)?;
        self.expect(close)?;
        Ok(arguments)
    }

    /// Expressions separated by commas, up to this symbol.
    fn list(&mut self, close: &str) -> Result<Vec<Expr>> {
        let mut arguments = Vec::new();
        while !self.is_symbol(close) {
            arguments.push(self.expression()?);
            if !self.take_symbol(",") {
                break;
            }
        }
        Ok(arguments)
    }

    /// Takes the parenthesis that closes the one at `open`. Where the next formula, or nothing, follows instead, it is
    /// missing; elsewhere something is wrong inside.
    fn close_parenthesis(&mut self, open: Span) -> Result<()> {
        let ends = match self.peek() {
            Token::End => true,
            Token::Symbol(it) => *it == "}",
            Token::Word(it) => matches!(it.as_str(), "all" | "some" | "no" | "one" | "lone" | "sole" | "let"),
            _ => false,
        };
        if ends {
            return Err(Error::new(open, "this `(` is not closed").help("close it with `)`"));
        }
        self.expect(")").map(drop)
    }

    fn prefix(&mut self) -> Result<Expr> {
        let start = self.span();
        let unary = |parser: &mut Parser, operator, level| {
            parser.advance();
            let operand = parser.climb(level)?;
            let span = start.to(operand.span);
            Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), span })
        };
        match self.peek().clone() {
            Token::Symbol("~") => unary(self, Unary::Transpose, CLOSURE),
            Token::Symbol("^") => unary(self, Unary::Closure, CLOSURE),
            Token::Symbol("*") => unary(self, Unary::Reflexive, CLOSURE),
            Token::Symbol("#") => unary(self, Unary::Cardinality, CARDINALITY),
            Token::Symbol("-") => unary(self, Unary::Negate, CARDINALITY),
            Token::Symbol("!") => unary(self, Unary::Not, NOT),
            Token::Word(word) => match word.as_str() {
                "not" => unary(self, Unary::Not, NOT),
                "all" => self.quantified(Quantifier::All),
                "some" => self.counted(Mult::Some),
                "no" => self.counted(Mult::No),
                "lone" | "sole" => self.counted(Mult::Lone),
                "one" => self.counted(Mult::One),
                "let" => self.binding(),
                "if" => self.conditional(),
                "sum" if self.declares(1) => {
                    self.advance();
                    let declarations = self.declarations()?;
                    self.expect("|")?;
                    let body = self.expression()?;
                    let span = start.to(body.span);
                    Ok(Expr { kind: ExprKind::Sum(declarations, Box::new(body)), span })
                }
                word if self.declares(1) && foreign::quantifier(word, start).is_some() => {
                    Err(foreign::quantifier(word, start).unwrap_or_else(|| self.unexpected("a formula")))
                }
                _ => self.primary(),
            },
            _ => self.primary(),
        }
    }

    /// `some x: e | f`, or `some e`.
    fn counted(&mut self, mult: Mult) -> Result<Expr> {
        if self.declares(1) {
            return self.quantified(Quantifier::Count(mult));
        }
        let start = self.span();
        self.advance();
        let operand = self.climb(TEST)?;
        let span = start.to(operand.span);
        Ok(Expr { kind: ExprKind::Unary(Unary::Test(mult), Box::new(operand)), span })
    }

    /// Whether declarations start this many tokens ahead.
    fn declares(&self, mut ahead: usize) -> bool {
        if matches!(self.peek_at(ahead), Token::Word(it) if it == "disj" || it == "part") {
            ahead += 1;
        }
        loop {
            if !matches!(self.peek_at(ahead), Token::Word(it) if !is_keyword(it)) {
                return false;
            }
            match self.peek_at(ahead + 1) {
                Token::Symbol(":") => return true,
                Token::Word(it) if it == "in" => return true,
                Token::Symbol(",") => ahead += 2,
                _ => return false,
            }
        }
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Result<Expr> {
        let start = self.span();
        self.advance();
        let declarations = self.declarations()?;
        let body = if self.take_symbol("|") {
            self.expression()?
        } else if self.is_symbol("{") {
            self.block()?
        } else {
            let error = self.unexpected("`|` and the body of the quantifier");
            return Err(if self.is_symbol(":") { error.help(QUANTIFIED) } else { error });
        };
        let span = start.to(body.span);
        Ok(Expr { kind: ExprKind::Quantified(quantifier, declarations, Box::new(body)), span })
    }

    /// Parses declarations separated by commas.
    pub(crate) fn declarations(&mut self) -> Result<Vec<Decl>> {
        let mut found = vec![self.declaration()?];
        while self.take_symbol(",") {
            found.push(self.declaration()?);
        }
        Ok(found)
    }

    /// Parses one declaration.
    pub(crate) fn declaration(&mut self) -> Result<Decl> {
        let disjoint = self.take_word("disj");
        let partition = !disjoint && self.take_word("part");
        let mut names = vec![self.name()?];
        while self.take_symbol(",") {
            names.push(self.name()?);
        }
        if !self.take_symbol(":") && !self.take_word("in") {
            let error = self.unexpected("`:` after the declared names");
            return Err(if self.is_symbol("|") { error.help(QUANTIFIED) } else { error });
        }
        let mut mult = self.multiplicity();
        let bound = self.climb(TEST + 1)?;
        if mult.is_none() && (self.is_symbol("?") || self.is_symbol("!")) {
            mult = self.multiplicity();
        }
        Ok(Decl { disjoint, partition, names, mult, bound })
    }

    fn binding(&mut self) -> Result<Expr> {
        let start = self.span();
        self.advance();
        let name = self.name()?;
        self.expect("=")?;
        let value = self.climb(TEST)?;
        let body = if self.is_symbol(",") {
            // Each further binding becomes a nested `let`.
            self.binding()?
        } else if self.is_symbol("{") {
            self.block()?
        } else {
            self.expect("|")?;
            self.expression()?
        };
        let span = start.to(body.span);
        Ok(Expr { kind: ExprKind::Let(name, Box::new(value), Box::new(body)), span })
    }

    fn conditional(&mut self) -> Result<Expr> {
        let start = self.span();
        self.advance();
        let condition = self.expression()?;
        if !self.take_word("then") {
            let help = "write `if c then a else b`, or `c implies a else b`";
            return Err(self.unexpected("`then`").help(help));
        }
        let then = self.expression()?;
        if !self.take_word("else") {
            return Err(self.unexpected("`else`"));
        }
        let other = self.expression()?;
        let span = start.to(other.span);
        Ok(Expr { kind: ExprKind::If(Box::new(condition), Box::new(then), Box::new(other)), span })
    }

    fn primary(&mut self) -> Result<Expr> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Token::Number(value) => {
                self.advance();
                ExprKind::Number(value)
            }
            Token::Text(value) => {
                self.advance();
                ExprKind::Text(value)
            }
            Token::Symbol("(") => {
                self.advance();
                let inner = self.expression()?;
                self.close_parenthesis(start)?;
                return Ok(Expr { kind: inner.kind, span: start.to(self.last_span()) });
            }
            Token::Symbol("{") => return self.braces(),
            Token::Symbol("@") => {
                self.advance();
                ExprKind::Bare(self.name()?.text)
            }
            Token::Word(word) if word == "disj" || word == "sum" => {
                self.advance();
                ExprKind::Name(word)
            }
            _ => ExprKind::Name(self.name()?.text),
        };
        let named = matches!(kind, ExprKind::Name(_));
        let head = Expr { kind, span: start.to(self.last_span()) };
        // The parenthesis of a call follows the name directly: `f (g)` is two formulas.
        if named && self.is_symbol("(") && self.span().start == head.span.end {
            let open = self.span();
            self.advance();
            let arguments = self.list(")")?;
            self.close_parenthesis(open)?;
            return Ok(Expr {
                kind: ExprKind::Apply(Box::new(head), arguments),
                span: start.to(self.last_span()),
            });
        }
        Ok(head)
    }

    /// Parses a comprehension or a block.
    fn braces(&mut self) -> Result<Expr> {
        if !self.declares(1) {
            return self.block();
        }
        let start = self.span();
        let position = self.position();
        self.advance();
        let declarations = self.declarations()?;
        let body = if self.take_symbol("|") {
            let body = self.expression()?;
            self.expect("}")?;
            body
        } else if self.is_symbol("{") {
            let body = self.block()?;
            self.expect("}")?;
            body
        } else {
            // A block whose first formula is `a : b`.
            self.rewind(position);
            return self.block();
        };
        let span = start.to(self.last_span());
        Ok(Expr { kind: ExprKind::Comprehension(declarations, Box::new(body)), span })
    }

    /// `{ f g h }`
    pub(crate) fn block(&mut self) -> Result<Expr> {
        let start = self.expect("{")?;
        let mut formulas = Vec::new();
        while !self.take_symbol("}") {
            if matches!(self.peek(), Token::End) {
                return Err(Error::new(start, "this `{` is not closed").help("close it with `}`"));
            }
            formulas.push(self.expression()?);
            while self.take_symbol(";") {}
        }
        Ok(Expr { kind: ExprKind::Block(formulas), span: start.to(self.last_span()) })
    }

    /// Parses formulas up to the end of the text and conjoins them.
    pub(crate) fn formulas(&mut self) -> Result<Expr> {
        let start = self.span();
        let mut formulas = Vec::new();
        while !matches!(self.peek(), Token::End) {
            formulas.push(self.expression()?);
            while self.take_symbol(";") {}
        }
        Ok(Expr { kind: ExprKind::Block(formulas), span: start.to(self.last_span()) })
    }

    /// Parses a type: an expression that ends before a brace.
    pub(crate) fn type_expression(&mut self) -> Result<Expr> {
        self.climb(TEST + 1)
    }

    /// Parses the type before `::` or `.` in a function head.
    pub(crate) fn receiver(&mut self) -> Result<Option<(Expr, Name)>> {
        let position = self.position();
        let name = self.name()?;
        if self.take_symbol("::") || self.take_symbol(".") || self.take_symbol("..") {
            let receiver = Expr { kind: ExprKind::Name(name.text), span: name.span };
            return Ok(Some((receiver, self.name()?)));
        }
        self.rewind(position);
        Ok(None)
    }
}
