//! `s consists of digits`: a string has a shape.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Formula, Not};
use crate::assignment::Assignment;
use crate::java_literals::string_text;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// A string has a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct StringShape {
    /// The string.
    pub term: Term,
    /// Its shape.
    pub shape: Shape,
}

impl FormulaKind for StringShape {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        match self.term.value(execution, phase) {
            Value::Text(text) => Some(self.shape.fits(&text)),
            _ => None,
        }
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.term]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        StringShape { term: term(&self.term), shape: self.shape }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, _: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        Err(FormulaStatus::Unknown)
    }

    fn text(&self) -> String {
        format!("{} {}", self.term, self.shape.text())
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        Some(format!("{}.matches({})", writer.term(&self.term), string_text(self.shape.pattern())))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        vec![&self.term]
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, _: &testera::Writer<'_>) -> Option<String> {
        None
    }

    fn is_arithmetic(&self) -> bool {
        false
    }

    fn truth(&self, _: &Assignment<'_>) -> Option<bool> {
        None
    }

    fn tie(&self) -> Tie {
        Tie::Loose
    }

    fn is_restated(&self, _: &[&Formula]) -> bool {
        false
    }

    fn container_of(&self, _: &Term, _: bool) -> Option<&Term> {
        None
    }

    fn bound(&self) -> Option<(&Term, &Value)> {
        None
    }

    fn is_trivial(&self) -> bool {
        false
    }

    fn is_incidental(&self) -> bool {
        false
    }

    fn write(&self) -> Vec<(&'static str, Json)> {
        vec![("term", self.term.json()), ("shape", self.shape.name().json())]
    }
}

impl RecordedKind for StringShape {
    const NAME: &'static str = "shaped";

    fn read(fields: &Fields<'_>) -> Result<StringShape, String> {
        let name = fields.text("shape")?;
        let shape = Shape::ALL.into_iter().find(|it| it.name() == name);
        let shape = shape.ok_or_else(|| fields.wrong("shape", "the name of a shape"))?;
        Ok(StringShape { term: fields.term("term")?, shape })
    }
}

/// Shapes of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Not empty.
    NotEmpty,
    /// Digits only.
    Digits,
    /// Letters and digits only.
    Alphanumeric,
    /// No lower-case letter.
    NoLower,
    /// No upper-case letter.
    NoUpper,
    /// No white space around it.
    Trimmed,
}

impl Shape {
    /// All shapes; a shape comes before those that it implies.
    pub const ALL: [Shape; 6] =
        [Shape::Digits, Shape::Alphanumeric, Shape::NotEmpty, Shape::NoLower, Shape::NoUpper, Shape::Trimmed];

    /// Whether a string has it.
    pub fn fits(self, text: &str) -> bool {
        match self {
            Shape::NotEmpty => !text.is_empty(),
            Shape::Digits => !text.is_empty() && text.chars().all(|c| c.is_ascii_digit()),
            Shape::Alphanumeric => !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric()),
            Shape::NoLower => !text.chars().any(|c| c.is_ascii_lowercase()),
            Shape::NoUpper => !text.chars().any(|c| c.is_ascii_uppercase()),
            Shape::Trimmed => text.trim() == text,
        }
    }

    /// As a regular expression of Java.
    pub fn pattern(self) -> &'static str {
        match self {
            Shape::NotEmpty => "(?s).+",
            Shape::Digits => "[0-9]+",
            Shape::Alphanumeric => "[0-9A-Za-z]+",
            Shape::NoLower => "[^a-z]*",
            Shape::NoUpper => "[^A-Z]*",
            Shape::Trimmed => r"(?s)(\S(.*\S)?)?",
        }
    }

    /// As the predicate of a sentence.
    pub fn text(self) -> &'static str {
        match self {
            Shape::NotEmpty => "is not empty",
            Shape::Digits => "consists of digits",
            Shape::Alphanumeric => "consists of letters and digits",
            Shape::NoLower => "has no lower case",
            Shape::NoUpper => "has no upper case",
            Shape::Trimmed => "has no white space around it",
        }
    }

    /// The name in recorded specifications.
    fn name(self) -> &'static str {
        match self {
            Shape::NotEmpty => "not empty",
            Shape::Digits => "digits",
            Shape::Alphanumeric => "alphanumeric",
            Shape::NoLower => "no lower case",
            Shape::NoUpper => "no upper case",
            Shape::Trimmed => "trimmed",
        }
    }
}
