//! Evaluates formulas on given states, and finds the subformulas that fail.

use crate::boolean::circuit::{Bit, Circuit};
use crate::boolean::matrix::Matrix;
use crate::error::{Result, Span};
use crate::instance::Structure;
use crate::logic::{Bound, FieldId, FieldState, Formula, FormulaKind, SigId};
use crate::model::Model;
use crate::resolve::Condition;
use crate::translate::{Leaves, Translator};
use crate::universe::Universe;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// A pair of states over the same atoms.
#[derive(Clone, Copy, Debug)]
pub struct States<'a> {
    /// The atoms.
    pub universe: &'a Universe,
    /// The default state.
    pub now: &'a Structure,
    /// The pre-state, if it differs.
    pub before: Option<&'a Structure>,
}

/// A subformula that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its position.
    pub span: Span,
    /// The top-level conjunct that contains it.
    pub conjunct: Span,
    /// The violating assignment: names of variables and numbers of atoms.
    pub atoms: Vec<(String, u32)>,
}

/// Limit on the failures reported.
const MOST_FAILURES: usize = 16;

fn leaves(model: &Model, states: &States) -> Leaves {
    let base = states.universe.atoms.len().max(1) as u64;
    let mut leaves = Leaves::default();
    for (when, structure) in [(FieldState::Now, Some(states.now)), (FieldState::Before, states.before)] {
        let Some(structure) = structure else { continue };
        for (at, atoms) in structure.sigs.iter().enumerate() {
            let cells = atoms.iter().map(|it| (u64::from(*it), Bit::TRUE)).collect();
            leaves.sigs.insert((SigId(at as u32), when), Rc::new(Matrix::new(1, cells)));
        }
        for (at, tuples) in structure.fields.iter().enumerate() {
            let id = FieldId(at as u32);
            let cells = tuples
                .iter()
                .map(|tuple| (tuple.iter().fold(0, |key, it| key * base + u64::from(*it)), Bit::TRUE))
                .collect();
            let arity = model.field(id).columns.arity;
            leaves.fields.insert((id, when), Rc::new(Matrix::new(arity, cells)));
        }
    }
    leaves
}

/// Whether the condition holds.
pub fn evaluate(model: &Model, states: &States, condition: &Condition) -> Result<bool> {
    let leaves = leaves(model, states);
    let mut translator = Translator::new(model, states.universe, &leaves, Circuit::new());
    Ok(translator.formula(&condition.0)? == Bit::TRUE)
}

/// The subformulas that do not hold, down to ones that are neither conjunctions nor universally quantified.
pub fn explain(model: &Model, states: &States, condition: &Condition) -> Result<Vec<Failure>> {
    let leaves = leaves(model, states);
    let mut translator = Translator::new(model, states.universe, &leaves, Circuit::new());
    let mut failures = Vec::new();
    for conjunct in condition.conjuncts() {
        let mut blame = Blame { conjunct: conjunct.span(), atoms: Vec::new(), failures: &mut failures };
        blame.formula(&mut translator, &conjunct.0)?;
    }
    Ok(failures)
}

struct Blame<'a> {
    conjunct: Span,
    atoms: Vec<(String, u32)>,
    failures: &'a mut Vec<Failure>,
}

impl Blame<'_> {
    fn formula(&mut self, translator: &mut Translator, formula: &Formula) -> Result<()> {
        if self.failures.len() >= MOST_FAILURES || translator.formula(formula)? == Bit::TRUE {
            return Ok(());
        }
        match &formula.kind {
            FormulaKind::And(parts) => parts.iter().try_for_each(|it| self.formula(translator, it)),
            FormulaKind::All(bounds, body) => self.all(translator, bounds, body),
            _ => {
                let (span, conjunct) = (formula.span, self.conjunct);
                self.failures.push(Failure { span, conjunct, atoms: self.atoms.clone() });
                Ok(())
            }
        }
    }

    fn all(&mut self, translator: &mut Translator, bounds: &[Bound], body: &Formula) -> Result<()> {
        let Some((bound, rest)) = bounds.split_first() else { return self.formula(translator, body) };
        for &(atom, _) in &translator.rel(&bound.set)?.cells.clone() {
            let atom = atom as u32;
            if bound.distinct.iter().any(|it| translator.bound(*it) == Some(atom)) {
                continue;
            }
            translator.bind(bound.var, atom);
            self.atoms.push((bound.name.to_string(), atom));
            self.all(translator, rest, body)?;
            self.atoms.pop();
        }
        Ok(())
    }
}
