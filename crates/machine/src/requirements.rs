//! What may be asked of a run beside lines and branches: operands at the edge of a comparison, arithmetic that overflows.
//!
//! In tracked code an instruction `Require` stands before each comparison and operation of which something is asked. It
//! looks at their operands. Where those are concrete, what they meet is hit as a probe is. Where one has a shadow, what
//! they meet depends on the inputs: the condition is kept, for who knows the inputs at the end of the path, and is offered
//! as a decision that binds nothing. The run goes on as it was; only the other side, on which the condition holds, is a
//! path of its own.

mod condition;

use crate::exit::{Decision, DecisionKind, Exit, Step, Trap};
use crate::machine::Machine;
use crate::state::Value;
use condition::condition;
use cupping_term::{Evaluator, Model, Sort, TermId};
use std::rc::Rc;

/// What the operands of an instruction are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// Left and right are equal.
    Equal,
    /// Left is less than right, and nothing is between them.
    OneBelow,
    /// Left is greater than right, and nothing is between them.
    OneAbove,
    /// The result does not fit.
    Overflow(Arithmetic),
}

/// Operations whose results may not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
    /// Of the left operand alone.
    Neg,
    /// The least value by -1.
    Div,
}

/// Where the operands of an instruction are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operands {
    /// Two ints on the stack.
    Ints,
    /// An int on the stack, and 0.
    IntAndZero,
    /// Two longs on the stack.
    Longs,
    /// A long on the stack, and 0.
    LongAndZero,
    /// Two floats on the stack.
    Floats,
    /// Two doubles on the stack.
    Doubles,
    /// An int in a local variable, and this constant.
    LocalAndConstant(u16, i32),
}

/// What is asked of the operands of one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckSite {
    /// The operands.
    pub operands: Operands,
    /// What they are to be, each with the number of the probe that says that they were.
    pub checks: Vec<(u32, Check)>,
}

impl Operands {
    fn sort(self) -> Sort {
        match self {
            Operands::Longs | Operands::LongAndZero => Sort::Bv64,
            Operands::Floats => Sort::F32,
            Operands::Doubles => Sort::F64,
            _ => Sort::Bv32,
        }
    }
}

impl Check {
    /// What the decision is called under which the condition is offered.
    pub fn kind(self) -> DecisionKind {
        match self {
            Check::Overflow(_) => DecisionKind::Overflow,
            _ => DecisionKind::Boundary,
        }
    }

    /// Whether operands of this sort, as slots hold them, are as asked.
    pub fn holds(self, sort: Sort, x: u64, y: u64) -> bool {
        match sort {
            Sort::F32 => {
                let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
                self.floats_hold(f64::from(x), f64::from(y), f64::from(x.next_up()), f64::from(y.next_up()))
            }
            Sort::F64 => {
                let (x, y) = (f64::from_bits(x), f64::from_bits(y));
                self.floats_hold(x, y, x.next_up(), y.next_up())
            }
            Sort::Bv64 => self.integers_hold(i64::MIN.into(), i64::MAX.into(), x as i64, y as i64),
            _ => {
                let (x, y) = (x as u32 as i32, y as u32 as i32);
                self.integers_hold(i32::MIN.into(), i32::MAX.into(), x.into(), y.into())
            }
        }
    }

    fn integers_hold(self, least: i128, most: i128, x: i64, y: i64) -> bool {
        let (x, y) = (i128::from(x), i128::from(y));
        let result = match self {
            Check::Equal => return x == y,
            Check::OneBelow => return x + 1 == y,
            Check::OneAbove => return x == y + 1,
            Check::Overflow(Arithmetic::Add) => x + y,
            Check::Overflow(Arithmetic::Sub) => x - y,
            Check::Overflow(Arithmetic::Mul) => x * y,
            Check::Overflow(Arithmetic::Neg) => -x,
            Check::Overflow(Arithmetic::Div) => return x == least && y == -1,
        };
        !(least..=most).contains(&result)
    }

    fn floats_hold(self, x: f64, y: f64, above_x: f64, above_y: f64) -> bool {
        match self {
            Check::Equal => x == y,
            Check::OneBelow => x < y && above_x == y,
            Check::OneAbove => y < x && above_y == x,
            Check::Overflow(_) => false,
        }
    }
}

impl Machine {
    /// Takes note of what operands meet, given with their shadows.
    ///
    /// # Errors
    /// [`Trap::Exit`] with a decision that binds nothing.
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
                self.offer(*probe, check.kind(), *condition)?;
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

    /// Offers a path on which the condition holds, unless this execution of the instruction repeats one that has.
    fn offer(&mut self, probe: u32, kind: DecisionKind, condition: TermId) -> Step<()> {
        self.decision_index += 1;
        if self.decision_index <= self.registers.decided {
            return Ok(());
        }
        self.registers.decided = self.decision_index;
        let (site, taken) = (self.site(), self.terms.bool(true));
        Err(Trap::Exit(Exit::Decision(Decision { site, kind, taken, others: vec![condition], side: probe })))
    }

    /// The probes hit so far, those included whose condition holds under the model of the inputs.
    pub fn hits_under(&self, model: &Model) -> Rc<Vec<u64>> {
        let mut hits = self.registers.coverage.clone();
        let mut evaluator = Evaluator::new();
        for (probe, condition) in self.registers.requirements.keys() {
            if !crate::coverage::is_hit(&hits, *probe) && evaluator.eval(&self.terms, model, *condition) == 1
            {
                crate::coverage::hit(Rc::make_mut(&mut hits), *probe);
            }
        }
        hits
    }
}

#[cfg(test)]
mod tests;
