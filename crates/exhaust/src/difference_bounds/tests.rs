use super::{DifferenceBounds, Symbols};
use cupping_term::{Evaluator, Sort, TermId, Terms};

const INTEGERS: usize = 3;
const RANGE: (i64, i64) = (-2, 3);

/// Deterministic pseudo-random numbers.
fn draws(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |bound| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    }
}

/// A condition on the integers: comparisons of sums with constants, joined by `and` and `or`, and sometimes products,
/// which the bounds do not understand.
fn condition(
    terms: &mut Terms,
    integers: &[TermId],
    draw: &mut impl FnMut(u64) -> u64,
    depth: u64,
) -> TermId {
    if depth > 0 && draw(3) == 0 {
        let a = condition(terms, integers, draw, depth - 1);
        let b = condition(terms, integers, draw, depth - 1);
        return match draw(3) {
            0 => terms.and(a, b),
            1 => terms.or(a, b),
            _ => terms.not(a),
        };
    }
    let mut side = |terms: &mut Terms| {
        let integer = integers[draw(integers.len() as u64) as usize];
        let constant = terms.int(draw(7) as i32 - 3);
        match draw(8) {
            0 => constant,
            1 => {
                let other = integers[draw(integers.len() as u64) as usize];
                terms.mul(integer, other)
            }
            2..=4 => terms.add(integer, constant),
            _ => integer,
        }
    };
    let (a, b) = (side(terms), side(terms));
    match draw(3) {
        0 => terms.eq(a, b),
        1 => terms.slt(a, b),
        _ => terms.sle(a, b),
    }
}

/// The assignments within the range that satisfy all conditions, found by trying all.
fn all_solutions(terms: &Terms, symbols: &Symbols, conditions: &[(TermId, bool)]) -> Vec<Vec<i64>> {
    let values: Vec<i64> = (RANGE.0..=RANGE.1).collect();
    let mut found = Vec::new();
    for number in 0..values.len().pow(INTEGERS as u32) {
        let digit = |at: usize| values[number / values.len().pow(at as u32) % values.len()];
        let tried: Vec<i64> = (0..INTEGERS).map(digit).collect();
        let model = symbols.model(terms, &tried);
        let mut evaluator = Evaluator::new();
        if conditions.iter().all(|(it, holds)| (evaluator.eval(terms, &model, *it) != 0) == *holds) {
            found.push(tried);
        }
    }
    found.sort();
    found
}

/// The solutions are exactly those that trying all values finds, however many conditions there are; a contradiction is
/// only reported where there is none.
#[test]
fn solutions_are_those_of_trying_all_values() {
    let (mut contradictions, mut several) = (0, 0);
    for seed in 0..400 {
        let mut draw = draws(seed);
        let (mut terms, mut symbols) = (Terms::new(), Symbols::default());
        let mut bounds = DifferenceBounds::new();
        let integers: Vec<TermId> =
            (0..INTEGERS).map(|number| symbols.term(&mut terms, number, Sort::Bv32)).collect();
        integers.iter().for_each(|_| bounds.push(RANGE));
        let mut conditions = Vec::new();
        let mut is_possible = true;
        for _ in 0..1 + draw(5) {
            let (term, holds) = (condition(&mut terms, &integers, &mut draw, 2), draw(3) > 0);
            conditions.push((term, holds));
            is_possible = is_possible && bounds.require(&symbols, &terms, term, holds);
        }
        let expected = all_solutions(&terms, &symbols, &conditions);
        if !is_possible {
            contradictions += 1;
            assert!(expected.is_empty(), "seed {seed}: {expected:?} satisfy what is called a contradiction");
            continue;
        }
        let mut found = Vec::new();
        bounds.each(&symbols, &terms, &mut |values| {
            found.push(values.to_vec());
            true
        });
        found.sort();
        assert_eq!(found, expected, "seed {seed}");
        several += usize::from(found.len() > 1);
        match bounds.values(&symbols, &terms) {
            Some(values) => assert!(expected.contains(&values), "seed {seed}: {values:?}"),
            None => assert!(expected.is_empty(), "seed {seed}"),
        }
    }
    assert!(
        contradictions > 20 && several > 100,
        "{contradictions} contradictions, {several} with solutions"
    );
}

/// A contradiction between differences alone is found when the last condition is added, without a search.
#[test]
fn a_circle_of_differences_is_a_contradiction_at_once() {
    let (mut terms, mut symbols) = (Terms::new(), Symbols::default());
    let mut bounds = DifferenceBounds::new();
    let [a, b, c] = [0, 1, 2].map(|number| symbols.term(&mut terms, number, Sort::Bv32));
    (0..3).for_each(|_| bounds.push((-1000, 1000)));
    for (less, more) in [(a, b), (b, c)] {
        let ordered = terms.slt(less, more);
        assert!(bounds.require(&symbols, &terms, ordered, true));
    }
    let closed = terms.slt(c, a);
    assert!(bounds.clone().require(&symbols, &terms, closed, false));
    assert!(!bounds.require(&symbols, &terms, closed, true));
}

/// Values that differ from an end move the end, until nothing is left.
#[test]
fn values_that_are_excluded_at_an_end_move_it() {
    let (mut terms, mut symbols) = (Terms::new(), Symbols::default());
    let mut bounds = DifferenceBounds::new();
    let x = symbols.term(&mut terms, 0, Sort::Bv32);
    bounds.push((0, 2));
    for (excluded, expected) in [(0, Some(1)), (2, Some(1)), (1, None)] {
        let number = terms.int(excluded);
        let equal = terms.eq(x, number);
        let is_possible = bounds.require(&symbols, &terms, equal, false);
        assert_eq!(is_possible.then(|| bounds.values(&symbols, &terms).unwrap()[0]), expected);
    }
}
