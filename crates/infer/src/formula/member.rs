//! `x in a[]`: a value is an element.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Formula, Not};
use crate::assignment::Assignment;
use crate::claims::{is_first_of, is_within, is_within_steps};
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState, SymbolicValue};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// A value is an element.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The value.
    pub element: Term,
    /// The elements.
    pub elements: Term,
}

impl FormulaKind for Member {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let value = self.element.value(execution, phase);
        let all = self.elements.elements(execution, phase)?;
        value.is_present().then(|| all.iter().any(|it| it.same(&value) == Some(true)))
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.element, &self.elements]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        Member { element: term(&self.element), elements: term(&self.elements) }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let value = state.value(&self.element);
        let all = state.elements_of(&self.elements)?;
        Ok(match value {
            // It may be absent, as the least element of an empty sequence is.
            SymbolicValue::Unknown => FormulaStatus::Unknown,
            value if value.is_absent() => FormulaStatus::Absent,
            value => state.member(&value, &all),
        })
    }

    fn text(&self) -> String {
        format!("{} in {}", self.element, self.elements)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        let listed = || format!("{}.contains({})", writer.term(&self.elements), writer.boxed(&self.element));
        Some(writer.some(&self.elements, &self.element).unwrap_or_else(listed))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let (value, elements) = (writer.value(&self.element)?, writer.elements(&self.elements)?);
        Some(elements.any("ix", &format!("{} = {value}", elements.at("ix"))))
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
        known.iter().any(|it| self.follows_from(it, known)) || self.is_element_of_part(known)
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
        vec![("element", self.element.json()), ("elements", self.elements.json())]
    }
}

impl RecordedKind for Member {
    const NAME: &'static str = "member";

    fn read(fields: &Fields<'_>) -> Result<Member, String> {
        Ok(Member { element: fields.term("element")?, elements: fields.term("elements")? })
    }
}

impl Member {
    /// Whether one known formula says that the value is in a part of the elements.
    fn follows_from(&self, known_one: &Formula, known: &[&Formula]) -> bool {
        let (element, all) = (&self.element, &self.elements);
        let contains = |part: &Term| is_within(part, all, known, false);
        if let Formula::Member(member) = known_one {
            return member.element == *element && member.elements != *all && contains(&member.elements);
        }
        match known_one.as_equality() {
            Some((x, Term::At(seq, ..)) | (Term::At(seq, ..), x)) => {
                x == element && (contains(seq) || is_first_of(all, seq))
            }
            Some((x, Term::Append(_, one) | Term::Prepend(one, _))) => **one == *element && contains(x),
            _ => false,
        }
    }

    /// Whether the value is written as an element of a part of the elements.
    fn is_element_of_part(&self, known: &[&Formula]) -> bool {
        let Term::At(seq, count, offset) = &self.element else { return false };
        let first = || Term::First(seq.clone(), count.clone());
        is_within(seq, &self.elements, known, false)
            || *offset == -1 && is_within_steps(&first(), &self.elements, known, false, 1)
    }
}
