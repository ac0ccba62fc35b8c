//! How far Z3 would multiply out the products of a goal.
//!
//! Z3's rewriter turns nested products into one with all their factors, without regard for what they share: thirty
//! squarings of squarings become 2^30 factors, before any limit of time or resources is looked at. A goal that
//! would grow like that is not given to Z3. Sums, conjunctions and the like are flattened too, but equal arguments
//! are merged, so that no more remain than the goal has terms.

use cupping_term::{Op, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// Limit on the factors of all products of a goal together.
pub(crate) const MOST_FACTORS: u64 = 20_000;

/// The number of factors that the products of these assertions have, each product for itself. Counts up to
/// `u64::MAX`.
pub(crate) fn factors(terms: &Terms, assertions: &[TermId]) -> u64 {
    let mut known: FxHashMap<TermId, u64> = FxHashMap::default();
    let mut total = 0_u64;
    let mut stack = assertions.to_vec();
    while let Some(&term) = stack.last() {
        if known.contains_key(&term) {
            stack.pop();
            continue;
        }
        let before = stack.len();
        stack.extend(terms.get(term).args().iter().filter(|arg| !known.contains_key(arg)));
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let own = if matches!(terms.get(term), Term::Apply { op: Op::Mul, .. }) {
            let own = terms.get(term).args().iter().fold(0_u64, |sum, arg| sum.saturating_add(known[arg]));
            total = total.saturating_add(own);
            own
        } else {
            1
        };
        known.insert(term, own);
    }
    total
}

#[cfg(test)]
mod tests {
    use cupping_term::Sort;

    use super::*;

    #[test]
    fn shared_factors_count_as_often_as_they_are_multiplied() {
        let mut terms = Terms::without_rewriting();
        let mut power = terms.new_variable("x", Sort::Bv32);
        let zero = terms.int(0);
        for _ in 0..10 {
            power = terms.mul(power, power);
        }
        let goal = terms.eq(power, zero);
        // x^2, x^4, … x^1024.
        assert_eq!(factors(&terms, &[goal]), 2046);
        for _ in 0..70 {
            power = terms.mul(power, power);
        }
        let goal = terms.eq(power, zero);
        assert_eq!(factors(&terms, &[goal]), u64::MAX);
    }

    #[test]
    fn each_product_is_multiplied_by_the_one_before() {
        let mut terms = Terms::without_rewriting();
        let (mut a, mut b) = (terms.new_variable("x", Sort::Bv64), terms.new_variable("y", Sort::Bv64));
        for _ in 0..6 {
            let c = terms.mul(a, b);
            (a, b) = (b, c);
        }
        let zero = terms.long(0);
        let goal = terms.eq(b, zero);
        // Fibonacci's numbers.
        assert_eq!(factors(&terms, &[goal]), 2 + 3 + 5 + 8 + 13 + 21);
    }

    #[test]
    fn a_sum_is_one_factor() {
        let mut terms = Terms::without_rewriting();
        let (x, y) = (terms.new_variable("x", Sort::Bv32), terms.new_variable("y", Sort::Bv32));
        let mut value = x;
        for _ in 0..40 {
            let product = terms.mul(value, y);
            value = terms.add(product, value);
        }
        let zero = terms.int(0);
        let goal = terms.eq(value, zero);
        assert_eq!(factors(&terms, &[goal]), 40 * 2);
    }
}
