//! The remainder of IEEE 754, which is exact.

/// `x - y * n` for the whole number n that is nearest to `x / y`; the even one of two.
pub fn remainder(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return f64::NAN;
    }
    let (size, divisor) = (x.abs(), y.abs());
    // The remainder for twice the divisor distinguishes odd quotients from even ones.
    let double = divisor + divisor;
    let mut rest = if double.is_finite() { size % double } else { size };
    if divisor < 2.0 * f64::MIN_POSITIVE {
        // Half of it might underflow, twice the rest does not.
        if rest + rest > divisor {
            rest -= divisor;
            if rest + rest >= divisor {
                rest -= divisor;
            }
        }
    } else {
        let half = 0.5 * divisor;
        if rest > half {
            rest -= divisor;
            if rest >= half {
                rest -= divisor;
            }
        }
    }
    if x.is_sign_negative() { -rest } else { rest }
}
