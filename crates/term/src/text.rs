//! A text format for terms, with one parenthesised statement per line, that can be parsed again.
//!
//! ```text
//! (var 0 Bv32 "n")            variable v0, its sort and display name
//! (table 0 Bv16 48 49 50)     table b0: sort and entries
//! (def 3 (add v0 (Bv32 1)))   t3 is an operation on earlier terms and constants
//! (def 4 (sext Bv64 t3))      truncate, sext and zext name the sort of the result
//! (def 5 (lookup b0 v0))      an entry of a table
//! ; a comment
//! ```
//!
//! Other statements, `(word argument ...)` with terms and numbers as arguments, are left to the caller.
//! Constants are unsigned decimal bits. Shared terms are written once, and statements do not nest.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::arena::{TableId, Term, TermId, Terms};
use crate::op::{Op, Signature};
use crate::sort::Sort;

/// A statement that the caller interprets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its line, starting at 1.
    pub line: usize,
    /// Its first word.
    pub keyword: String,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

/// An argument of a [`Statement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A term: `v0`, `t3` or a constant.
    Term(TermId),
    /// A plain number.
    Number(u64),
}

/// A parse error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TextError {
    /// Its line, starting at 1.
    pub line: usize,
    /// What was found and what was expected.
    pub message: String,
}

/// Writes the definitions of some terms; the second result is the reference to each.
#[must_use]
pub fn write(terms: &Terms, roots: &[TermId]) -> (String, Vec<String>) {
    let mut reachable: Vec<TermId> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = roots.to_vec();
    while let Some(term) = stack.pop() {
        if seen.insert(term) {
            reachable.push(term);
            stack.extend(terms.get(term).args());
        }
    }
    // Arguments have smaller ids, so ascending ids are a valid order of definitions.
    reachable.sort_unstable();
    let mut out = String::new();
    declare(terms, &reachable, &mut out);
    let mut references: FxHashMap<TermId, String> = FxHashMap::default();
    let mut count = 0;
    for &term in &reachable {
        let reference = match *terms.get(term) {
            Term::Constant { sort, bits } => format!("({sort} {bits})"),
            Term::Variable { index, .. } => format!("v{}", index.0),
            _ => {
                let body = application(terms, term, &references);
                // Writing to a string cannot fail.
                let _ = writeln!(out, "(def {count} ({body}))");
                count += 1;
                format!("t{}", count - 1)
            }
        };
        references.insert(term, reference);
    }
    (out, roots.iter().map(|root| references[root].clone()).collect())
}

fn declare(terms: &Terms, reachable: &[TermId], out: &mut String) {
    let mut tables: Vec<TableId> = Vec::new();
    for &term in reachable {
        match *terms.get(term) {
            Term::Variable { index, sort } => {
                let _ = writeln!(out, "(var {} {sort} {})", index.0, quoted(&terms.variable(index).name));
            }
            Term::Lookup { table, .. } => tables.push(table),
            _ => {}
        }
    }
    tables.sort_unstable();
    tables.dedup();
    for id in tables {
        let table = terms.table(id);
        let entries: String = table.entries().map(|e| format!(" {e}")).collect();
        let _ = writeln!(out, "(table {} {}{entries})", id.0, table.sort());
    }
}

fn application(terms: &Terms, term: TermId, references: &FxHashMap<TermId, String>) -> String {
    match *terms.get(term) {
        Term::Lookup { table, index, .. } => format!("lookup b{} {}", table.0, references[&index]),
        Term::Apply { op, sort, ref args } => {
            let mut body = op.name().to_owned();
            if matches!(op.signature(), Signature::Narrow | Signature::Widen) {
                let _ = write!(body, " {sort}");
            }
            for arg in &args[..op.arity()] {
                let _ = write!(body, " {}", references[arg]);
            }
            body
        }
        Term::Constant { .. } | Term::Variable { .. } => String::new(),
    }
}

/// A quoted name with quotes, backslashes and control characters escaped.
fn quoted(name: &str) -> String {
    let mut out = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Parses a text into an arena, with new variables, and returns the statements left to the caller.
///
/// # Errors
/// A line is not a statement, uses an undefined name, or is ill-sorted.
pub fn read(terms: &mut Terms, text: &str) -> Result<Vec<Statement>, TextError> {
    let mut reader = TermTextReader {
        terms,
        variables: FxHashMap::default(),
        tables: FxHashMap::default(),
        defs: FxHashMap::default(),
    };
    let mut statements = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line_number = number + 1;
        let fail = |message: String| TextError { line: line_number, message };
        let items = tokens(line).map_err(fail)?;
        if items.is_empty() {
            continue;
        }
        if let Some((keyword, arguments)) = reader.statement(&items).map_err(fail)? {
            statements.push(Statement { line: line_number, keyword, arguments });
        }
    }
    Ok(statements)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    Word(String),
    Name(String),
}

fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ';' => break,
            '(' => out.push(Token::Open),
            ')' => out.push(Token::Close),
            '"' => out.push(Token::Name(name(&mut chars)?)),
            c if c.is_whitespace() => {}
            c => {
                let mut word = String::from(c);
                while let Some(next) = chars.next_if(|n| !n.is_whitespace() && !"();\"".contains(*n)) {
                    word.push(next);
                }
                out.push(Token::Word(word));
            }
        }
    }
    Ok(out)
}

