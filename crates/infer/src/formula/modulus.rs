//! `x == r (mod m)`: a number has a remainder.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Formula, Not};
use crate::assignment::Assignment;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// A number has a remainder.
#[derive(Clone, Debug, PartialEq)]
pub struct Modulus {
    /// The number.
    pub term: Term,
    /// The modulus, positive.
    pub modulus: i64,
    /// The remainder, never negative.
    pub remainder: i64,
}

impl FormulaKind for Modulus {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        let number = self.term.value(execution, phase).number()?;
        Some(number.rem_euclid(i128::from(self.modulus)) == i128::from(self.remainder))
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
        Modulus { term: term(&self.term), ..*self }.into()
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let number = state.whole_number(&self.term)?;
        let (modulus, expected) = (state.number(self.modulus), state.number(self.remainder));
        let terms = state.machine.terms_mut();
        // Never negative: `((x % m) + m) % m`.
        let remainder = terms.srem(number, modulus);
        let shifted = terms.add(remainder, modulus);
        let remainder = terms.srem(shifted, modulus);
        Ok(FormulaStatus::If(terms.eq(remainder, expected)))
    }

    fn text(&self) -> String {
        format!("{} == {} (mod {})", self.term, self.remainder, self.modulus)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        let term = writer.term(&self.term);
        Some(format!("Math.floorMod((long) {term}, {}L) == {}L", self.modulus, self.remainder))
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        writer.guarded(self)
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let remainder = format!("rem[{}, {}]", writer.value(&self.term)?, self.modulus);
        Some(match self.remainder {
            0 => format!("{remainder} = 0"),
            // The notation's `rem` has the sign of the number.
            _ => format!(
                "({remainder} = {} or {remainder} = {})",
                self.remainder,
                self.remainder - self.modulus
            ),
        })
    }

    fn is_arithmetic(&self) -> bool {
        true
    }

    fn truth(&self, assignment: &Assignment<'_>) -> Option<bool> {
        let number = assignment.number(&self.term)?;
        Some(number.rem_euclid(i128::from(self.modulus)) == i128::from(self.remainder))
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
        vec![
            ("term", self.term.json()),
            ("modulus", self.modulus.json()),
            ("remainder", self.remainder.json()),
        ]
    }
}

impl RecordedKind for Modulus {
    const NAME: &'static str = "modulus";

    fn read(fields: &Fields<'_>) -> Result<Modulus, String> {
        let modulus = fields.integer("modulus")?;
        if modulus < 1 {
            return Err(fields.wrong("modulus", "a positive number"));
        }
        Ok(Modulus { term: fields.term("term")?, modulus, remainder: fields.integer("remainder")? })
    }
}
