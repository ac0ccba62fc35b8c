//! `a[] is a prefix of b[]`: one sequence begins with another.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Comparison, Formula, Not};
use crate::assignment::Assignment;
use crate::claims::is_within;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// One sequence begins with another.
#[derive(Clone, Debug, PartialEq)]
pub struct Prefix {
    /// The elements at the beginning.
    pub prefix: Term,
    /// The elements that begin with them.
    pub whole: Term,
}

impl FormulaKind for Prefix {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let (prefix, whole) =
            (self.prefix.elements(execution, phase)?, self.whole.elements(execution, phase)?);
        let begins = || prefix.iter().zip(&whole).all(|(a, b)| a.same(b) == Some(true));
        Some(prefix.len() <= whole.len() && begins())
    }

    fn terms(&self) -> Vec<&Term> {
        vec![&self.prefix, &self.whole]
    }

    fn parts(&self) -> Vec<&Formula> {
        Vec::new()
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, term: &dyn Fn(&Term) -> Term, _: &dyn Fn(&Formula) -> Formula) -> Formula {
        Prefix { prefix: term(&self.prefix), whole: term(&self.whole) }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let (prefix, whole) = (state.elements_of(&self.prefix)?, state.elements_of(&self.whole)?);
        Ok(if prefix.len() > whole.len() {
            state.truth(false)
        } else {
            state.each(&prefix, Comparison::Equal, &whole)
        })
    }

    fn text(&self) -> String {
        format!("{} is a prefix of {}", self.prefix, self.whole)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        Some(format!("likelyPrefix({}, {})", writer.term(&self.prefix), writer.term(&self.whole)))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let (prefix, whole) = (writer.elements(&self.prefix)?, writer.elements(&self.whole)?);
        Some(format!("({} <= {} and {})", prefix.count(), whole.count(), prefix.begins(&whole)))
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
        let is_longer = |seq: &Term| {
            let is = |(x, longer): (&Term, &Term)| x == seq && matches!(longer, Term::Append(..));
            known.iter().filter_map(|it| it.as_equality()).any(is)
        };
        is_longer(&self.prefix) || is_longer(&self.whole) || is_within(&self.prefix, &self.whole, known, true)
    }

    fn container_of(&self, part: &Term, _: bool) -> Option<&Term> {
        (self.prefix == *part).then_some(&self.whole)
    }

    fn bound(&self) -> Option<(&Term, &Value)> {
        None
    }

    fn is_trivial(&self) -> bool {
        false
    }

    fn is_incidental(&self) -> bool {
        true
    }

    fn write(&self) -> Vec<(&'static str, Json)> {
        vec![("prefix", self.prefix.json()), ("whole", self.whole.json())]
    }
}

impl RecordedKind for Prefix {
    const NAME: &'static str = "prefix";

    fn read(fields: &Fields<'_>) -> Result<Prefix, String> {
        Ok(Prefix { prefix: fields.term("prefix")?, whole: fields.term("whole")? })
    }
}
