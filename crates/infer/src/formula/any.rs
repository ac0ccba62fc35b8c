//! `a || b`: at least one formula holds.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Formula, Not};
use crate::assignment::Assignment;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// At least one formula holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Any {
    /// The formulas.
    pub alternatives: Vec<Formula>,
}

impl FormulaKind for Any {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        // One that holds is enough, even if values are absent for the others.
        let each: Vec<Option<bool>> = self.alternatives.iter().map(|it| it.holds(execution, phase)).collect();
        if each.contains(&Some(true)) {
            Some(true)
        } else {
            each.iter().all(Option::is_some).then_some(false)
        }
    }

    fn terms(&self) -> Vec<&Term> {
        self.alternatives.iter().flat_map(Formula::terms).collect()
    }

    fn parts(&self) -> Vec<&Formula> {
        self.alternatives.iter().collect()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, _: &dyn Fn(&Term) -> Term, part: &dyn Fn(&Formula) -> Formula) -> Formula {
        Any { alternatives: self.alternatives.iter().map(part).collect() }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let mut terms = Vec::new();
        for alternative in &self.alternatives {
            match state.holds(alternative) {
                FormulaStatus::If(term) => terms.push(term),
                FormulaStatus::Absent | FormulaStatus::Unknown => return Err(FormulaStatus::Unknown),
            }
        }
        Ok(FormulaStatus::If(state.machine.terms_mut().any(&terms)))
    }

    fn text(&self) -> String {
        let all: Vec<String> = self.alternatives.iter().map(ToString::to_string).collect();
        all.join(" || ")
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        // Alternatives with absent values count as false.
        let each: Option<Vec<String>> = self.alternatives.iter().map(|it| writer.conjunction(it)).collect();
        Some(format!("({})", each?.join(" || ")))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        let is_sayable = |it: &Formula| it.kind().contract(writer).is_some();
        self.alternatives.iter().all(is_sayable).then(|| writer.guarded(self)).flatten()
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        // Alternatives with absent values count as false.
        let each: Option<Vec<String>> = self.alternatives.iter().map(|it| writer.conjunction(it)).collect();
        Some(format!("({})", each?.join(" or ")))
    }

    fn is_arithmetic(&self) -> bool {
        self.alternatives.iter().all(|it| it.kind().is_arithmetic())
    }

    fn truth(&self, assignment: &Assignment<'_>) -> Option<bool> {
        let truths = self.alternatives.iter().map(|it| it.kind().truth(assignment));
        truths.into_iter().try_fold(false, |any, it| Some(any | it?))
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
        vec![("alternatives", self.alternatives.json())]
    }
}

impl RecordedKind for Any {
    const NAME: &'static str = "any";

    fn read(fields: &Fields<'_>) -> Result<Any, String> {
        Ok(Any { alternatives: fields.formulas("alternatives")? })
    }
}
