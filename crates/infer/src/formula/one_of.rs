//! `x one of { a, b }`: a value is one of a few.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Comparison, Formula, Not};
use crate::assignment::{Assignment, number};
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// A value is one of a few.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOf {
    /// The value.
    pub term: Term,
    /// The values that it may have, in order.
    pub values: Vec<Value>,
}

impl FormulaKind for OneOf {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let value = self.term.value(execution, phase);
        value.is_present().then(|| self.values.iter().any(|it| it.same(&value) == Some(true)))
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.term]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &self.values
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        OneOf { term: term(&self.term), values: self.values.clone() }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let value = state.value(&self.term);
        if value.is_absent() {
            return Err(FormulaStatus::Absent);
        }
        let constant = |it: &Value| state.value(&Term::Constant(it.clone()));
        let values: Vec<_> = self.values.iter().map(constant).collect();
        Ok(state.member(&value, &values))
    }

    fn text(&self) -> String {
        let values: Vec<String> = self.values.iter().map(ToString::to_string).collect();
        format!("{} one of {{ {} }}", self.term, values.join(", "))
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        let each = self
            .values
            .iter()
            .map(|it| writer.compare(&self.term, Comparison::Equal, &Term::Constant(it.clone())));
        Some(format!("({})", each.collect::<Vec<_>>().join(" || ")))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let each: Option<Vec<String>> = self
            .values
            .iter()
            .map(|it| writer.compare(&self.term, Comparison::Equal, &Term::Constant(it.clone())))
            .collect();
        Some(format!("({})", each?.join(" or ")))
    }

    fn is_arithmetic(&self) -> bool {
        self.values.iter().all(|it| number(it).is_some())
    }

    fn truth(&self, assignment: &Assignment<'_>) -> Option<bool> {
        let wanted = assignment.number(&self.term)?;
        Some(self.values.iter().any(|it| number(it) == Some(wanted)))
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
        self.values.last().map(|it| (&self.term, it))
    }

    fn is_trivial(&self) -> bool {
        false
    }

    fn is_incidental(&self) -> bool {
        false
    }

    fn write(&self) -> Vec<(&'static str, Json)> {
        vec![("term", self.term.json()), ("values", self.values.json())]
    }
}

impl RecordedKind for OneOf {
    const NAME: &'static str = "one of";

    fn read(fields: &Fields<'_>) -> Result<OneOf, String> {
        Ok(OneOf { term: fields.term("term")?, values: fields.values("values")? })
    }
}
