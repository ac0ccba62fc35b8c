//! `a[] is a subset of b[]`: all elements of one sequence are elements of another.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Formula, Not};
use crate::assignment::Assignment;
use crate::claims::is_within;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// All elements of one sequence are elements of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Subset {
    /// The elements.
    pub part: Term,
    /// The sequence that contains them.
    pub whole: Term,
}

impl FormulaKind for Subset {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let (part, whole) = (self.part.elements(execution, phase)?, self.whole.elements(execution, phase)?);
        Some(part.iter().all(|it| whole.iter().any(|other| it.same(other) == Some(true))))
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.part, &self.whole]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        Subset { part: term(&self.part), whole: term(&self.whole) }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let (part, whole) = (state.elements_of(&self.part)?, state.elements_of(&self.whole)?);
        let each = part.iter().map(|it| state.member(it, &whole)).collect();
        Ok(state.all(each))
    }

    fn text(&self) -> String {
        format!("{} is a subset of {}", self.part, self.whole)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        Some(format!("{}.containsAll({})", writer.term(&self.whole), writer.term(&self.part)))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let (part, whole) = (writer.elements(&self.part)?, writer.elements(&self.whole)?);
        Some(part.all("ix", &whole.any("iy", &format!("{} = {}", whole.at("iy"), part.at("ix")))))
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
        is_within(&self.part, &self.whole, known, false)
    }

    fn container_of(&self, part: &Term, in_order: bool) -> Option<&Term> {
        (self.part == *part && !in_order).then_some(&self.whole)
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
        vec![("part", self.part.json()), ("whole", self.whole.json())]
    }
}

impl RecordedKind for Subset {
    const NAME: &'static str = "subset";

    fn read(fields: &Fields<'_>) -> Result<Subset, String> {
        Ok(Subset { part: fields.term("part")?, whole: fields.term("whole")? })
    }
}
