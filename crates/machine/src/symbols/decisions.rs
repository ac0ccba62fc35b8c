//! Decisions: points at which a shadow determines how the run continues, and the run stops.

use crate::classes::Kind;
use crate::code::Site;
use crate::exit::{Decision, DecisionKind, Exit, OTHER_VALUES, Step, Trap};
use crate::machine::Machine;
use crate::state::Value;
use crate::symbols::{sort_of, term_of};
use cupping_term::{Sort, TermId};

impl Machine {
    /// The site of the instruction under execution.
    pub fn site(&self) -> Site {
        let frame = self.current();
        Site { method: frame.code.method, at: frame.pc }
    }

    /// Reports a decision, unless this execution of the instruction repeats one already reported.
    ///
    /// # Errors
    /// [`Trap::Exit`] with the decision.
    pub fn decide(&mut self, kind: DecisionKind, taken: TermId, others: Vec<TermId>, side: u32) -> Step<()> {
        if self.terms.as_constant(taken).is_some() {
            // Constants never decide: they are the same in every model (thesis §5.5).
            return Ok(());
        }
        if !self.is_decision_due() {
            return Ok(());
        }
        let site = self.site();
        Err(Trap::Exit(Exit::Decision(Decision { site, kind, taken, others, side })))
    }

    /// A decision between two sides.
    pub fn decide_branch(&mut self, kind: DecisionKind, condition: TermId, holds: bool) -> Step<()> {
        let negated = self.terms.not(condition);
        let (taken, other) = if holds { (condition, negated) } else { (negated, condition) };
        self.decide(kind, taken, vec![other], holds as u32)
    }

    /// Fixes a symbolic value to its concrete one.
    pub fn concretize(&mut self, value: Value, kind: Kind) -> Step<()> {
        let Some(term) = term_of(value.shadow) else { return Ok(()) };
        let sort = sort_of(kind);
        let constant = self.terms.constant(sort, value.bits & sort.mask());
        let equal = match sort {
            Sort::F32 => {
                let (a, b) = (self.terms.float_to_raw_bits(term), self.terms.float_to_raw_bits(constant));
                self.terms.eq(a, b)
            }
            Sort::F64 => {
                let (a, b) = (self.terms.double_to_raw_bits(term), self.terms.double_to_raw_bits(constant));
                self.terms.eq(a, b)
            }
            _ => self.terms.eq(term, constant),
        };
        let differs = self.terms.not(equal);
        self.decide(DecisionKind::Concretization, equal, vec![differs], side_of_value(value.bits))
    }

    /// The check `divisor == 0` of a division.
    #[cold]
    pub(crate) fn decide_divisor(&mut self, divisor: Value, sort: Sort) -> Step<()> {
        let term = self.term(divisor, sort);
        let zero = self.terms.constant(sort, 0);
        let nonzero = self.terms.ne(term, zero);
        self.decide_branch(DecisionKind::DivisionCheck, nonzero, divisor.bits & sort.mask() != 0)
    }

    /// The decision of a switch on a symbolic key.
    #[cold]
    pub(crate) fn decide_switch(&mut self, key: Value, cases: &[(i32, u32)], default: u32) -> Step<()> {
        let term = self.term(key, Sort::Bv32);
        let concrete = key.bits as u32 as i32;
        let mut targets: Vec<u32> = Vec::new();
        let mut conditions: Vec<TermId> = Vec::new();
        let mut no_case = self.terms.bool(true);
        for (value, target) in cases.iter().filter(|(_, target)| *target != default) {
            let constant = self.terms.int(*value);
            let equal = self.terms.eq(term, constant);
            let differs = self.terms.not(equal);
            no_case = self.terms.and(no_case, differs);
            match targets.iter().position(|t| t == target) {
                Some(at) => conditions[at] = self.terms.or(conditions[at], equal),
                None => {
                    targets.push(*target);
                    conditions.push(equal);
                }
            }
        }
        let target = cases.iter().find(|(value, _)| *value == concrete).map_or(default, |(_, t)| *t);
        let side = targets.iter().position(|t| *t == target).unwrap_or(targets.len());
        conditions.push(no_case);
        let taken = conditions.remove(side);
        self.decide(DecisionKind::Switch, taken, conditions, side as u32)
    }

    /// Forgets the decisions of an instruction that has completed.
    #[inline]
    pub(crate) fn finish_decisions(&mut self) {
        self.registers.decided = 0;
        self.shadows.begin_instruction();
    }

    /// Whether a decision of the current instruction is due: it has not been reported in an earlier execution.
    pub(crate) fn is_decision_due(&mut self) -> bool {
        let index = self.shadows.count_decision();
        let is_due = index > self.registers.decided;
        if is_due {
            self.registers.decided = index;
        }
        is_due
    }
}

/// The side that represents a value fixed on the path: the value itself if it fits, never [`OTHER_VALUES`].
fn side_of_value(bits: u64) -> u32 {
    match u32::try_from(bits) {
        Ok(side) if side != OTHER_VALUES => side,
        // Doubles differ in their high bits, and -1 has the bits of `OTHER_VALUES`, so the bits are mixed by
        // Fibonacci hashing.
        _ => ((bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32).min(OTHER_VALUES - 1),
    }
}
