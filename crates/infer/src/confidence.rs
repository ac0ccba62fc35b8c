//! The confidence in a line that nothing has refuted.

/// Of so many calls that broke nothing, less than three in that number break it, with a certainty of 95 % (*rule of
/// three*).
const RULE_OF_THREE: f64 = 3.0;

/// The confidence that thirty calls give.
pub const MIN_CONFIDENCE: f64 = 0.9;

/// The share of calls that at least uphold what so many calls could have broken and did not, with a certainty of 95 %.
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
