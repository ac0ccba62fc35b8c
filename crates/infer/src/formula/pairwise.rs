//! `a[] <= b[] (elementwise)`: elements at equal indices compare in one way, up to the end of the shorter sequence.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Comparison, Formula, Not};
use crate::assignment::Assignment;
use crate::claims::{is_uniform, is_within};
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// Elements at equal indices compare in one way, up to the end of the shorter sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Pairwise {
    /// The left elements.
    pub left: Term,
    /// The comparison.
    pub comparison: Comparison,
    /// The right elements.
    pub right: Term,
}

impl FormulaKind for Pairwise {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let (left, right) = (self.left.elements(execution, phase)?, self.right.elements(execution, phase)?);
        let mut all = true;
        for (a, b) in left.iter().zip(&right) {
            all &= self.comparison.holds(a, b)?;
        }
        Some(all)
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.left, &self.right]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        let (left, right) = (term(&self.left), term(&self.right));
        Pairwise { left, comparison: self.comparison, right }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let (left, right) = (state.elements_of(&self.left)?, state.elements_of(&self.right)?);
        Ok(state.each(&left, self.comparison, &right))
    }

    fn text(&self) -> String {
        format!("{} {} {} (elementwise)", self.left, self.comparison.sign(), self.right)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        let (left, right) = (writer.term(&self.left), writer.term(&self.right));
        Some(format!("likelyPairwise({left}, \"{}\", {right})", self.comparison.sign()))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let (left, right) = (writer.elements(&self.left)?, writer.elements(&self.right)?);
        let (one, other) = (left.at(&left.index("ix")), right.at(&right.index("ix")));
        Some(format!(
            "(all ix: Int | (ix >= 0 and ix < {} and ix < {}) implies {one} {} {other})",
            left.count(),
            right.count(),
            testera::sign(self.comparison)
        ))
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
        // Up to the end of the shorter one they are equal.
        let admits_equal =
            matches!(self.comparison, Comparison::AtMost | Comparison::AtLeast | Comparison::Equal);
        let (left, right) = (&self.left, &self.right);
        admits_equal && (is_within(left, right, known, true) || is_within(right, left, known, true))
            || is_uniform(left, known)
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
        vec![("left", self.left.json()), ("comparison", self.comparison.json()), ("right", self.right.json())]
    }
}

impl RecordedKind for Pairwise {
    const NAME: &'static str = "pairwise";

    fn read(fields: &Fields<'_>) -> Result<Pairwise, String> {
        let (left, right) = (fields.term("left")?, fields.term("right")?);
        Ok(Pairwise { left, comparison: fields.comparison("comparison")?, right })
    }
}
