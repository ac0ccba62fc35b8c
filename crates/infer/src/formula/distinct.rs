//! `a[] has no element twice`.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Comparison, Formula, Not};
use crate::assignment::Assignment;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// No element occurs twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Distinct {
    /// The elements.
    pub elements: Term,
}

impl FormulaKind for Distinct {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let all = self.elements.elements(execution, phase)?;
        let is_repeated = |at: usize| all[..at].iter().any(|it| it.same(&all[at]) == Some(true));
        Some(!(0..all.len()).any(is_repeated))
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
        Distinct { elements: term(&self.elements) }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let all = state.elements_of(&self.elements)?;
        let mut pairs = Vec::new();
        for (at, one) in all.iter().enumerate() {
            for other in &all[at + 1..] {
                pairs.push(state.compare(one, Comparison::Different, other));
            }
        }
        Ok(state.all(pairs))
    }

    fn text(&self) -> String {
        format!("{} has no element twice", self.elements)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        Some(format!("likelyDistinct({})", writer.term(&self.elements)))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let elements = writer.elements(&self.elements)?;
        let differ = format!("(ix < iy implies {} != {})", elements.at("ix"), elements.at("iy"));
        Some(elements.all("ix", &elements.all("iy", &differ)))
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
        known.iter().any(
            |it| matches!(it, Formula::Sortedness(sorted) if sorted.is_strict && sorted.elements == self.elements),
        )
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
        vec![("elements", self.elements.json())]
    }
}

impl RecordedKind for Distinct {
    const NAME: &'static str = "distinct";

    fn read(fields: &Fields<'_>) -> Result<Distinct, String> {
        Ok(Distinct { elements: fields.term("elements")? })
    }
}
