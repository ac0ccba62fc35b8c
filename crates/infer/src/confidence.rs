//! The confidence in a clause that nothing has refuted.

/// If *n* calls broke nothing, then with 95 % certainty fewer than three in *n* calls break it (*rule of three*).
const RULE_OF_THREE: f64 = 3.0;

/// The confidence that thirty calls give.
pub const MIN_CONFIDENCE: f64 = 0.9;

/// The minimum share of calls that uphold a clause, with 95 % certainty, if this many calls could have broken it and
/// none did.
pub fn confidence(tried: usize) -> f64 {
    (1.0 - RULE_OF_THREE / (tried.max(1) as f64)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_calls_say_little() {
        assert_eq!(confidence(0), 0.0);
        assert!(confidence(29) < MIN_CONFIDENCE && confidence(30) >= MIN_CONFIDENCE);
        assert!(confidence(3_000) < 1.0);
    }
}
