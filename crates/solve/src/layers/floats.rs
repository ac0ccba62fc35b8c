//! Floats ranked as integers in their order, and interval bounds of float arithmetic.

use cupping_term::semantics::{f32_of, f64_of};
use cupping_term::{Op, Sort, Term, TermId, Terms};

/// The rank of a float in the order of its sort, 0 for both zeros; `None` for NaN.
pub(super) fn rank(sort: Sort, bits: u64) -> Option<i128> {
    let sign = 1_u64 << (sort.bits() - 1);
    let size = i128::from(bits & (sign - 1));
    if cupping_term::semantics::is_nan(sort, bits) {
        return None;
    }
    Some(if bits & sign == 0 { size } else { -size })
}

/// The float with this rank.
pub(super) fn of_rank(sort: Sort, rank: i128) -> u64 {
    let sign = if rank < 0 { 1_u64 << (sort.bits() - 1) } else { 0 };
    sign | rank.unsigned_abs() as u64
}

/// The float with this rank as a double, which is exact.
pub(super) fn value(sort: Sort, rank: i128) -> f64 {
    let bits = of_rank(sort, rank);
    if sort == Sort::F32 { f64::from(f32_of(bits)) } else { f64_of(bits) }
}

/// The rank of a value that the sort can represent.
pub(super) fn rank_of(sort: Sort, value: f64) -> i128 {
    let bits = if sort == Sort::F32 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
    rank(sort, bits).unwrap_or(0)
}

/// Limit on the depth of the analysis.
const DEPTH: u32 = 6;

const FULL: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Bounds of a float term if it is not NaN, given bounds of other terms if they are not NaN.
///
/// A result other than NaN has no NaN argument, so the arguments' bounds apply. Rounding is monotone, so the
/// rounded bounds of an interval bound the rounded results.
pub(super) fn bounds(
    terms: &Terms,
    term: TermId,
    mut known: impl FnMut(TermId) -> Option<(f64, f64)>,
) -> (f64, f64) {
    within(terms, term, &mut known, DEPTH)
}

fn within(
    terms: &Terms,
    term: TermId,
    known: &mut dyn FnMut(TermId) -> Option<(f64, f64)>,
    depth: u32,
) -> (f64, f64) {
    if let Some(found) = known(term) {
        return found;
    }
    let (op, sort, [a, b, c]) = match *terms.get(term) {
        Term::Constant { sort, bits } => {
            return match rank(sort, bits) {
                Some(rank) => (value(sort, rank), value(sort, rank)),
                None => FULL,
            };
        }
        Term::Apply { op, sort, args } if depth > 0 => (op, sort, args),
        _ => return FULL,
    };
    let mut of = |arg: TermId| within(terms, arg, known, depth - 1);
    let found = match op {
        Op::I2D | Op::L2D => {
            let range = terms.range(a);
            (range.smin as f64, range.smax as f64)
        }
        // Convert directly: rounding via `double` could give a bound that is too narrow.
        Op::I2F | Op::L2F => {
            let range = terms.range(a);
            (f64::from(range.smin as f32), f64::from(range.smax as f32))
        }
        Op::FMul if a == b => {
            let (low, high) = of(a);
            let (least, most) = sizes(low, high);
            (least * least, most * most)
        }
        Op::FAdd | Op::FSub | Op::FMul => {
            let ((low, high), (other_low, other_high)) = (of(a), of(b));
            match op {
                Op::FAdd => (low + other_low, high + other_high),
                Op::FSub => (low - other_high, high - other_low),
                _ => corners([low * other_low, low * other_high, high * other_low, high * other_high]),
            }
        }
        Op::FDiv => {
            let ((low, high), (other_low, other_high)) = (of(a), of(b));
            // A divisor interval that contains a zero allows any magnitude; the sign analysis below may still
            // narrow it.
            if other_low > 0.0 || other_high < 0.0 {
                corners([low / other_low, low / other_high, high / other_low, high / other_high])
            } else {
                FULL
            }
        }
        Op::FSqrt => {
            let (low, high) = of(a);
            (low.max(0.0).sqrt(), high.max(0.0).sqrt())
        }
        Op::FAbs => {
            let (low, high) = of(a);
            sizes(low, high)
        }
        Op::FNeg => {
            let (low, high) = of(a);
            (-high, -low)
        }
        Op::F2D | Op::D2F => of(a),
        Op::Ite => {
            let ((low, high), (other_low, other_high)) = (of(b), of(c));
            (low.min(other_low), high.max(other_high))
        }
        _ => FULL,
    };
    round(sort, found)
}

/// The least and greatest magnitude in an interval.
fn sizes(low: f64, high: f64) -> (f64, f64) {
    if low > 0.0 {
        (low, high)
    } else if high < 0.0 {
        (-high, -low)
    } else {
        (0.0, high.max(-low))
    }
}

/// The bounds of products or quotients; unbounded if a corner is undefined, such as zero times infinity.
fn corners(values: [f64; 4]) -> (f64, f64) {
    if values.iter().any(|v| v.is_nan()) {
        return FULL;
    }
    (
        values.iter().copied().fold(f64::INFINITY, f64::min),
        values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    )
}

/// Rounds bounds to the sort. Rounding a sum, product or quotient of floats from double to float equals
/// rounding once (Figueroa 1995), and a conversion is rounded here.
fn round(sort: Sort, (low, high): (f64, f64)) -> (f64, f64) {
    let rounded = |value: f64| if sort == Sort::F32 { f64::from(value as f32) } else { value };
    let low = if low.is_nan() { f64::NEG_INFINITY } else { rounded(low) };
    let high = if high.is_nan() { f64::INFINITY } else { rounded(high) };
    (low, high)
}
