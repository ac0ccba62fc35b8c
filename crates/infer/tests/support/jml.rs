//! JML's grammar, as far as the written clauses need it (JML Reference Manual, "Predicates and Specification
//! Expressions"), and the names that its specifications may use. Parsed clauses are also written as Java, so that
//! `javac` can check their types.

use std::collections::BTreeSet;

/// A clause with where it stands.
#[derive(Debug)]
pub struct Clause {
    /// `invariant`, `requires`, `ensures` or `signals`.
    pub word: String,
    /// The expression in Java. Values before the call become present values, implications become alternatives.
    pub java: String,
    /// The declaration of the method it belongs to; none for invariants.
    pub method: Option<String>,
}

/// Reads a specification file; returns its clauses, or the error.
pub fn read(text: &str) -> Result<Vec<Clause>, String> {
    let mut clauses: Vec<Clause> = Vec::new();
    let mut open: Vec<Clause> = Vec::new();
    let pure: BTreeSet<String> = text
        .lines()
        .filter(|it| it.contains("pure"))
        .filter_map(|it| it.split('(').next()?.rsplit(' ').next().map(str::to_owned))
        .collect();
    let mut lines = text.lines().peekable();
    let mut in_model = false;
    while let Some(line) = lines.next() {
        let wrong = |why: String| format!("{why} in {line}");
        let code = line.trim();
        if in_model {
            in_model = code != "@*/";
            continue;
        }
        if code == "/*@" {
            let head = lines.peek().map_or("", |it| it.trim());
            if !head.starts_with("public static pure model ") {
                return Err(wrong(format!("a model method is expected, not {head}")));
            }
            in_model = true;
            continue;
        }
        let Some(annotation) = code.strip_prefix("//@ ") else {
            if code.ends_with(");") && code.starts_with("public ") {
                let declared = code.trim_end_matches(';').replace("/*@ pure @*/ ", "");
                for mut clause in open.drain(..) {
                    clause.method = Some(declared.clone());
                    clauses.push(clause);
                }
            } else if !is_plain(code) {
                return Err(wrong("a declaration is expected".into()));
            }
            continue;
        };
        let body = annotation.strip_suffix(';').ok_or_else(|| wrong("`;` is missing".into()))?;
        let body = body.strip_prefix("public ").unwrap_or(body);
        let (word, rest) = body.split_once(' ').ok_or_else(|| wrong("nothing is said".into()))?;
        let expression = match word {
            "invariant" | "requires" | "ensures" => rest,
            "signals" => {
                let inner = rest.strip_prefix('(').and_then(|it| it.split_once(" e) "));
                inner.ok_or_else(|| wrong("an exception is expected".into()))?.1
            }
            _ => return Err(wrong(format!("{word} is no clause"))),
        };
        let tokens = tokens(expression).map_err(&wrong)?;
        let mut parser =
            Parser { tokens: &tokens, at: 0, java: String::new(), word, in_old: false, pure: &pure };
        parser.equivalence().map_err(&wrong)?;
        if parser.at < tokens.len() {
            return Err(wrong(format!("`{}` is left", tokens[parser.at..].join(" "))));
        }
        let clause = Clause { word: word.to_owned(), java: parser.java, method: None };
        if word == "invariant" { &mut clauses } else { &mut open }.push(clause);
    }
    if open.is_empty() { Ok(clauses) } else { Err("clauses without a method".into()) }
}

/// Whether a line consists of the other parts of a specification file, besides annotations and methods.
fn is_plain(code: &str) -> bool {
    let is_field = code.ends_with(';') && !code.contains(['(', '=']);
    code.is_empty() || code == "}" || code.ends_with(" {") || code.starts_with("// ") || is_field
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    const SIGNS: [&str; 14] =
        ["<==>", "<=!=>", "==>", "<==", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "->", "::"];
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first == ' ' {
            rest = &rest[1..];
            continue;
        } else if first == '"' || first == '\'' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let is_end = c == first && !escaped;
                escaped = c == '\\' && !escaped;
                is_end
            });
            end.ok_or("a text without an end")? + 2
        } else if first == '\\' || first.is_alphanumeric() || first == '_' {
            let is_number = first.is_ascii_digit();
            let end = rest[1..]
                .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$' || is_number && c == '.'));
            end.map_or(rest.len(), |it| it + 1)
        } else if let Some(sign) = SIGNS.iter().find(|it| rest.starts_with(**it)) {
            sign.len()
        } else if "()[],.?:!<>+-*/%&|^;".contains(first) {
            1
        } else {
            return Err(format!("`{first}` is no token"));
        };
        found.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    Ok(found)
}

struct Parser<'t> {
    tokens: &'t [String],
    at: usize,
    java: String,
    word: &'t str,
    in_old: bool,
    pure: &'t BTreeSet<String>,
}

/// Operators with two operands, loosest first, below implication.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">=", "instanceof"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Quantifiers, and what Java has for them.
const QUANTIFIERS: [(&str, &str, &str); 3] =
    [("\\forall", "allMatch", ""), ("\\exists", "anyMatch", ""), ("\\sum", "mapToLong", ".sum()")];

