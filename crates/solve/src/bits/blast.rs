//! Translates terms to words of gates.

use cupping_term::{Model, Op, Run, Sort, Term, TermId, Terms, VarIndex};
use rustc_hash::FxHashMap;

use super::circuit::{Bit, Circuit, CircuitEnd};
use crate::limits::SolverLimits;

/// The result of bit-blasting.
pub(crate) enum BlastResult {
    Sat(Model),
    /// Indices of contradictory assertions.
    Unsat(Vec<usize>),
    /// The goal exceeds the budget or has float arithmetic.
    Unknown,
}

/// Gates from which on fewer conflicts are allowed, since each one costs more.
const LARGE: u64 = 10_000;

/// Decides the assertions, and says what that cost in microseconds of a reference machine. The search starts near
/// the hint.
pub(crate) fn solve(
    terms: &Terms,
    limits: &SolverLimits,
    assertions: &[TermId],
    hint: &Model,
) -> (BlastResult, u64) {
    let mut blaster = Blaster {
        terms,
        hint,
        gates: limits.sat_gates,
        circuit: Circuit::new(),
        words: FxHashMap::default(),
        inputs: Vec::new(),
    };
    let answer = match blaster.assertions(assertions) {
        None => BlastResult::Unknown,
        Some(bits) => {
            let gates = (blaster.circuit.size() as u64).max(LARGE);
            blaster.circuit.limit(limits.sat_conflicts.saturating_mul(LARGE) / gates);
            match blaster.circuit.solve(&bits) {
                CircuitEnd::Sat => BlastResult::Sat(blaster.model()),
                CircuitEnd::Unsat(core) => BlastResult::Unsat(core),
                CircuitEnd::Budget => BlastResult::Unknown,
            }
        }
    };
    (answer, blaster.circuit.work())
}

struct Blaster<'a> {
    terms: &'a Terms,
    hint: &'a Model,
    gates: usize,
    circuit: Circuit,
    words: FxHashMap<TermId, Vec<Bit>>,
    inputs: Vec<(VarIndex, Vec<Bit>)>,
}

impl Blaster<'_> {
    fn assertions(&mut self, assertions: &[TermId]) -> Option<Vec<Bit>> {
        let mut stack = assertions.to_vec();
        while let Some(&term) = stack.last() {
            if self.words.contains_key(&term) {
                stack.pop();
                continue;
            }
            if self.circuit.size() > self.gates {
                return None;
            }
            let before = stack.len();
            stack.extend(self.terms.get(term).args().iter().filter(|arg| !self.words.contains_key(arg)));
            if stack.len() == before {
                let word = self.word(term)?;
                self.words.insert(term, word);
                stack.pop();
            }
        }
        Some(assertions.iter().map(|assertion| self.words[assertion][0]).collect())
    }

    fn model(&self) -> Model {
        let value = |bits: &[Bit]| {
            bits.iter()
                .enumerate()
                .fold(0, |value, (i, bit)| value | u64::from(self.circuit.value(*bit)) << i)
        };
        self.inputs.iter().map(|(variable, bits)| (*variable, value(bits))).collect()
    }

    /// The bits of a term whose arguments have been translated; `None` for float arithmetic.
    fn word(&mut self, term: TermId) -> Option<Vec<Bit>> {
        match *self.terms.get(term) {
            Term::Constant { sort, bits } => Some(Circuit::constant(bits, sort.bits())),
            Term::Variable { sort, index } => {
                let wished = self.hint.get(index);
                let bits: Vec<Bit> =
                    (0..sort.bits()).map(|i| self.circuit.input(wished >> i & 1 == 1)).collect();
                self.inputs.push((index, bits.clone()));
                Some(bits)
            }
            Term::Lookup { sort, table, index } => {
                let index = self.words[&index].clone();
                Some(self.tree(&index, sort, self.terms.table(table).runs()))
            }
            Term::Apply { op, sort, args } => {
                let from = self.terms.sort(args[0]);
                let [a, b, c] = args.map(|arg| self.words[&arg].clone());
                self.apply(op, from, sort, &a, &b, &c)
            }
        }
    }

    /// Selects among the runs of a table; logarithmic depth.
    fn tree(&mut self, index: &[Bit], sort: Sort, runs: &[Run]) -> Vec<Bit> {
        match runs {
            [] => Circuit::constant(0, sort.bits()),
            [run] => Circuit::constant(run.value, sort.bits()),
            _ => {
                let (low, high) = runs.split_at(runs.len() / 2);
                let bound = Circuit::constant(u64::from(high[0].first), 32);
                let before = self.circuit.less_words(index, &bound, false);
                let (low, high) = (self.tree(index, sort, low), self.tree(index, sort, high));
                self.circuit.mux_words(before, &low, &high)
            }
        }
    }

    fn apply(&mut self, op: Op, from: Sort, to: Sort, a: &[Bit], b: &[Bit], c: &[Bit]) -> Option<Vec<Bit>> {
        let circuit = &mut self.circuit;
        let top = a.len() - 1;
        let pairs = || a.iter().copied().zip(b.iter().copied());
        let one = |bit: Bit| Some(vec![bit]);
        match op {
            Op::Add => Some(circuit.add_words(a, b, Bit::FALSE).0),
            Op::Sub => Some(circuit.sub_words(a, b)),
            Op::Mul => Some(circuit.mul_words(a, b)),
            Op::SDiv => Some(circuit.div_words(a, b).0),
            Op::SRem => Some(circuit.div_words(a, b).1),
            Op::Neg => Some(circuit.negate(a)),
            Op::And => Some(pairs().map(|(x, y)| circuit.and(x, y)).collect()),
            Op::Or => Some(pairs().map(|(x, y)| circuit.or(x, y)).collect()),
            Op::Xor => Some(pairs().map(|(x, y)| circuit.xor(x, y)).collect()),
            Op::Not => Some(a.iter().map(|&bit| !bit).collect()),
            Op::Shl => Some(circuit.shift_words(a, b, true, Bit::FALSE)),
            Op::AShr => Some(circuit.shift_words(a, b, false, a[top])),
            Op::LShr => Some(circuit.shift_words(a, b, false, Bit::FALSE)),
            Op::Truncate => Some(a[..to.bits() as usize].to_vec()),
            Op::SExt | Op::ZExt => {
                let fill = if op == Op::SExt { a[top] } else { Bit::FALSE };
                let mut word = a.to_vec();
                word.resize(to.bits() as usize, fill);
                Some(word)
            }
            Op::Eq => one(circuit.equal_words(a, b)),
            Op::Ult | Op::Ule => one(circuit.less_words(a, b, op == Op::Ule)),
            Op::Slt | Op::Sle => {
                // With the sign bits exchanged, signed words compare like unsigned ones.
                let (mut x, mut y) = (a.to_vec(), b.to_vec());
                (x[top], y[top]) = (b[top], a[top]);
                one(circuit.less_words(&x, &y, op == Op::Sle))
            }
            Op::Ite => Some(circuit.mux_words(a[0], b, c)),
            Op::FEq | Op::FLt | Op::FLe => one(circuit.compare_floats(op, a, b)),
            Op::FNeg | Op::FAbs => {
                let mut word = a.to_vec();
                word[top] = if op == Op::FNeg { !a[top] } else { Bit::FALSE };
                Some(word)
            }
            Op::FBits | Op::DBits | Op::BitsF | Op::BitsD => Some(a.to_vec()),
            _ => {
                debug_assert!(from.is_float() || to.is_float(), "{op:?} has a circuit");
                None
            }
        }
    }
}
