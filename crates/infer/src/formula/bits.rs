//! `(x & mask) == bits`: some bits of a number are fixed.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Formula, Not};
use crate::assignment::Assignment;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// Some bits of a number are fixed.
#[derive(Clone, Debug, PartialEq)]
pub struct Bits {
    /// The number.
    pub term: Term,
    /// The mask of these bits.
    pub mask: i64,
    /// Their values.
    pub bits: i64,
}

impl FormulaKind for Bits {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let number = self.term.value(execution, phase).number()?;
        Some(number & i128::from(self.mask) == i128::from(self.bits))
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.term]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        Bits { term: term(&self.term), ..*self }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let number = state.whole_number(&self.term)?;
        let (mask, bits) = (state.number(self.mask), state.number(self.bits));
        let terms = state.machine.terms_mut();
        let masked = terms.and(number, mask);
        Ok(FormulaStatus::If(terms.eq(masked, bits)))
    }

    fn text(&self) -> String {
        format!("({} & {:#x}) == {:#x}", self.term, self.mask, self.bits)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        Some(format!("({} & {}L) == {}L", writer.term(&self.term), self.mask, self.bits))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, _: &testera::Writer<'_>) -> Option<String> {
        None
    }

    fn is_arithmetic(&self) -> bool {
        true
    }

    fn truth(&self, assignment: &Assignment<'_>) -> Option<bool> {
        Some(assignment.number(&self.term)? & i128::from(self.mask) == i128::from(self.bits))
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
        vec![("term", self.term.json()), ("mask", self.mask.json()), ("bits", self.bits.json())]
    }
}

impl RecordedKind for Bits {
    const NAME: &'static str = "bits";

    fn read(fields: &Fields<'_>) -> Result<Bits, String> {
        let (mask, bits) = (fields.integer("mask")?, fields.integer("bits")?);
        Ok(Bits { term: fields.term("term")?, mask, bits })
    }
}
