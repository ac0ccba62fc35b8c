//! Proposes repairs of an assertion by propagating the required value down to the variables through inverted
//! operations, with all other values fixed (path propagation: Niemetz, Preiner & Biere 2016).

use cupping_term::semantics::{f32_of, f64_of};
use cupping_term::{Evaluator, Model, Op, Sort, Term, TermId, Terms, VarIndex};

/// Limit on the nodes visited per assertion.
const NODES: usize = 200;

/// Changes of single variables that may satisfy the assertion.
pub(super) fn repairs(
    terms: &Terms,
    evaluator: &mut Evaluator,
    model: &Model,
    assertion: TermId,
) -> Vec<(VarIndex, u64)> {
    let mut found = Vec::new();
    let mut wanted = vec![(assertion, 1_u64)];
    for _ in 0..NODES {
        let Some((term, target)) = wanted.pop() else { break };
        match *terms.get(term) {
            Term::Constant { .. } => {}
            Term::Variable { index, sort } => found.push((index, target & sort.mask())),
            Term::Lookup { table, index, .. } => {
                let matching = terms.table(table).runs().iter().filter(|run| run.value == target);
                wanted.extend(matching.take(4).map(|run| (index, u64::from(run.first))));
            }
            Term::Apply { op, args, .. } => {
                let mut value = |at: usize| evaluator.eval(terms, model, args[at]);
                let from = terms.sort(args[0]);
                if op == Op::Ite {
                    let (chosen, then, other) = (value(0) != 0, value(1), value(2));
                    wanted.push((args[if chosen { 1 } else { 2 }], target));
                    if (if chosen { other } else { then }) == target {
                        wanted.push((args[0], u64::from(!chosen)));
                    }
                } else if op.arity() == 1 {
                    let now = value(0);
                    wanted.extend(
                        unary(op, from, terms.sort(term), now, target).into_iter().map(|t| (args[0], t)),
                    );
                } else {
                    let (a, b) = (value(0), value(1));
                    let (left, right) = binary(op, from, a, b, target);
                    wanted.extend(left.into_iter().map(|t| (args[0], t)));
                    wanted.extend(right.into_iter().map(|t| (args[1], t)));
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Arguments for which `op` gives the target, or comes close where none does.
fn unary(op: Op, from: Sort, to: Sort, now: u64, target: u64) -> Vec<u64> {
    let sign = 1_u64 << (from.bits() - 1);
    let signed = to.signed(target);
    let wide = |x: f64| x.to_bits();
    let narrow = |x: f32| u64::from(x.to_bits());
    match op {
        Op::Neg => vec![from.wrap(signed.wrapping_neg())],
        Op::Not => vec![!target & from.mask()],
        Op::Truncate => vec![(now & !to.mask()) | target, target, from.wrap(signed)],
        Op::SExt | Op::ZExt => vec![target & from.mask()],
        Op::FNeg => vec![target ^ sign],
        Op::FAbs => vec![target, target ^ sign],
        Op::FSqrt if from == Sort::F32 => vec![narrow(f32_of(target) * f32_of(target))],
        Op::FSqrt => vec![wide(f64_of(target) * f64_of(target))],
        Op::I2F | Op::L2F => {
            vec![from.wrap(f32_of(target) as i64), from.wrap((f32_of(target) as i64).saturating_add(1))]
        }
        Op::I2D | Op::L2D => {
            vec![from.wrap(f64_of(target) as i64), from.wrap((f64_of(target) as i64).saturating_add(1))]
        }
        Op::F2I | Op::F2L => vec![narrow(signed as f32)],
        Op::D2I | Op::D2L => vec![wide(signed as f64), wide(signed as f64 + 0.5)],
        Op::F2D => vec![narrow(f64_of(target) as f32)],
        Op::D2F => vec![wide(f64::from(f32_of(target)))],
        Op::FBits | Op::DBits | Op::BitsF | Op::BitsD => vec![target],
        _ => vec![],
    }
}

/// For each argument, values for which `op` gives the target with the other argument fixed.
fn binary(op: Op, sort: Sort, a: u64, b: u64, target: u64) -> (Vec<u64>, Vec<u64>) {
    if sort.is_float() {
        return float(op, sort, a, b, target);
    }
    let (x, y, t) = (sort.signed(a), sort.signed(b), sort.signed(target));
    let wrap = |n: i64| sort.wrap(n);
    let mask = sort.mask();
    match op {
        Op::Add => (vec![wrap(t.wrapping_sub(y))], vec![wrap(t.wrapping_sub(x))]),
        Op::Sub => (vec![wrap(t.wrapping_add(y))], vec![wrap(x.wrapping_sub(t))]),
        Op::Mul => (factor(sort, y, t), factor(sort, x, t)),
        Op::SDiv => {
            let product = t.wrapping_mul(y);
            (
                vec![wrap(product), wrap(product.wrapping_add(y - y.signum()))],
                x.checked_div(t).map(wrap).into_iter().collect(),
            )
        }
        Op::SRem => {
            // Keep the quotient, or use the target itself.
            let base = x.checked_div(y).map_or(0, |q| q.wrapping_mul(y));
            (vec![wrap(base.wrapping_add(t)), target], vec![wrap(x.wrapping_sub(t))])
        }
        Op::And if sort != Sort::Bool => ((vec![target | (a & !b & mask)]), vec![target | (b & !a & mask)]),
        Op::Or if sort != Sort::Bool => {
            (vec![target & !b | (a & b), target], vec![target & !a | (a & b), target])
        }
        Op::And | Op::Or => (vec![target], vec![target]),
        Op::Xor => (vec![target ^ b], vec![target ^ a]),
        Op::Shl | Op::AShr | Op::LShr => {
            let distance = (b & u64::from(sort.bits() - 1)) as u32;
            let moved = if op == Op::Shl { target >> distance } else { (target << distance) & mask };
            let lost = if op == Op::Shl { 0 } else { a & !(u64::MAX << distance) };
            (vec![moved, moved | lost], (0..u64::from(sort.bits()).min(8)).collect())
        }
        _ => compare(op, sort, a, b, target != 0),
    }
}

/// Values `v` with `v * known` equal or close to `target`.
fn factor(sort: Sort, known: i64, target: i64) -> Vec<u64> {
    if known == 0 {
        return vec![];
    }
    let quotient = target.wrapping_div(known);
    let mut out =
        vec![sort.wrap(quotient), sort.wrap(quotient.wrapping_add(1)), sort.wrap(quotient.wrapping_sub(1))];
    if known & 1 == 1 {
        let odd = known as u64;
        let inverse = (0..5).fold(odd, |v, _| v.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(v))));
        out.push((target as u64).wrapping_mul(inverse) & sort.mask());
    }
    out
}

fn compare(op: Op, sort: Sort, a: u64, b: u64, truth: bool) -> (Vec<u64>, Vec<u64>) {
    let mask = sort.mask();
    let (up, down) = (|v: u64| v.wrapping_add(1) & mask, |v: u64| v.wrapping_sub(1) & mask);
    match (op, truth) {
        (Op::Eq, true) | (Op::Sle | Op::Ule, true) | (Op::Slt | Op::Ult, false) => (vec![b], vec![a]),
        (Op::Eq, false) => (vec![up(b), down(b)], vec![up(a), down(a)]),
        (Op::Slt | Op::Ult, true) => (vec![down(b)], vec![up(a)]),
        (Op::Sle | Op::Ule, false) => (vec![up(b)], vec![down(a)]),
        _ => (vec![], vec![]),
    }
}

macro_rules! float_targets {
    ($op:expr, $a:expr, $b:expr, $t:expr, $truth:expr, $nan:expr) => {{
        let (a, b, t) = ($a, $b, $t);
        match ($op, $truth) {
            (Op::FAdd, _) => (vec![t - b], vec![t - a]),
            (Op::FSub, _) => (vec![t + b], vec![a - t]),
            (Op::FMul, _) => (
                vec![t / b, (t / b).next_up(), (t / b).next_down()],
                vec![t / a, (t / a).next_up(), (t / a).next_down()],
            ),
            (Op::FDiv, _) => (
                vec![t * b, (t * b).next_up(), (t * b).next_down()],
                vec![a / t, (a / t).next_up(), (a / t).next_down()],
            ),
            (Op::FRem, _) => ((vec![t, (a / b).trunc() * b + t]), vec![a - t]),
            (Op::FEq, true) | (Op::FLe, true) => (vec![b], vec![a]),
            (Op::FEq, false) => (vec![b.next_up(), b + 1.0, $nan], vec![a.next_up(), a + 1.0, $nan]),
            (Op::FLt, true) => (vec![b.next_down(), b - 1.0], vec![a.next_up(), a + 1.0]),
            (Op::FLt, false) => (vec![b, b + 1.0, $nan], vec![a, a - 1.0, $nan]),
            (Op::FLe, false) => (vec![b.next_up(), b + 1.0, $nan], vec![a.next_down(), a - 1.0, $nan]),
            _ => (vec![], vec![]),
        }
    }};
}

fn float(op: Op, sort: Sort, a: u64, b: u64, target: u64) -> (Vec<u64>, Vec<u64>) {
    let truth = target != 0;
    if sort == Sort::F32 {
        let bits = |values: Vec<f32>| values.into_iter().map(|f| u64::from(f.to_bits())).collect();
        let (left, right) = float_targets!(op, f32_of(a), f32_of(b), f32_of(target), truth, f32::NAN);
        (bits(left), bits(right))
    } else {
        let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect();
        let (left, right) = float_targets!(op, f64_of(a), f64_of(b), f64_of(target), truth, f64::NAN);
        (bits(left), bits(right))
    }
}
