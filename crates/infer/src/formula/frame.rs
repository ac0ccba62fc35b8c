//! `a[] == b[] but at i`: two sequences are equal except perhaps at one index.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Comparison, Formula, Not};
use crate::assignment::Assignment;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// Two sequences are equal except perhaps at one index.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The elements after a call.
    pub after: Term,
    /// The elements before it.
    pub before: Term,
    /// The index.
    pub index: Term,
}

impl FormulaKind for Frame {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let (after, before) =
            (self.after.elements(execution, phase)?, self.before.elements(execution, phase)?);
        let index = self.index.value(execution, phase).number()?;
        let is_kept = |at: usize| at as i128 == index || after[at].same(&before[at]) == Some(true);
        Some(after.len() == before.len() && (0..after.len()).all(is_kept))
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.after, &self.before, &self.index]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        let (after, before) = (term(&self.after), term(&self.before));
        Frame { after, before, index: term(&self.index) }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let index = state.value(&self.index);
        let (after, before) = (state.elements_of(&self.after)?, state.elements_of(&self.before)?);
        let index = state.constant(index).ok_or(FormulaStatus::Unknown)?;
        if after.len() != before.len() {
            return Ok(state.truth(false));
        }
        let others = (0..after.len()).filter(|it| *it as i64 != index);
        let each = others.map(|it| state.compare(&after[it], Comparison::Equal, &before[it])).collect();
        Ok(state.all(each))
    }

    fn text(&self) -> String {
        format!("{} == {} but at {}", self.after, self.before, self.index)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        let (after, before) = (writer.term(&self.after), writer.term(&self.before));
        Some(format!("likelyBut({after}, {before}, {})", writer.term(&self.index)))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let (after, before) = (writer.elements(&self.after)?, writer.elements(&self.before)?);
        let index = writer.value(&self.index)?;
        let kept = format!("(ix = {index} or {} = {})", after.at("ix"), before.at("ix"));
        Some(format!("({} = {} and {})", after.count(), before.count(), after.all("ix", &kept)))
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
        vec![("after", self.after.json()), ("before", self.before.json()), ("index", self.index.json())]
    }
}

impl RecordedKind for Frame {
    const NAME: &'static str = "frame";

    fn read(fields: &Fields<'_>) -> Result<Frame, String> {
        let (after, before) = (fields.term("after")?, fields.term("before")?);
        Ok(Frame { after, before, index: fields.term("index")? })
    }
}
