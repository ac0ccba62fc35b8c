//! `!(formula)`: a formula does not hold.

use super::Formula;
use super::kind::{FormulaKind, RecordedKind, Tie};
use crate::assignment::Assignment;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// A formula does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Not {
    /// The formula.
    pub negated: Box<Formula>,
}

impl FormulaKind for Not {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        self.negated.holds(execution, phase).map(|it| !it)
    }

    fn terms(&self) -> Vec<&Term> {
        self.negated.terms()
    }

    fn parts(&self) -> Vec<&Formula> {
        vec![&self.negated]
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, _: &dyn Fn(&Term) -> Term, part: &dyn Fn(&Formula) -> Formula) -> Formula {
        Not { negated: Box::new(part(&self.negated)) }.into()
    }

    fn negation(&self) -> Formula {
        (*self.negated).clone()
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        Ok(match state.holds(&self.negated) {
            FormulaStatus::If(term) => FormulaStatus::If(state.machine.terms_mut().not(term)),
            other => other,
        })
    }

    fn text(&self) -> String {
        format!("!({})", self.negated)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        Some(format!("!({})", writer.formula(&self.negated)?))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        self.negated.kind().contract(writer)?;
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        Some(format!("not ({})", writer.formula(&self.negated)?))
    }

    fn is_arithmetic(&self) -> bool {
        self.negated.kind().is_arithmetic()
    }

    fn truth(&self, assignment: &Assignment<'_>) -> Option<bool> {
        self.negated.kind().truth(assignment).map(|it| !it)
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
        vec![("negated", self.negated.json())]
    }
}

impl RecordedKind for Not {
    const NAME: &'static str = "not";

    fn read(fields: &Fields<'_>) -> Result<Not, String> {
        Ok(Not { negated: Box::new(fields.formula("negated")?) })
    }
}

impl Not {
    /// The negation of a formula whose kind has no negated form of its own.
    pub(super) fn of(kind: impl Into<Formula>) -> Formula {
        Not { negated: Box::new(kind.into()) }.into()
    }
}
