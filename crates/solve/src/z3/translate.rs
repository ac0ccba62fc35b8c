//! Translates terms to Z3's exact bit-vectors and IEEE floats.
//!
//! Z3 has a single NaN and leaves some conversions unspecified that Java defines. A float term is therefore
//! translated twice, to a float and to its bits: variables are bits, so a NaN keeps its payload, and
//! conversions are guarded by the cases of the JVMS.

use cupping_term::{
    CANONICAL_NAN_F32, CANONICAL_NAN_F64, Model, Op, Run, Sort, Table, Term, TermId, Terms, VarIndex,
};
use rustc_hash::FxHashMap;

use super::products;
use super::session::{Ast, Check, Session};
use crate::limits::SolverLimits;

/// Z3's answer about a conjunction.
pub(crate) enum Z3Outcome {
    Sat(Model),
    Unsat,
    Timeout,
    /// Z3 would need memory and time out of proportion before it looks at its limits.
    TooLarge,
    Unsupported(String),
}

/// A translated term: a Boolean, a bit-vector, or a float with its bits.
#[derive(Clone, Copy, Debug)]
struct TranslatedTerm {
    ast: Ast,
    /// The bits of a float.
    bits: Option<Ast>,
}

/// Translates terms of one arena, each once.
#[derive(Default)]
pub(crate) struct Translator {
    session: Option<Session>,
    /// The budget that the session has.
    resources: u32,
    known: FxHashMap<TermId, TranslatedTerm>,
}

/// Limit on the translated terms before the context is recreated, to bound its memory.
const MOST_TERMS: usize = 100_000;

impl Translator {
    /// Forgets all terms and frees Z3's memory.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
        self.session = None;
        self.resources = 0;
    }

    /// Decides the conjunction of these `Bool` terms.
    pub(crate) fn check(&mut self, terms: &Terms, limits: &SolverLimits, assertions: &[TermId]) -> Z3Outcome {
        if products::factors(terms, assertions) > products::MOST_FACTORS {
            return Z3Outcome::TooLarge;
        }
        if self.known.len() > MOST_TERMS {
            self.forget();
        }
        let milliseconds = u32::try_from(limits.z3_time.as_millis()).unwrap_or(u32::MAX);
        let session = match self.session.take() {
            Some(session) => session,
            None => match Session::new(limits.z3_resources, milliseconds) {
                Some(session) => session,
                None => return Z3Outcome::Unsupported("Z3 gave no context".into()),
            },
        };
        // Queries have budgets of their own.
        if self.resources != limits.z3_resources {
            if !session.limit(limits.z3_resources, milliseconds) {
                return Z3Outcome::Unsupported("Z3 took no limits".into());
            }
            self.resources = limits.z3_resources;
        }
        let outcome = self.check_in(&session, terms, assertions);
        self.session = Some(session);
        outcome
    }

    fn check_in(&mut self, session: &Session, terms: &Terms, assertions: &[TermId]) -> Z3Outcome {
        if let Some(unsupported) = self.translate_all(session, terms, assertions) {
            return Z3Outcome::Unsupported(unsupported);
        }
        let translated: Vec<Ast> = assertions.iter().map(|a| self.known[a].ast).collect();
        let mut variables: Vec<VarIndex> =
            assertions.iter().flat_map(|&a| terms.variables(a)).copied().collect();
        variables.sort_unstable();
        variables.dedup();
        // A variable whose term was never translated (the unneeded side of a choice) stays 0.
        let known: Vec<(VarIndex, Ast)> = variables
            .into_iter()
            .filter_map(|v| self.known.get(&terms.variable(v).term).map(|t| (v, t.bits.unwrap_or(t.ast))))
            .collect();
        let constants: Vec<Ast> = known.iter().map(|(_, ast)| *ast).collect();
        match session.check(&translated, &constants) {
            (Check::Sat, values) => Z3Outcome::Sat(known.iter().map(|(v, _)| *v).zip(values).collect()),
            (Check::Unsat, _) => Z3Outcome::Unsat,
            (Check::Unknown, _) => Z3Outcome::Timeout,
        }
    }

    /// Translates the subterms of the assertions; returns the name of an unsupported operation.
    fn translate_all(&mut self, session: &Session, terms: &Terms, assertions: &[TermId]) -> Option<String> {
        let mut stack = assertions.to_vec();
        while let Some(&term) = stack.last() {
            if self.known.contains_key(&term) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(terms.get(term).args().iter().filter(|arg| !self.known.contains_key(arg)));
            if stack.len() == before {
                let Some(translated) = self.translate(session, terms, term) else {
                    let name = match terms.get(term) {
                        Term::Apply { op, .. } => op.name(),
                        _ => "a leaf",
                    };
                    return Some(format!("Z3 does not support Java's `{name}`"));
                };
                self.known.insert(term, translated);
                stack.pop();
            }
        }
        None
    }

    /// Translates a term whose arguments have been translated.
    fn translate(&self, s: &Session, terms: &Terms, term: TermId) -> Option<TranslatedTerm> {
        let plain = |ast: Ast| Some(TranslatedTerm { ast, bits: None });
        match *terms.get(term) {
            Term::Constant { sort: Sort::Bool, bits } => plain(s.truth(bits != 0)?),
            Term::Constant { sort, bits } => of_bits(s, sort, numeral(s, sort.bits(), bits)?),
            Term::Variable { sort: Sort::Bool, index } => plain(s.constant(index.0, s.bool_sort()?)?),
            Term::Variable { sort, index } => of_bits(s, sort, s.constant(index.0, s.bv_sort(sort.bits())?)?),
            Term::Lookup { sort, table, index } => {
                let bits = lookup(s, terms.table(table), self.known[&index].ast)?;
                if sort == Sort::Bool {
                    return plain(s.eq(bits, numeral(s, 1, 1)?)?);
                }
                of_bits(s, sort, bits)
            }
            Term::Apply { op, sort, ref args } => {
                let from = terms.sort(args[0]);
                let args = args.map(|arg| self.known.get(&arg).copied());
                match (args[0], args[1], args[2]) {
                    (Some(a), Some(b), Some(c)) => apply(s, op, from, sort, [a, b, c]),
                    _ => None,
                }
            }
        }
    }
}

