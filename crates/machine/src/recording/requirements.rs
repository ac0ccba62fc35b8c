//! Requirements on a run beyond lines and branches: operands at the edge of a comparison, arithmetic that
//! overflows.
//!
//! In tracked code an instruction `Require` precedes each comparison and operation with requirements. It
//! inspects their operands. If those are concrete, the requirements that they meet are hit like probes. If one
//! has a shadow, the result depends on the inputs: the condition is kept until the inputs are known at the end
//! of the path, and is offered as a decision that adds no constraint. The run continues unchanged; only the
//! other side, on which the condition holds, is a separate path.

use crate::exit::{Decision, DecisionKind, Exit, Step, Trap};
use crate::machine::Machine;
use crate::state::Value;
use cupping_coverage::{Check, CheckSite, condition, hit, is_hit};
use cupping_term::{Evaluator, Model, TermId};
use std::rc::Rc;

impl Machine {
    /// Records the requirements that operands meet, given with their shadows.
    ///
    /// # Errors
    ///
    /// [`Trap::Exit`] with a decision that adds no constraint.
    #[cold]
    pub(crate) fn require(&mut self, site: &CheckSite, x: Value, y: Value) -> Step<()> {
        let sort = site.operands.sort();
        if (x.shadow | y.shadow) == 0 {
            let met = site.checks.iter().filter(|(_, check)| check.holds(sort, x.bits, y.bits));
            met.for_each(|(probe, _)| self.hit_probe(*probe));
            return Ok(());
        }
        let (left, right) = (self.term(x, sort), self.term(y, sort));
        let conditions: Vec<(u32, Check, TermId)> = site
            .checks
            .iter()
            .map(|(probe, check)| (*probe, *check, condition(&mut self.terms, *check, sort, left, right)))
            .collect();
        for (probe, check, condition) in &conditions {
            if self.terms.as_constant(*condition).is_none() {
                offer(self, *probe, kind_of(*check), *condition)?;
            }
        }
        for (probe, _, condition) in conditions {
            match self.terms.as_constant(condition) {
                Some(0) => {}
                Some(_) => self.hit_probe(probe),
                None => {
                    self.registers.requirements.insert((probe, condition), ());
                }
            }
        }
        Ok(())
    }

    /// The probes hit so far, including those whose condition holds under the model of the inputs.
    pub fn hits_under(&self, model: &Model) -> Rc<Vec<u64>> {
        let mut hits = self.registers.coverage.clone();
        let mut evaluator = Evaluator::new();
        for (probe, condition) in self.registers.requirements.keys() {
            if !is_hit(&hits, *probe) && evaluator.eval(&self.terms, model, *condition) == 1 {
                hit(Rc::make_mut(&mut hits), *probe);
            }
        }
        hits
    }
}

/// Offers a path on which the condition holds, unless this execution of the instruction has already offered it.
fn offer(machine: &mut Machine, probe: u32, kind: DecisionKind, condition: TermId) -> Step<()> {
    if !machine.is_decision_due() {
        return Ok(());
    }
    let (site, taken) = (machine.site(), machine.terms.bool(true));
    Err(Trap::Exit(Exit::Decision(Decision { site, kind, taken, others: vec![condition], side: probe })))
}

/// The kind of the decision that offers the condition.
fn kind_of(check: Check) -> DecisionKind {
    match check {
        Check::Overflow(_) => DecisionKind::Overflow,
        _ => DecisionKind::Boundary,
    }
}
