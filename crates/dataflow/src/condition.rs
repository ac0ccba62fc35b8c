//! Conditions as Java writes them, over variables by name: what a user says of a loop.

use cupping_term::{Sort, TermId, Terms};

/// The value of a name, as a slot holds it.
pub type ByName<'a> = &'a dyn Fn(&str) -> Option<TermId>;

/// The term of a condition.
///
/// # Errors
/// Where it is no condition over the names; the text says why.
pub fn read(terms: &mut Terms, text: &str, names: ByName<'_>) -> Result<TermId, String> {
    let words = words(text)?;
    let mut reader = Reader { terms, words: &words, at: 0, names };
    let value = reader.binary(0)?;
    if reader.at < words.len() {
        return Err(format!("`{}` is not expected here", words[reader.at]));
    }
    Ok(reader.truth(value))
}

/// Operators by how tightly they bind, loosest first.
const LEVELS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' || first == '$' {
            rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))).unwrap_or(rest.len())
        } else if ["||", "&&", "==", "!=", "<=", ">="].iter().any(|op| rest.starts_with(op)) {
            2
        } else if "+-*/%<>!()".contains(first) {
            1
        } else {
            return Err(format!("`{first}` means nothing in a condition"));
        };
        words.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(words)
}

struct Reader<'a> {
    terms: &'a mut Terms,
    words: &'a [String],
    at: usize,
    names: ByName<'a>,
}

/// Nested parentheses at most.
const MAX_DEPTH: usize = 200;

impl Reader<'_> {
    fn binary(&mut self, level: usize) -> Result<TermId, String> {
        if level == LEVELS.len() {
            return self.unary(0);
        }
        let mut left = self.binary(level + 1)?;
        while let Some(op) = self.words.get(self.at).filter(|w| LEVELS[level].contains(&w.as_str())).cloned()
        {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = self.apply(&op, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self, depth: usize) -> Result<TermId, String> {
        let word = self.words.get(self.at).cloned().ok_or("it ends too early")?;
        self.at += 1;
        if depth > MAX_DEPTH || self.words.len() > 10_000 {
            return Err("it is nested too deeply".into());
        }
        match word.as_str() {
            "!" => {
                let value = self.unary(depth + 1)?;
                let value = self.truth(value);
                Ok(self.terms.not(value))
            }
            "-" => {
                let value = self.unary(depth + 1)?;
                let value = self.number(value);
                Ok(self.terms.neg(value))
            }
            "(" => {
                if self.words[..self.at].iter().filter(|w| *w == "(").count() > MAX_DEPTH {
                    return Err("it is nested too deeply".into());
                }
                let value = self.binary(0)?;
                if self.words.get(self.at).map(String::as_str) != Some(")") {
                    return Err("a `)` is missing".into());
                }
                self.at += 1;
                Ok(value)
            }
            "true" | "false" => Ok(self.terms.bool(word == "true")),
            "null" => Ok(self.terms.int(0)),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => self.literal(&word),
            name => (self.names)(name).ok_or_else(|| format!("there is no variable {name} there")),
        }
    }

    fn literal(&mut self, word: &str) -> Result<TermId, String> {
        let bad = || format!("`{word}` is no number");
        match word.strip_suffix(['L', 'l']) {
            Some(digits) => digits.parse::<i64>().map(|v| self.terms.long(v)).map_err(|_| bad()),
            None => word.parse::<i32>().map(|v| self.terms.int(v)).map_err(|_| bad()),
        }
    }

    fn apply(&mut self, op: &str, a: TermId, b: TermId) -> Result<TermId, String> {
        if matches!(op, "||" | "&&") {
            let (a, b) = (self.truth(a), self.truth(b));
            return Ok(if op == "||" { self.terms.or(a, b) } else { self.terms.and(a, b) });
        }
        let (mut a, mut b) = (self.number(a), self.number(b));
        if self.terms.sort(a) != self.terms.sort(b) {
            let wide = |terms: &mut Terms, t: TermId| match terms.sort(t) {
                Sort::Bv32 => terms.sext(Sort::Bv64, t),
                _ => t,
            };
            (a, b) = (wide(self.terms, a), wide(self.terms, b));
        }
        if !self.terms.sort(a).is_bv() || self.terms.sort(a) != self.terms.sort(b) {
            return Err(format!("`{op}` is for numbers that are no fractions"));
        }
        let terms = &mut *self.terms;
        Ok(match op {
            "==" => terms.eq(a, b),
            "!=" => terms.ne(a, b),
            "<" => terms.slt(a, b),
            "<=" => terms.sle(a, b),
            ">" => terms.sgt(a, b),
            ">=" => terms.sge(a, b),
            "+" => terms.add(a, b),
            "-" => terms.sub(a, b),
            "*" => terms.mul(a, b),
            "/" => terms.sdiv(a, b),
            _ => terms.srem(a, b),
        })
    }

    /// A value as a truth value: what a boolean variable holds is a number.
    fn truth(&mut self, value: TermId) -> TermId {
        if self.terms.sort(value) == Sort::Bool {
            return value;
        }
        let sort = self.terms.sort(value);
        let zero = self.terms.constant(sort, 0);
        if sort.is_float() { self.terms.bool(true) } else { self.terms.ne(value, zero) }
    }

    fn number(&mut self, value: TermId) -> TermId {
        if self.terms.sort(value) == Sort::Bool { self.terms.bool_to_int(value) } else { value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_as_java_reads_them() {
        let mut terms = Terms::new();
        let x = terms.new_variable("x", Sort::Bv32);
        let y = terms.new_variable("y", Sort::Bv32);
        let names = |name: &str| match name {
            "x" => Some(x),
            "this.y" => Some(y),
            _ => None,
        };
        let cases = [
            ("x < this.y && x >= 0", "x < y && 0 <= x"),
            ("!(x == 1 + 2 * 3)", "x != 7"),
            ("x > -1 || false", "0 <= x"),
        ];
        for (text, shown) in cases {
            let read = read(&mut terms, text, &names).expect(text);
            let expected = shown.to_owned();
            let normal = terms.display(read, 100).replace("-1 < x", "0 <= x").replace("x >= 0", "0 <= x");
            assert_eq!(normal, expected, "{text}");
        }
        for bad in ["", "x <", "z == 1", "x @ 1", "(x", "x y", "99999999999 < x"] {
            assert!(read(&mut terms, bad, &names).is_err(), "{bad}");
        }
    }
}
