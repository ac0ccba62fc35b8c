//! Order-encoded integers against arithmetic: bits of the circuit are constants here, so that each gate has a value.

use super::circuit::{Bit, Circuit};
use super::number::OrderEncoding;

fn bit(value: bool) -> Bit {
    if value { Bit::TRUE } else { Bit::FALSE }
}

/// The number of an integer whose bits are constant.
fn value(circuit: &mut Circuit, integer: &OrderEncoding) -> i64 {
    let cases = integer.cases(circuit);
    let chosen: Vec<i64> = cases.into_iter().filter(|it| it.1 == Bit::TRUE).map(|it| it.0).collect();
    assert_eq!(chosen.len(), 1, "{chosen:?}");
    chosen[0]
}

#[test]
fn sums_and_comparisons_are_those_of_integers() {
    let weights = [-3, 1, 1, 2, 5];
    let mut circuit = Circuit::new();
    let mut sums = Vec::new();
    for set in 0..1_u32 << weights.len() {
        let is_in = |at: usize| set >> at & 1 == 1;
        let parts = (0..weights.len()).map(|at| (weights[at], bit(is_in(at)))).collect();
        let sum = OrderEncoding::sum(&mut circuit, parts).expect("few values");
        let expected: i64 = (0..weights.len()).filter(|at| is_in(*at)).map(|at| weights[at]).sum();
        assert_eq!(value(&mut circuit, &sum), expected, "{set:b}");
        for least in -5..12 {
            assert_eq!(sum.at_least(least), bit(expected >= least), "{expected} >= {least}");
        }
        sums.push((expected, sum));
    }
    for (left, a) in &sums {
        for (right, b) in &sums {
            assert_eq!(a.at_most(&mut circuit, b), bit(left <= right), "{left} <= {right}");
            assert_eq!(a.same(&mut circuit, b), bit(left == right), "{left} = {right}");
        }
    }
}

#[test]
fn the_only_value_is_that_of_its_bit_or_zero() {
    let values = [-2, 0, 3, 7];
    let mut circuit = Circuit::new();
    for chosen in 0..=values.len() {
        let parts: Vec<(i64, Bit)> =
            values.iter().enumerate().map(|(at, value)| (*value, bit(at == chosen))).collect();
        let only = OrderEncoding::only(&mut circuit, &parts);
        assert_eq!(value(&mut circuit, &only), values.get(chosen).copied().unwrap_or(0), "{chosen}");
    }
}
