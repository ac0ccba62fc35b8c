//! `a[] sorted by <`: elements are in order.

use super::kind::{FormulaKind, RecordedKind, Tie, order_of};
use super::{Comparison, Formula, Not};
use crate::assignment::Assignment;
use crate::claims::is_uniform;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// Elements are in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Sortedness {
    /// The elements.
    pub elements: Term,
    /// Whether neighbours differ.
    pub is_strict: bool,
    /// Whether they fall rather than rise.
    pub is_falling: bool,
}

impl FormulaKind for Sortedness {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let elements = self.elements.elements(execution, phase)?;
        let comparison = self.comparison();
        let mut all = true;
        for pair in elements.windows(2) {
            all &= comparison.admits(pair[0].order(&pair[1])?);
        }
        Some(all)
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.elements]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        Sortedness { elements: term(&self.elements), ..*self }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let all = state.elements_of(&self.elements)?;
        Ok(state.each(&all, self.comparison(), all.get(1..).unwrap_or_default()))
    }

    fn text(&self) -> String {
        format!("{} sorted by {}", self.elements, self.comparison().sign())
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        let order = order_of(self.is_strict, self.is_falling);
        if let Some(quantified) = writer.neighbours(&self.elements, order) {
            return Some(quantified);
        }
        let elements = writer.term(&self.elements);
        Some(format!("likelySorted({elements}, {}, {})", self.is_strict, self.is_falling))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let elements = writer.elements(&self.elements)?;
        let (one, next) = (elements.at("ix"), elements.at("plus[ix, 1]"));
        let pair = format!("{one} {} {next}", self.comparison().sign());
        Some(elements.all("ix", &format!("(plus[ix, 1] < {} implies {pair})", elements.to)))
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
        is_uniform(&self.elements, known)
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
        vec![
            ("elements", self.elements.json()),
            ("strict", self.is_strict.json()),
            ("falling", self.is_falling.json()),
        ]
    }
}

impl RecordedKind for Sortedness {
    const NAME: &'static str = "sorted";

    fn read(fields: &Fields<'_>) -> Result<Sortedness, String> {
        let (is_strict, is_falling) = (fields.truth("strict")?, fields.truth("falling")?);
        Ok(Sortedness { elements: fields.term("elements")?, is_strict, is_falling })
    }
}

impl Sortedness {
    /// The comparison of each element with the next.
    fn comparison(&self) -> Comparison {
        order_of(self.is_strict, self.is_falling)
    }
}