fn numeral(s: &Session, width: u32, bits: u64) -> Option<Ast> {
    s.numeral(s.bv_sort(width)?, bits)
}

/// A bit-vector, or the float with these bits.
fn of_bits(s: &Session, sort: Sort, bits: Ast) -> Option<TranslatedTerm> {
    if sort.is_float() {
        let ast = s.fp_of_bits(bits, s.fp_sort(sort.bits())?)?;
        return Some(TranslatedTerm { ast, bits: Some(bits) });
    }
    Some(TranslatedTerm { ast: bits, bits: None })
}

/// A result of float arithmetic, whose NaN is the canonical one.
fn of_float(s: &Session, sort: Sort, ast: Ast) -> Option<TranslatedTerm> {
    let nan = if sort == Sort::F32 { CANONICAL_NAN_F32 } else { CANONICAL_NAN_F64 };
    let bits = s.ite(s.fp_is_nan(ast)?, numeral(s, sort.bits(), nan)?, s.fp_bits(ast)?)?;
    Some(TranslatedTerm { ast, bits: Some(bits) })
}

fn apply(s: &Session, op: Op, from: Sort, to: Sort, args: [TranslatedTerm; 3]) -> Option<TranslatedTerm> {
    let [a, b, c] = args.map(|arg| arg.ast);
    let plain = |ast: Option<Ast>| Some(TranslatedTerm { ast: ast?, bits: None });
    match op {
        Op::Ite => {
            let bits = match (args[1].bits, args[2].bits) {
                (Some(x), Some(y)) => Some(s.ite(a, x, y)?),
                _ => None,
            };
            Some(TranslatedTerm { ast: s.ite(a, b, c)?, bits })
        }
        Op::And | Op::Or | Op::Xor | Op::Not if from == Sort::Bool => plain(match op {
            Op::And => s.and(a, b),
            Op::Or => s.or(a, b),
            Op::Xor => s.xor(a, b),
            _ => s.not(a),
        }),
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FSqrt => {
            let rounding = s.rne()?;
            let result = match op {
                Op::FAdd => s.fp_add(rounding, a, b),
                Op::FSub => s.fp_sub(rounding, a, b),
                Op::FMul => s.fp_mul(rounding, a, b),
                Op::FDiv => s.fp_div(rounding, a, b),
                _ => s.fp_sqrt(rounding, a),
            };
            of_float(s, to, result?)
        }
        Op::FNeg | Op::FAbs => {
            let sign = 1 << (to.bits() - 1);
            let (ast, bits) = if op == Op::FNeg {
                (s.fp_neg(a)?, s.bvxor(args[0].bits?, numeral(s, to.bits(), sign)?)?)
            } else {
                (s.fp_abs(a)?, s.bvand(args[0].bits?, numeral(s, to.bits(), sign - 1)?)?)
            };
            Some(TranslatedTerm { ast, bits: Some(bits) })
        }
        Op::I2F | Op::I2D | Op::L2F | Op::L2D => {
            of_float(s, to, s.fp_of_signed(s.rne()?, a, s.fp_sort(to.bits())?)?)
        }
        Op::F2D | Op::D2F => of_float(s, to, s.fp_of_fp(s.rne()?, a, s.fp_sort(to.bits())?)?),
        Op::F2I | Op::F2L | Op::D2I | Op::D2L => plain(to_integer(s, from, to, a)),
        Op::FBits | Op::DBits => plain(args[0].bits),
        Op::BitsF | Op::BitsD => of_bits(s, to, a),
        Op::FEq => plain(s.fp_eq(a, b)),
        Op::FLt => plain(s.fp_lt(a, b)),
        Op::FLe => plain(s.fp_le(a, b)),
        // Java's `%` on floats is not IEEE's remainder, which is the only one that Z3 has.
        Op::FRem => None,
        _ => plain(bits(s, op, from, to, a, b)),
    }
}

