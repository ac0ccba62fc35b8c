//! Terms as JSON: `"this"` and `"result"`; others are objects whose first field identifies the term.

use super::{Fields, Json, ToJson, object};
use crate::term::Term;

impl ToJson for Term {
    fn json(&self) -> Json {
        let of = |name, of: &Term| object([(name, of.json())]);
        match self {
            Term::This => "this".json(),
            Term::Result => "result".json(),
            Term::Parameter(at, name) => object([("parameter", at.json()), ("name", name.json())]),
            Term::Field(of, name) => object([("field", name.json()), ("of", of.json())]),
            Term::Observer(of, name) => object([("observer", name.json()), ("of", of.json())]),
            Term::Old(it) => of("old", it),
            Term::Length(it) => of("length", it),
            Term::Elements(it) => of("elements", it),
            Term::First(seq, count) => object([("first", seq.json()), ("count", count.json())]),
            Term::Rest(seq, from) => object([("rest", seq.json()), ("from", from.json())]),
            Term::At(seq, index, offset) => {
                object([("at", seq.json()), ("index", index.json()), ("offset", offset.json())])
            }
            Term::Sum(it) => of("sum", it),
            Term::Min(it) => of("min", it),
            Term::Max(it) => of("max", it),
            Term::Append(seq, last) => object([("append", last.json()), ("to", seq.json())]),
            Term::Prepend(first, seq) => object([("prepend", first.json()), ("to", seq.json())]),
            Term::Reverse(it) => of("reverse", it),
            Term::Linear(terms, constant) => {
                let product =
                    |(factor, term): &(i64, Term)| object([("factor", factor.json()), ("term", term.json())]);
                let products = Json::Array(terms.iter().map(product).collect());
                object([("linear", products), ("plus", constant.json())])
            }
            Term::Constant(value) => object([("constant", value.json())]),
        }
    }
}

impl Fields<'_> {
    /// A term.
    ///
    /// # Errors
    /// Another thing, or none.
    pub fn term(&self, name: &str) -> Result<Term, String> {
        term(self.get(name)?, &self.path(name))
    }

    fn boxed(&self, name: &str) -> Result<Box<Term>, String> {
        self.term(name).map(Box::new)
    }
}

/// Reads the fields after the one that identifies the term.
type TermReader = fn(&Fields<'_>) -> Result<Term, String>;

/// Terms by their first field.
const READERS: &[(&str, TermReader)] = &[
    ("parameter", |it| Ok(Term::Parameter(it.count("parameter")?, it.text("name")?.to_owned()))),
    ("field", |it| Ok(Term::Field(it.boxed("of")?, it.text("field")?.to_owned()))),
    ("observer", |it| Ok(Term::Observer(it.boxed("of")?, it.text("observer")?.to_owned()))),
    ("old", |it| Ok(Term::Old(it.boxed("old")?))),
    ("length", |it| Ok(Term::Length(it.boxed("length")?))),
    ("elements", |it| Ok(Term::Elements(it.boxed("elements")?))),
    ("first", |it| Ok(Term::First(it.boxed("first")?, it.boxed("count")?))),
    ("rest", |it| Ok(Term::Rest(it.boxed("rest")?, it.boxed("from")?))),
    ("at", |it| Ok(Term::At(it.boxed("at")?, it.boxed("index")?, it.integer("offset")?))),
    ("sum", |it| Ok(Term::Sum(it.boxed("sum")?))),
    ("min", |it| Ok(Term::Min(it.boxed("min")?))),
    ("max", |it| Ok(Term::Max(it.boxed("max")?))),
    ("append", |it| Ok(Term::Append(it.boxed("to")?, it.boxed("append")?))),
    ("prepend", |it| Ok(Term::Prepend(it.boxed("prepend")?, it.boxed("to")?))),
    ("reverse", |it| Ok(Term::Reverse(it.boxed("reverse")?))),
    ("linear", |it| Ok(Term::Linear(it.list("linear", product)?, it.integer("plus")?))),
    ("constant", |it| Ok(Term::Constant(it.value("constant")?))),
];

fn product(json: &Json, path: &str) -> Result<(i64, Term), String> {
    let fields = Fields::of(json, path)?;
    Ok((fields.integer("factor")?, fields.term("term")?))
}

fn term(json: &Json, path: &str) -> Result<Term, String> {
    match json.as_str() {
        Some("this") => return Ok(Term::This),
        Some("result") => return Ok(Term::Result),
        Some(other) => return Err(format!("{path}: '{other}' is neither 'this' nor 'result'")),
        None => {}
    }
    let fields = Fields::of(json, path)?;
    let known = READERS.iter().find(|(name, _)| fields.has(name));
    let (_, read) = known.ok_or_else(|| format!("{path}: a term is expected"))?;
    read(&fields)
}
