//! Quantified expressions over the elements of arrays in JML: `(\forall int ix; 0 <= ix && ix < n; a[ix] > 0)`.

use super::java::Writer;
use crate::formula::Comparison;
use crate::term::Term;
use crate::typing::{is_elements, type_of};
use crate::value::Value;
use cupping_case::JavaType;

/// The indices of elements, and the element at one of them.
struct Range {
    first: String,
    end: String,
    array: String,
}

impl Range {
    fn within(&self, more: &str) -> String {
        format!("{}{more} <= ix && ix < {}", self.first, self.end)
    }
}

impl Writer<'_> {
    /// States that each element compares this way with a value.
    pub fn each(&self, elements: &Term, comparison: Comparison, value: &Term) -> Option<String> {
        let range = self.range(elements).filter(|_| self.is_primitive(value))?;
        let at = format!("{}[ix] {} {}", range.array, comparison.sign(), self.term(value));
        Some(format!("(\\forall int ix; {}; {at})", range.within("")))
    }

    /// States that some element equals a value.
    pub fn some(&self, elements: &Term, value: &Term) -> Option<String> {
        let range = self.range(elements).filter(|_| self.is_primitive(value))?;
        let at = format!("{}[ix] == {}", range.array, self.term(value));
        Some(format!("(\\exists int ix; {}; {at})", range.within("")))
    }

    /// States that neighbours compare this way.
    pub fn neighbours(&self, elements: &Term, comparison: Comparison) -> Option<String> {
        let range = self.range(elements)?;
        let at = format!("{0}[ix - 1] {1} {0}[ix]", range.array, comparison.sign());
        Some(format!("(\\forall int ix; {}; {at})", range.within(" + 1")))
    }

    /// The sum of elements.
    pub fn sum(&self, elements: &Term) -> Option<String> {
        let range = self.range(elements)?;
        Some(format!("(\\sum int ix; {}; (long) {}[ix])", range.within(""), range.array))
    }

    /// The range of elements, if the notation quantifies and they belong to an array of primitives in the present
    /// state.
    fn range(&self, elements: &Term) -> Option<Range> {
        if !self.style.quantifies || elements.any(&mut |it| matches!(it, Term::Old(_))) {
            return None;
        }
        let of = |elements: &Term| match elements {
            Term::Elements(array) => match type_of(self.subject, self.method, array) {
                JavaType::Array(element) if !element.is_reference() => Some(self.term(array)),
                _ => None,
            },
            _ => None,
        };
        Some(match elements {
            Term::First(seq, count) => Range { first: "0".into(), end: self.term(count), array: of(seq)? },
            Term::Rest(seq, from) => {
                let array = of(seq)?;
                Range { first: self.term(from), end: format!("{array}.length"), array }
            }
            _ => {
                let array = of(elements)?;
                Range { first: "0".into(), end: format!("{array}.length"), array }
            }
        })
    }

    fn is_primitive(&self, value: &Term) -> bool {
        match value {
            Term::Constant(value) => {
                matches!(value, Value::Bool(_) | Value::Int(_) | Value::Char(_) | Value::Float(_))
            }
            value => !is_elements(value) && !type_of(self.subject, self.method, value).is_reference(),
        }
    }
}
