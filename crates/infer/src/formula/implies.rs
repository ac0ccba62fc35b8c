//! `condition ==> consequence`: one formula holds wherever another does.

use super::kind::{FormulaKind, RecordedKind, Tie};
use super::{Formula, Not};
use crate::assignment::Assignment;
use crate::entailment::Premises;
use crate::json::{Fields, Json, ToJson};
use crate::output::{java, testera};
use crate::symbolic_state::{FormulaStatus, SymbolicState};
use crate::term::{Phase, Term};
use crate::trace::Execution;
use crate::value::Value;

/// One formula holds where another does.
#[derive(Clone, Debug, PartialEq)]
pub struct Implies {
    /// The condition.
    pub condition: Box<Formula>,
    /// … this holds too.
    pub consequence: Box<Formula>,
}

impl FormulaKind for Implies {
    fn holds(&self, execution: &Execution, phase: Phase) -> Option<bool> {
        match self.condition.holds(execution, phase)? {
            true => self.consequence.holds(execution, phase),
            false => Some(true),
        }
    }

    fn terms(&self) -> Vec<&Term> {
        self.parts().into_iter().flat_map(Formula::terms).collect()
    }

    fn parts(&self) -> Vec<&Formula> {
        vec![&self.condition, &self.consequence]
    }

    fn constants(&self) -> &[Value] {
        &[]
    }

    fn rebuilt(&self, _: &dyn Fn(&Term) -> Term, part: &dyn Fn(&Formula) -> Formula) -> Formula {
        Formula::implies(part(&self.condition), part(&self.consequence))
    }

    fn negation(&self) -> Formula {
        Not::of(self.clone())
    }

    fn symbolic(&self, state: &mut SymbolicState<'_>) -> Result<FormulaStatus, FormulaStatus> {
        let condition = match state.holds(&self.condition) {
            FormulaStatus::If(condition) => condition,
            other => return Ok(other),
        };
        if state.machine.terms().as_constant(condition) == Some(0) {
            return Ok(state.truth(true));
        }
        Ok(match state.holds(&self.consequence) {
            FormulaStatus::If(consequence) => {
                let not = state.machine.terms_mut().not(condition);
                FormulaStatus::If(state.machine.terms_mut().any(&[not, consequence]))
            }
            other => other,
        })
    }

    fn text(&self) -> String {
        let condition = match self.condition.as_truth() {
            Some((term, true)) => term.to_string(),
            Some((term, false)) => format!("!{term}"),
            None => format!("({})", self.condition),
        };
        format!("{condition} ==> {}", self.consequence)
    }

    fn java(&self, writer: &java::Writer<'_>) -> Option<String> {
        let (condition, consequence) = (writer.plain(&self.condition)?, writer.plain(&self.consequence)?);
        Some(match writer.style.implies {
            Some(sign) => format!("(({condition}) {sign} ({consequence}))"),
            None => format!("(!({condition}) || ({consequence}))"),
        })
    }

    fn dereferenced(&self) -> Vec<&Term> {
        Vec::new()
    }

    fn contract(&self, writer: &java::Writer<'_>) -> Option<String> {
        let is_sayable = |it: &&Formula| it.kind().contract(writer).is_some();
        self.parts().iter().all(is_sayable).then(|| writer.guarded(self)).flatten()
    }

    fn testera(&self, writer: &testera::Writer<'_>) -> Option<String> {
        let (condition, consequence) = (writer.plain(&self.condition)?, writer.plain(&self.consequence)?);
        Some(format!("({condition} implies {consequence})"))
    }

    fn is_arithmetic(&self) -> bool {
        self.parts().into_iter().all(|it| it.kind().is_arithmetic())
    }

    fn truth(&self, assignment: &Assignment<'_>) -> Option<bool> {
        let truth = |it: &Formula| it.kind().truth(assignment);
        Some(!truth(&self.condition)? || truth(&self.consequence)?)
    }

    fn tie(&self) -> Tie {
        Tie::Loose
    }

    fn is_restated(&self, known: &[&Formula]) -> bool {
        let mut more: Vec<&Formula> = known.to_vec();
        more.extend(known.iter().filter_map(|it| match it {
            Formula::Implies(other) if other.condition == self.condition => Some(&*other.consequence),
            _ => None,
        }));
        let consequence = &*self.consequence;
        let is_known_consequence = more.len() > known.len()
            && (Premises::new(more.iter().copied()).entail(consequence, &|_| false)
                || consequence.kind().is_restated(&more));
        is_known_consequence || consequence.kind().is_restated(known) || self.follows_from_another(known)
    }

    fn container_of(&self, _: &Term, _: bool) -> Option<&Term> {
        None
    }

    fn bound(&self) -> Option<(&Term, &Value)> {
        None
    }

    fn is_trivial(&self) -> bool {
        self.condition == self.consequence || self.consequence.kind().is_trivial()
    }

    fn is_incidental(&self) -> bool {
        false
    }

    fn write(&self) -> Vec<(&'static str, Json)> {
        vec![("condition", self.condition.json()), ("consequence", self.consequence.json())]
    }
}

impl RecordedKind for Implies {
    const NAME: &'static str = "implies";

    fn read(fields: &Fields<'_>) -> Result<Implies, String> {
        let (condition, consequence) = (fields.formula("condition")?, fields.formula("consequence")?);
        Ok(Implies { condition: Box::new(condition), consequence: Box::new(consequence) })
    }
}

impl Implies {
    /// Whether the same consequence is known under a condition that follows from this one.
    fn follows_from_another(&self, known: &[&Formula]) -> bool {
        let (condition, consequence) = (&*self.condition, &*self.consequence);
        let others: Vec<&Formula> = known
            .iter()
            .filter_map(|it| match it {
                Formula::Implies(other)
                    if *other.condition != *condition
                        && (*other.consequence == *consequence
                            || consequence.kind().is_restated(&[&other.consequence])) =>
                {
                    Some(&*other.condition)
                }
                _ => None,
            })
            .collect();
        let given = || Premises::new(known.iter().copied().chain([condition]));
        others.into_iter().any(|it| given().entail(it, &|_| false))
    }
}
