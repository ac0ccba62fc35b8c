//! `each of a[] < x`: each element compares in one way with a value.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Comparison, Formula, Not};
use crate::assignment::Assignment;
use crate::claims::{is_first_of, is_rest_of, is_weaker};
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// Each element compares in one way with a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementComparison {
    /// The elements.
    pub elements: Term,
    /// The comparison.
    pub comparison: Comparison,
    /// The value that each element is compared with.
    pub value: Term,
}

impl FormulaKind for ElementComparison {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let value = self.value.value(execution, phase);
        let mut all = true;
        for element in self.elements.elements(execution, phase)? {
            all &= self.comparison.holds(&element, &value)?;
        }
        Some(all)
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.elements, &self.value]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        let (elements, value) = (term(&self.elements), term(&self.value));
        ElementComparison { elements, comparison: self.comparison, value }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let (all, value) = (state.elements_of(&self.elements)?, state.value(&self.value));
        let each = all.iter().map(|it| state.compare(it, self.comparison, &value)).collect();
        Ok(state.all(each))
    }

    fn text(&self) -> String {
        format!("each of {} {} {}", self.elements, self.comparison.sign(), self.value)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        if let Some(quantified) = writer.each(&self.elements, self.comparison, &self.value) {
            return Some(quantified);
        }
        let (elements, value) = (writer.term(&self.elements), writer.boxed(&self.value));
        Some(format!("likelyEach({elements}, \"{}\", {value})", self.comparison.sign()))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let elements = writer.elements(&self.elements)?;
        Some(elements.all("ix", &writer.compared(&elements.at("ix"), self.comparison, &self.value)?))
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

    fn is_restated(&self, known: &[&Formula]) -> bool {
        known.iter().any(|it| {
            let Formula::ElementComparison(other) = it else { return false };
            let covers = other.elements == self.elements
                || is_first_of(&self.elements, &other.elements)
                || is_rest_of(&self.elements, &other.elements);
            let is_stronger = other.value == self.value
                && (other.comparison == self.comparison || other.comparison == Comparison::Equal);
            covers && (is_stronger || is_weaker(self.comparison, &self.value, other.comparison, &other.value))
        })
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
        self.comparison != Comparison::Equal || !matches!(self.value, Term::Constant(_))
    }

    fn write(&self) -> Vec<(&'static str, Json)> {
        vec![
            ("elements", self.elements.json()),
            ("comparison", self.comparison.json()),
            ("value", self.value.json()),
        ]
    }
}

impl RecordedKind for ElementComparison {
    const NAME: &'static str = "each";

    fn read(fields: &Fields<'_>) -> Result<ElementComparison, String> {
        let (elements, value) = (fields.term("elements")?, fields.term("value")?);
        Ok(ElementComparison { elements, comparison: fields.comparison("comparison")?, value })
    }
}