/// Methods of the library that are pure.
const LIBRARY: [&str; 13] = [
    "equals",
    "getClass",
    "getName",
    "size",
    "isEmpty",
    "contains",
    "containsAll",
    "get",
    "length",
    "matches",
    "compareTo",
    "floorMod",
    "hashCode",
];

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn take(&mut self) -> String {
        let token = self.peek().to_owned();
        self.at += 1;
        self.java += &token;
        self.java.push(' ');
        token
    }

    fn expect(&mut self, wanted: &str) -> Result<(), String> {
        if self.peek() == wanted {
            self.take();
            return Ok(());
        }
        Err(format!("`{wanted}` is expected, not `{}`", self.peek()))
    }

    /// `a <==> b`
    fn equivalence(&mut self) -> Result<(), String> {
        self.implication()?;
        while matches!(self.peek(), "<==>" | "<=!=>") {
            self.at += 1;
            self.java += "== ";
            self.implication()?;
        }
        Ok(())
    }

    /// `a ==> b`, to the right.
    fn implication(&mut self) -> Result<(), String> {
        self.conditional()?;
        if self.peek() == "==>" {
            self.at += 1;
            self.java += "|| ";
            self.implication()?;
        }
        Ok(())
    }

    fn conditional(&mut self) -> Result<(), String> {
        self.level(0)?;
        if self.peek() == "?" {
            self.take();
            self.conditional()?;
            self.expect(":")?;
            self.conditional()?;
        }
        Ok(())
    }

    fn level(&mut self, level: usize) -> Result<(), String> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        self.level(level + 1)?;
        while signs.contains(&self.peek()) {
            self.take();
            self.level(level + 1)?;
        }
        Ok(())
    }

    fn unary(&mut self) -> Result<(), String> {
        if matches!(self.peek(), "!" | "-" | "+") {
            self.take();
            return self.unary();
        }
        // A cast: a type in parentheses, followed by an operand.
        let type_at = |at: usize| self.tokens.get(at).map_or("", String::as_str);
        let is_cast = self.peek() == "("
            && type_at(self.at + 2) == ")"
            && ["int", "long", "Long", "Boolean", "Character", "Float", "Double"]
                .contains(&type_at(self.at + 1));
        if is_cast {
            (0..3).for_each(|_| drop(self.take()));
            return self.unary();
        }
        self.primary()?;
        loop {
            match self.peek() {
                "." => {
                    self.take();
                    let name = self.name()?;
                    if self.peek() == "(" {
                        self.call(&name)?;
                    }
                }
                "[" => {
                    self.take();
                    self.equivalence()?;
                    self.expect("]")?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn name(&mut self) -> Result<String, String> {
        let name = self.take();
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if is_name { Ok(name) } else { Err(format!("a name is expected, not `{name}`")) }
    }

    fn call(&mut self, name: &str) -> Result<(), String> {
        if !self.pure.contains(name) && !LIBRARY.contains(&name) {
            return Err(format!("{name} is not pure"));
        }
        self.expect("(")?;
        while self.peek() != ")" {
            self.equivalence()?;
            if self.peek() != "," {
                break;
            }
            self.take();
        }
        self.expect(")")
    }

    /// `(\forall int i; range; body)`, in Java over the numbers that the range admits.
    fn quantified(&mut self) -> Result<(), String> {
        self.at += 1;
        let quantifier = QUANTIFIERS.iter().find(|it| it.0 == self.peek()).ok_or("no quantifier")?;
        self.at += 1;
        if self.peek() != "int" {
            return Err("the type of the variable is expected".into());
        }
        self.at += 1;
        let name = self.tokens.get(self.at).cloned().unwrap_or_default();
        self.at += 1;
        self.java += &format!("java.util.stream.IntStream.range(0, 9).filter({name} -> ");
        self.separator()?;
        self.equivalence()?;
        self.separator()?;
        self.java += &format!(").{}({name} -> ", quantifier.1);
        self.equivalence()?;
        self.expect(")")?;
        self.java += quantifier.2;
        Ok(())
    }

    fn separator(&mut self) -> Result<(), String> {
        if self.peek() != ";" {
            return Err(format!("`;` is expected, not `{}`", self.peek()));
        }
        self.at += 1;
        Ok(())
    }

    fn primary(&mut self) -> Result<(), String> {
        match self.peek() {
            "(" if self.tokens.get(self.at + 1).is_some_and(|it| QUANTIFIERS.iter().any(|q| q.0 == it)) => {
                self.quantified()
            }
            "(" => {
                self.take();
                self.equivalence()?;
                self.expect(")")
            }
            "\\result" => {
                if self.word != "ensures" || self.in_old {
                    return Err("there is no result here".into());
                }
                self.at += 1;
                self.java += "result ";
                Ok(())
            }
            "\\old" => {
                if !matches!(self.word, "ensures" | "signals") || self.in_old {
                    return Err("there is no state before here".into());
                }
                self.at += 1;
                self.in_old = true;
                self.expect("(")?;
                self.equivalence()?;
                self.expect(")")?;
                self.in_old = false;
                Ok(())
            }
            other if other.starts_with(['"', '\'']) || other.starts_with(|c: char| c.is_ascii_digit()) => {
                self.take();
                Ok(())
            }
            _ => {
                let name = self.name()?;
                if self.peek() == "(" { self.call(&name) } else { Ok(()) }
            }
        }
    }
}
