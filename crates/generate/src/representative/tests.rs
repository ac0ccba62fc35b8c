use super::{Representative, bits_of, is_hard_to_read};
use cupping_machine::Kind;
use cupping_term::{Evaluator, Sort, TermId, Terms, VarIndex};
use std::collections::{BTreeMap, BTreeSet};

/// A search on a path with these decisions, from a model with these values.
fn search<'a>(terms: &'a Terms, decisions: &[TermId], values: &[(VarIndex, u64)]) -> Representative<'a> {
    let mut conditions: BTreeMap<VarIndex, Vec<TermId>> = BTreeMap::new();
    for decision in decisions {
        for variable in terms.variables(*decision) {
            conditions.entry(*variable).or_default().push(*decision);
        }
    }
    let decisive: BTreeSet<VarIndex> = conditions.keys().copied().collect();
    let (model, evaluator) = (values.iter().copied().collect(), Evaluator::new());
    Representative { terms, model, conditions, decisive, evaluator, numbers: 0, letters: 0 }
}

fn variable(terms: &mut Terms, sort: Sort) -> (TermId, VarIndex) {
    let term = terms.new_variable("x", sort);
    (term, terms.as_variable(term).expect("it is new"))
}

/// What becomes of an `int` that is compared by one decision and has this value.
fn decided(value: i32, decision: impl Fn(&mut Terms, TermId) -> TermId) -> i64 {
    let mut terms = Terms::new();
    let (x, index) = variable(&mut terms, Sort::Bv32);
    let decision = decision(&mut terms, x);
    let mut search = search(&terms, &[decision], &[(index, Sort::Bv32.wrap(value.into()))]);
    search.scalar(Kind::Int, index);
    Sort::Bv32.signed(search.model.get(index))
}

#[test]
fn open_numbers_differ_from_each_other_and_from_neutral_ones() {
    let mut terms = Terms::new();
    let all: Vec<VarIndex> = (0..6).map(|_| variable(&mut terms, Sort::Bv32).1).collect();
    let mut search = search(&terms, &[], &[]);
    all.iter().for_each(|it| search.scalar(Kind::Int, *it));
    let values: BTreeSet<u64> = all.iter().map(|it| search.model.get(*it)).collect();
    assert_eq!(values.len(), 6, "{values:?}");
    assert!(values.iter().all(|it| (3..100).contains(it)), "{values:?}");
}

#[test]
fn a_number_at_the_boundary_of_its_path_stays() {
    let below = |limit: i32| {
        move |terms: &mut Terms, x: TermId| {
            let limit = terms.int(limit);
            terms.slt(x, limit)
        }
    };
    assert_eq!(decided(9, below(10)), 9);
    assert_eq!(decided(-1, below(0)), -1);
    let not_negative = |terms: &mut Terms, x: TermId| {
        let zero = terms.int(0);
        terms.sle(zero, x)
    };
    assert_eq!(decided(0, not_negative), 0, "-1 leaves the path");
}

#[test]
fn a_zero_that_is_no_boundary_becomes_another_number() {
    let below_hundred = |terms: &mut Terms, x: TermId| {
        let limit = terms.int(100);
        terms.slt(x, limit)
    };
    let found = decided(0, below_hundred);
    assert!(![0, 1, 2].contains(&found) && found < 100, "{found}");
}

#[test]
fn a_large_number_becomes_a_readable_one_on_the_same_path() {
    let above = |limit: i32| {
        move |terms: &mut Terms, x: TermId| {
            let limit = terms.int(limit);
            terms.slt(limit, x)
        }
    };
    let found = decided(2_000_000_000, above(2));
    assert!((3..=1000).contains(&found), "{found}");
    assert_eq!(decided(2_000_000_000, above(1_999_999_999)), 2_000_000_000, "no other number is above");
    let negative = |terms: &mut Terms, x: TermId| {
        let zero = terms.int(0);
        terms.slt(x, zero)
    };
    let found = decided(i32::MIN, negative);
    assert!((-1000..0).contains(&found), "{found}");
}

#[test]
fn open_characters_are_letters_in_the_order_of_the_alphabet() {
    let mut terms = Terms::new();
    let all: Vec<VarIndex> = (0..28).map(|_| variable(&mut terms, Sort::Bv16).1).collect();
    let mut search = search(&terms, &[], &[]);
    search.text(&all);
    let text: String = all.iter().map(|it| char::from(search.model.get(*it) as u8)).collect();
    assert_eq!(text, "abcdefghijklmnopqrstuvwxyzab");
}

