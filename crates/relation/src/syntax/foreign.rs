//! Signs and words of Java, JML and mathematics, with their counterparts in the notation.

use crate::error::{Error, Span};

/// Signs that no formula contains, with a remedy. A sign precedes its own prefixes.
const SIGNS: [(&str, &str); 29] = [
    ("<==>", "write `<=>`"),
    ("==>", "write `=>`"),
    ("!==", "write `!=`"),
    ("===", "write `=`"),
    ("==", "write `=`"),
    ("<>", "write `!=`"),
    (":=", "write `=`; formulas compare, they do not assign"),
    ("%", "write `rem[a, b]`"),
    ("\\old", "write `` f` `` for the value of f before the call"),
    ("\\result", "write `result`"),
    ("\\forall", "write `all`"),
    ("\\exists", "write `some`"),
    ("≤", "write `<=`"),
    ("≥", "write `>=`"),
    ("≠", "write `!=`"),
    ("∈", "write `in`"),
    ("∉", "write `not in`"),
    ("∀", "write `all`"),
    ("∃", "write `some`"),
    ("∧", "write `and`"),
    ("∨", "write `or`"),
    ("¬", "write `not`"),
    ("⇒", "write `=>`"),
    ("∪", "write `+`"),
    ("∩", "write `&`"),
    ("∅", "write `none`"),
    ("“", "write `\"`"),
    ("”", "write `\"`"),
    ("‘", "write `` ` `` for the state before"),
];

/// Words that take the place of a quantifier.
const QUANTIFIERS: [(&str, &str); 3] =
    [("forall", "write `all`"), ("foreach", "write `all`"), ("exists", "write `some`")];

/// Words that take the place of an operator.
const OPERATORS: [(&str, &str); 1] = [("instanceof", "write `in`")];

/// Names of methods and functions, which take the place of operators.
const METHODS: [(&str, &str); 8] = [
    ("contains", "write `element in set`"),
    ("containsAll", "write `some in set`"),
    ("count", "write `#set`"),
    ("card", "write `#set`"),
    ("len", "write `#set`; the number of elements of an array is `a.length`"),
    ("isEmpty", "write `no set`"),
    ("equals", "write `=`"),
    ("old", "write `` f` `` for the value of f before the call"),
];

/// What to write instead of a name that nothing declares.
pub(crate) fn method(name: &str) -> Option<&'static str> {
    METHODS.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// The error about a sign at the start of `rest`, which begins at this byte.
pub(super) fn sign(rest: &str, start: usize) -> Option<Error> {
    let (sign, remedy) = SIGNS.iter().find(|it| rest.starts_with(it.0))?;
    Some(unknown(sign, Span { start, end: start + sign.len() }, remedy))
}

/// The error about a word at the position of a quantifier.
pub(super) fn quantifier(word: &str, span: Span) -> Option<Error> {
    of(&QUANTIFIERS, word, span)
}

/// The error about a word at the position of an operator.
pub(super) fn operator(word: &str, span: Span) -> Option<Error> {
    of(&OPERATORS, word, span)
}

fn of(words: &[(&str, &str)], word: &str, span: Span) -> Option<Error> {
    words.iter().find(|it| it.0 == word).map(|(word, remedy)| unknown(word, span, remedy))
}

fn unknown(sign: &str, span: Span, remedy: &str) -> Error {
    Error::new(span, format!("`{sign}` is not part of the notation")).help(remedy)
}
