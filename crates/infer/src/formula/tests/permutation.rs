//! `a[] is a permutation of b[]`: the kind of formula that the walk-through in `CONTRIBUTING.md` adds. It is
//! compiled for tests only, by the steps of the walk-through; that no other file had to change proves that there are
//! no other steps.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Formula, Not};
use crate::assignment::Assignment;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// One sequence has the elements of another, in any order.
#[derive(Clone, Debug, PartialEq)]
pub struct Permutation {
    /// The one.
    pub left: Term,
    /// The other.
    pub right: Term,
}

impl FormulaKind for Permutation {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let (left, mut right) =
            (self.left.elements(execution, phase)?, self.right.elements(execution, phase)?);
        let mut all = left.len() == right.len();
        for element in &left {
            let twin = right.iter().position(|it| it.same(element) == Some(true));
            twin.map(|at| right.swap_remove(at));
            all &= twin.is_some();
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
        Permutation { left: term(&self.left), right: term(&self.right) }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, _: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        Err(FormulaStatus::Unknown)
    }

    fn text(&self) -> String {
        format!("{} is a permutation of {}", self.left, self.right)
    }

    fn java(&self, _: &java::Writer<'_>) -> Option<String> {
        None
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, _: &java::Writer<'_>) -> Option<String> {
        None
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

    fn is_restated(&self, known: &[&Formula]) -> bool {
        known.iter().any(|it| it.as_equality() == Some((&self.left, &self.right)))
    }

    fn container_of(&self, part: &Term, in_order: bool) -> Option<&Term> {
        (self.left == *part && !in_order).then_some(&self.right)
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

impl RecordedKind for Permutation {
    const NAME: &'static str = "permutation";

    fn read(fields: &Fields<'_>) -> Result<Permutation, String> {
        Ok(Permutation { left: fields.term("left")?, right: fields.term("right")? })
    }
}
