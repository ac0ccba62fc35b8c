//! `(left) == (right)`: two formulas hold for the same executions.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Formula, Not};
use crate::assignment::Assignment;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// Two formulas hold of the same executions.
#[derive(Clone, Debug, PartialEq)]
pub struct Iff {
    /// One formula.
    pub left: Box<Formula>,
    /// The other.
    pub right: Box<Formula>,
}

impl FormulaKind for Iff {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        Some(self.left.holds(execution, phase)? == self.right.holds(execution, phase)?)
    }

    fn terms(&self) -> Vec<&Term> {
        self.parts().into_iter().flat_map(Formula::terms).collect()
    }

    fn parts(&self) -> Vec<&Formula> {
        vec![&self.left, &self.right]
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, _: &dyn Fn(&Term) -> Term, part: &dyn Fn(&Formula) -> Formula) -> Formula {
        Formula::iff(part(&self.left), part(&self.right))
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        Ok(match (state.holds(&self.left), state.holds(&self.right)) {
            (FormulaStatus::If(left), FormulaStatus::If(right)) => {
                FormulaStatus::If(state.machine.terms_mut().eq(left, right))
            }
            (FormulaStatus::Absent, _) | (_, FormulaStatus::Absent) => FormulaStatus::Absent,
            _ => FormulaStatus::Unknown,
        })
    }

    fn text(&self) -> String {
        format!("({}) == ({})", self.left, self.right)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        Some(format!("({}) == ({})", writer.plain(&self.left)?, writer.plain(&self.right)?))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        let is_sayable = |it: &&Formula| it.kind().contract(writer).is_some();
        self.parts().iter().all(is_sayable).then(|| writer.guarded(self)).flatten()
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        Some(format!("({} iff {})", writer.plain(&self.left)?, writer.plain(&self.right)?))
    }

    fn is_arithmetic(&self) -> bool {
        self.parts().into_iter().all(|it| it.kind().is_arithmetic())
    }

    fn truth(&self, assignment: &Assignment<'_>) -> Option<bool> {
        Some(self.left.kind().truth(assignment)? == self.right.kind().truth(assignment)?)
    }

    fn tie(&self) -> Tie {
        Tie::Equivalence
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
        self.left == self.right
    }

    fn is_incidental(&self) -> bool {
        false
    }

    fn write(&self) -> Vec<(&'static str, Json)> {
        vec![("left", self.left.json()), ("right", self.right.json())]
    }
}

impl RecordedKind for Iff {
    const NAME: &'static str = "iff";

    fn read(fields: &Fields<'_>) -> Result<Iff, String> {
        let (left, right) = (fields.formula("left")?, fields.formula("right")?);
        Ok(Iff { left: Box::new(left), right: Box::new(right) })
    }
}