fn bits(s: &Session, op: Op, from: Sort, to: Sort, a: Ast, b: Ast) -> Option<Ast> {
    let width = from.bits();
    let zero = || numeral(s, width, 0);
    match op {
        Op::Add => s.bvadd(a, b),
        Op::Sub => s.bvsub(a, b),
        Op::Mul => s.bvmul(a, b),
        Op::SDiv => s.ite(s.eq(b, zero()?)?, zero()?, s.bvsdiv(a, b)?),
        Op::SRem => s.ite(s.eq(b, zero()?)?, a, s.bvsrem(a, b)?),
        Op::Neg => s.bvneg(a),
        Op::And => s.bvand(a, b),
        Op::Or => s.bvor(a, b),
        Op::Xor => s.bvxor(a, b),
        Op::Not => s.bvnot(a),
        Op::Shl => s.bvshl(a, distance(s, width, b)?),
        Op::AShr => s.bvashr(a, distance(s, width, b)?),
        Op::LShr => s.bvlshr(a, distance(s, width, b)?),
        Op::Truncate if to == Sort::Bool => s.eq(s.extract(0, 0, a)?, numeral(s, 1, 1)?),
        Op::Truncate => s.extract(to.bits() - 1, 0, a),
        Op::SExt | Op::ZExt if from == Sort::Bool => {
            let ones = if op == Op::SExt { to.mask() } else { 1 };
            s.ite(a, numeral(s, to.bits(), ones)?, numeral(s, to.bits(), 0)?)
        }
        Op::SExt => s.sign_extend(to.bits() - width, a),
        Op::ZExt => s.zero_extend(to.bits() - width, a),
        Op::Eq => s.eq(a, b),
        Op::Slt => s.bvslt(a, b),
        Op::Sle => s.bvsle(a, b),
        Op::Ult => s.bvult(a, b),
        Op::Ule => s.bvule(a, b),
        _ => None,
    }
}

/// A Java shift distance: modulo the width, and as wide as the shifted value.
fn distance(s: &Session, width: u32, b: Ast) -> Option<Ast> {
    let low = s.bvand(b, numeral(s, 32, u64::from(width - 1))?)?;
    match width {
        64 => s.zero_extend(32, low),
        32 => Some(low),
        _ => s.extract(width - 1, 0, low),
    }
}

/// JVMS `f2i` and the like: NaN becomes 0, values out of range saturate, others round towards zero.
fn to_integer(s: &Session, from: Sort, to: Sort, a: Ast) -> Option<Ast> {
    let power = to.bits() - 1;
    // 2^31 and 2^63 are representable; their bits are the exponent alone.
    let (high, low) = if from == Sort::F32 {
        let bits = u64::from(127 + power) << 23;
        (bits, bits | 1 << 31)
    } else {
        let bits = u64::from(1023 + power) << 52;
        (bits, bits | 1 << 63)
    };
    let bound = |bits: u64| Some(of_bits(s, from, numeral(s, from.bits(), bits)?)?.ast);
    let inside = s.signed_of_fp(s.rtz()?, a, to.bits())?;
    let least = numeral(s, to.bits(), 1 << power)?;
    let greatest = numeral(s, to.bits(), (1 << power) - 1)?;
    let at_least = s.ite(s.fp_le(a, bound(low)?)?, least, inside)?;
    let clamped = s.ite(s.fp_le(bound(high)?, a)?, greatest, at_least)?;
    s.ite(s.fp_is_nan(a)?, numeral(s, to.bits(), 0)?, clamped)
}

/// A table look-up as a tree of choices over runs of equal entries; 0 out of range.
fn lookup(s: &Session, table: &Table, index: Ast) -> Option<Ast> {
    tree(s, table.sort().bits(), index, table.runs())
}

fn tree(s: &Session, width: u32, index: Ast, runs: &[Run]) -> Option<Ast> {
    match runs {
        [] => numeral(s, width, 0),
        [run] => numeral(s, width, run.value),
        _ => {
            // The recursion halves the runs, so its depth is logarithmic.
            let (low, high) = runs.split_at(runs.len() / 2);
            let before = s.bvult(index, numeral(s, 32, u64::from(high[0].first))?)?;
            s.ite(before, tree(s, width, index, low)?, tree(s, width, index, high)?)
        }
    }
}