fn name(chars: &mut impl Iterator<Item = char>) -> Result<String, String> {
    let unclosed = || "the name is not closed with `\"`".to_owned();
    let mut name = String::new();
    loop {
        match chars.next().ok_or_else(unclosed)? {
            '"' => return Ok(name),
            '\\' => match chars.next().ok_or_else(unclosed)? {
                'u' => {
                    let digits: String = chars.skip(1).take_while(|c| *c != '}').collect();
                    let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    name.push(code.ok_or_else(|| format!("`\\u{{{digits}}}` is not a character"))?);
                }
                c => name.push(c),
            },
            c => name.push(c),
        }
    }
}

struct TermTextReader<'a> {
    terms: &'a mut Terms,
    variables: FxHashMap<u64, TermId>,
    tables: FxHashMap<u64, TableId>,
    defs: FxHashMap<u64, TermId>,
}

impl TermTextReader<'_> {
    fn statement(&mut self, items: &[Token]) -> Result<Option<(String, Vec<Argument>)>, String> {
        let [Token::Open, Token::Word(keyword), rest @ .., Token::Close] = items else {
            return Err("expected one statement `(word ...)`".into());
        };
        match (keyword.as_str(), rest) {
            ("var", [Token::Word(index), Token::Word(sort), Token::Name(name)]) => {
                let variable = self.terms.new_variable(name.clone(), sort_named(sort)?);
                self.variables.insert(number(index)?, variable);
            }
            ("table", [Token::Word(index), Token::Word(sort), entries @ ..]) => {
                let entries: Vec<u64> =
                    entries.iter().map(word).map(|w| number(w?)).collect::<Result<_, _>>()?;
                let table = self.terms.new_table(sort_named(sort)?, entries);
                self.tables.insert(number(index)?, table);
            }
            ("def", [Token::Word(index), Token::Open, Token::Word(op), body @ .., Token::Close]) => {
                let term = self.application(op, body)?;
                self.defs.insert(number(index)?, term);
            }
            ("var" | "table" | "def", _) => return Err(format!("`{keyword}` does not have its usual form")),
            _ => return Ok(Some((keyword.clone(), self.arguments(rest)?))),
        }
        Ok(None)
    }

    fn application(&mut self, op: &str, body: &[Token]) -> Result<TermId, String> {
        if op == "lookup" {
            let [Token::Word(table), index @ ..] = body else {
                return Err("`lookup` needs a table and an index".into());
            };
            let table = table
                .strip_prefix('b')
                .and_then(|n| n.parse().ok())
                .and_then(|n: u64| self.tables.get(&n).copied())
                .ok_or_else(|| format!("no table `{table}` is defined above"))?;
            let [index] = self.terms_of(index)?[..] else { return Err("`lookup` needs one index".into()) };
            if self.terms.sort(index) != Sort::Bv32 {
                return Err(format!("the index is {}, not Bv32", self.terms.sort(index)));
            }
            return Ok(self.terms.lookup(table, index));
        }
        let op = Op::from_name(op).ok_or_else(|| format!("unknown operation `{op}`"))?;
        let (to, body) = match (op.signature(), body) {
            (Signature::Narrow | Signature::Widen, [Token::Word(sort), rest @ ..]) => {
                (Some(sort_named(sort)?), rest)
            }
            _ => (None, body),
        };
        let args = self.terms_of(body)?;
        if args.len() != op.arity() {
            return Err(format!("`{}` takes {} arguments, not {}", op.name(), op.arity(), args.len()));
        }
        self.terms.try_apply(op, to, &args).map_err(|error| error.to_string())
    }

    fn terms_of(&mut self, items: &[Token]) -> Result<Vec<TermId>, String> {
        let term = |argument| match argument {
            Argument::Term(term) => Ok(term),
            Argument::Number(n) => Err(format!("expected a term, not the number {n}")),
        };
        self.arguments(items)?.into_iter().map(term).collect()
    }

    fn arguments(&mut self, mut items: &[Token]) -> Result<Vec<Argument>, String> {
        let mut out = Vec::new();
        loop {
            items = match items {
                [] => return Ok(out),
                [Token::Open, Token::Word(sort), Token::Word(bits), Token::Close, rest @ ..] => {
                    let (sort, bits) = (sort_named(sort)?, number(bits)?);
                    if bits & !sort.mask() != 0 {
                        return Err(format!("{bits} has more bits than {sort}"));
                    }
                    out.push(Argument::Term(self.terms.constant(sort, bits)));
                    rest
                }
                [Token::Word(word), rest @ ..] => {
                    out.push(self.reference(word)?);
                    rest
                }
                [other, ..] => return Err(format!("expected a term or a number, found {other:?}")),
            };
        }
    }

    fn reference(&self, word: &str) -> Result<Argument, String> {
        let known = |prefix: char, map: &FxHashMap<u64, TermId>| {
            map.get(&word.strip_prefix(prefix)?.parse().ok()?).copied().map(Argument::Term)
        };
        known('v', &self.variables)
            .or_else(|| known('t', &self.defs))
            .or_else(|| word.parse().ok().map(Argument::Number))
            .ok_or_else(|| format!("`{word}` is not defined above"))
    }
}

fn word(token: &Token) -> Result<&str, String> {
    match token {
        Token::Word(word) => Ok(word),
        other => Err(format!("expected a number, found {other:?}")),
    }
}

fn number(word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("`{word}` is not a number of at most 64 bits"))
}

fn sort_named(name: &str) -> Result<Sort, String> {
    Sort::from_name(name).ok_or_else(|| format!("unknown sort `{name}`"))
}