#[test]
fn a_character_is_replaced_only_if_it_cannot_be_read() {
    let mut terms = Terms::new();
    let (x, index) = variable(&mut terms, Sort::Bv16);
    let letter = terms.constant(Sort::Bv16, u64::from(b'a'));
    let same = terms.eq(x, letter);
    let other = terms.not(same);
    for (before, after) in [(0, b'b'), (0xd800, b'b'), (u64::from(b'~'), b'~')] {
        let mut search = search(&terms, &[other], &[(index, before)]);
        search.scalar(Kind::Char, index);
        assert_eq!(search.model.get(index), u64::from(after), "{before:#x}: `a` leaves the path");
    }
}

#[test]
fn an_open_truth_value_is_true_and_a_decided_one_stays() {
    let mut terms = Terms::new();
    let (_, open) = variable(&mut terms, Sort::Bool);
    let (x, decided) = variable(&mut terms, Sort::Bool);
    let is_false = terms.not(x);
    let mut search = search(&terms, &[is_false], &[]);
    search.scalar(Kind::Boolean, open);
    search.scalar(Kind::Boolean, decided);
    assert_eq!((search.model.get(open), search.model.get(decided)), (1, 0));
}

#[test]
fn an_open_length_is_not_zero_and_within_its_bound() {
    let mut terms = Terms::new();
    let (_, open) = variable(&mut terms, Sort::Bv8);
    let (x, decided) = variable(&mut terms, Sort::Bv8);
    let zero = terms.constant(Sort::Bv8, 0);
    let is_empty = terms.eq(x, zero);
    assert_eq!(search(&terms, &[is_empty], &[]).length(Some(open), 6), 2);
    assert_eq!(search(&terms, &[is_empty], &[]).length(Some(open), 1), 1);
    assert_eq!(search(&terms, &[is_empty], &[(open, 4)]).length(Some(open), 6), 4);
    assert_eq!(search(&terms, &[is_empty], &[]).length(Some(decided), 6), 0);
    assert_eq!(search(&terms, &[is_empty], &[]).length(None, 6), 0);
}

#[test]
fn open_elements_descend_so_that_sorting_them_shows() {
    let mut terms = Terms::new();
    let all: Vec<VarIndex> = (0..5).map(|_| variable(&mut terms, Sort::Bv32).1).collect();
    let later = variable(&mut terms, Sort::Bv32).1;
    let mut search = search(&terms, &[], &[]);
    search.elements(Kind::Int, &all);
    let values: Vec<u64> = all.iter().map(|it| search.model.get(*it)).collect();
    assert!(values.is_sorted_by(|one, next| one > next), "{values:?}");
    search.scalar(Kind::Int, later);
    assert!(!values.contains(&search.model.get(later)), "a later number is another one");
}

#[test]
fn numbers_with_a_point_get_a_fraction() {
    assert_eq!(bits_of(Sort::F64, 5), 5.5_f64.to_bits());
    assert_eq!(bits_of(Sort::F32, -5), u64::from((-4.5_f32).to_bits()));
    assert_eq!(bits_of(Sort::Bv8, -1), 0xff);
    assert_eq!((bits_of(Sort::Bool, 7), bits_of(Sort::Bool, 0)), (1, 0));
}

#[test]
fn numbers_of_more_than_a_thousand_are_hard_to_read() {
    let integer = |number: i64| is_hard_to_read(Sort::Bv32, Sort::Bv32.wrap(number));
    assert_eq!([-1000, 0, 1000].map(integer), [false; 3]);
    assert_eq!([-1001, 1001, i64::from(i32::MIN)].map(integer), [true; 3]);
    let double = |number: f64| is_hard_to_read(Sort::F64, number.to_bits());
    assert_eq!([0.0, 0.5, -999.5, f64::NAN, f64::INFINITY].map(double), [false; 5]);
    assert_eq!([1e-5, -1e9, f64::MAX].map(double), [true; 3]);
    assert!(is_hard_to_read(Sort::F32, u64::from(1e20_f32.to_bits())));
    assert!(!is_hard_to_read(Sort::Bool, 1));
}
