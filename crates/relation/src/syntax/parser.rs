//! The token stream shared by the parsers of expressions and paragraphs.

use super::ast::Name;
use super::lexer::{Lexeme, Token, tokens};
use crate::error::{Error, Result, Span};

/// Limit on the nesting of expressions, over which the parser and later stages recurse.
const DEEPEST: usize = 250;

/// A position in the token stream.
pub(crate) struct Parser {
    tokens: Vec<Lexeme>,
    at: usize,
    depth: usize,
}

impl Parser {
    pub(crate) fn new(text: &str) -> Result<Parser> {
        Ok(Parser { tokens: tokens(text)?, at: 0, depth: 0 })
    }

    pub(crate) fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    pub(crate) fn peek_at(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].token
    }

    pub(crate) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The position of the previous token.
    pub(crate) fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    pub(crate) fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].token.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    pub(crate) fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(it) if *it == symbol)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(it) if it == word)
    }

    pub(crate) fn take_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn expect(&mut self, symbol: &str) -> Result<Span> {
        let span = self.span();
        if self.take_symbol(symbol) {
            return Ok(span);
        }
        Err(self.unexpected(&format!("`{symbol}`")))
    }

    /// An error that names what was found and what was expected.
    pub(crate) fn unexpected(&self, wanted: &str) -> Error {
        let found = match self.peek() {
            Token::Word(it) => format!("`{it}`"),
            Token::Number(it) => format!("`{it}`"),
            Token::Text(it) => format!("the string {it:?}"),
            Token::Symbol(it) => format!("`{it}`"),
            Token::End => "the end of the text".to_owned(),
        };
        Error::new(self.span(), format!("expected {wanted}, found {found}"))
            .label(format!("expected {wanted}"))
    }

    /// Parses a name, possibly qualified by `/`.
    pub(crate) fn name(&mut self) -> Result<Name> {
        let start = self.span();
        let Token::Word(mut text) = self.peek().clone() else {
            let error = self.unexpected("a name");
            return Err(match self.peek() {
                Token::Symbol("?") => error.help("write `c implies a else b`"),
                Token::Symbol("|") => {
                    error.help("a quantifier is written `all x: SET | FORMULA`, a disjunction `f or g`")
                }
                _ => error,
            });
        };
        if is_keyword(&text) {
            let help = format!("`{text}` is a keyword of the notation; choose another name");
            return Err(self.unexpected("a name").help(help));
        }
        self.advance();
        while self.is_symbol("/")
            && self.span().start == self.last_span().end
            && matches!(self.peek_at(1), Token::Word(_))
        {
            self.advance();
            if let Token::Word(part) = self.advance() {
                text = format!("{text}/{part}");
            }
        }
        Ok(Name { text, span: start.to(self.last_span()) })
    }

    /// Runs `parse` one nesting level deeper.
    pub(crate) fn nested<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        let depth = self.depth;
        self.deepen()?;
        let result = parse(self);
        self.depth = depth;
        result
    }

    /// Adds a nesting level until the enclosing [`Parser::nested`] returns: each operator of a chain deepens
    /// the tree.
    pub(crate) fn deepen(&mut self) -> Result<()> {
        if self.depth >= DEEPEST {
            return Err(Error::new(self.span(), "expressions are nested too deeply")
                .help("name parts of it with `let`, `fun` or `pred`"));
        }
        self.depth += 1;
        Ok(())
    }
}

/// Reserved words.
pub(crate) fn is_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 36] = [
        "abstract", "all", "and", "as", "assert", "but", "check", "disj", "else", "exactly", "extends",
        "fact", "for", "fun", "iff", "implies", "in", "let", "lone", "module", "no", "not", "one", "open",
        "or", "part", "pred", "run", "set", "sig", "sole", "some", "static", "sum", "then", "if",
    ];
    KEYWORDS.contains(&word)
}
