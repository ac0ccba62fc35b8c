//! Rewriting preserves the value of every term under every model.

mod common;

use common::{Recipe, boundary_values, build, recipe};
use cupping_term::{Model, Op, Sort, Terms, VarIndex};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

fn check(recipe: &Recipe, picks: &[u64]) -> Result<(), TestCaseError> {
    let (mut plain, mut rewritten) = (Terms::without_rewriting(), Terms::new());
    let expected = build(&mut plain, recipe);
    let actual = build(&mut rewritten, recipe);
    for pick in picks {
        let mut model = Model::new();
        for index in 0..plain.variable_count() {
            let variable = VarIndex(index as u32);
            let sort = plain.variable(variable).sort;
            let values = boundary_values(sort);
            let mixed = pick.rotate_left(index as u32 * 7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let value =
                if mixed & 3 == 0 { mixed >> 2 } else { values[(mixed >> 2) as usize % values.len()] };
            model.set(variable, value & sort.mask());
        }
        for (position, (&e, &a)) in expected.iter().zip(&actual).enumerate() {
            prop_assert_eq!(
                plain.eval(&model, e),
                rewritten.eval(&model, a),
                "term {} of {:?}: {:?} became {:?} under {:?}",
                position,
                recipe,
                plain.get(e),
                rewritten.get(a),
                model
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn rewriting_keeps_the_value(recipe in recipe(&Sort::ALL, Op::ALL, 24), picks in prop::collection::vec(any::<u64>(), 6)) {
        check(&recipe, &picks)?;
    }

    #[test]
    fn rewriting_keeps_the_value_of_comparisons(
        recipe in recipe(&[Sort::Bool, Sort::Bv32], COMPARISONS, 16),
        picks in prop::collection::vec(any::<u64>(), 6),
    ) {
        check(&recipe, &picks)?;
    }

    #[test]
    fn rewriting_keeps_the_value_of_bytes(
        recipe in recipe(&[Sort::Bv8, Sort::Bv16, Sort::Bv32], BYTES, 20),
        picks in prop::collection::vec(any::<u64>(), 6),
    ) {
        check(&recipe, &picks)?;
    }

    #[test]
    fn rewriting_keeps_the_value_of_floats(
        recipe in recipe(&[Sort::Bool, Sort::Bv32, Sort::F32, Sort::F64], FLOATS, 16),
        picks in prop::collection::vec(any::<u64>(), 6),
    ) {
        check(&recipe, &picks)?;
    }

    /// The stored bounds of a term hold under every model.
    #[test]
    fn ranges_hold(recipe in recipe(&Sort::ALL[..5], Op::ALL, 24), picks in prop::collection::vec(any::<u64>(), 6)) {
        let mut terms = Terms::without_rewriting();
        let built = build(&mut terms, &recipe);
        for pick in picks {
            let mut model = Model::new();
            for index in 0..terms.variable_count() {
                let variable = VarIndex(index as u32);
                let values = boundary_values(terms.variable(variable).sort);
                model.set(variable, values[(pick.rotate_left(index as u32 * 9) % values.len() as u64) as usize]);
            }
            for &term in &built {
                let (sort, range, value) = (terms.sort(term), terms.range(term), terms.eval(&model, term));
                prop_assert!(
                    range.umin <= value && value <= range.umax
                        && (!sort.is_bv() || (range.smin <= sort.signed(value) && sort.signed(value) <= range.smax)),
                    "{:?} is {} beyond {:?}", terms.get(term), value, range
                );
            }
        }
    }
}

const COMPARISONS: &[Op] =
    &[Op::Eq, Op::Slt, Op::Sle, Op::Ult, Op::Ule, Op::And, Op::Or, Op::Not, Op::Ite, Op::Add, Op::ZExt];
const BYTES: &[Op] = &[
    Op::ZExt,
    Op::SExt,
    Op::Truncate,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::And,
    Op::Or,
    Op::Add,
    Op::Xor,
    Op::Eq,
];
const FLOATS: &[Op] = &[
    Op::FEq,
    Op::FLt,
    Op::FLe,
    Op::I2F,
    Op::I2D,
    Op::F2D,
    Op::D2F,
    Op::FNeg,
    Op::FAbs,
    Op::And,
    Op::Or,
    Op::Not,
    Op::Ite,
    Op::BitsF,
    Op::FBits,
    Op::FAdd,
];

/// The recipes above exercise every rule: an unused rule would be untested.
#[test]
fn every_rule_is_reached() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut counts = vec![0_u64; cupping_term::Rule::ALL.len()];
    for (sorts, ops) in [
        (&Sort::ALL[..], Op::ALL),
        (&[Sort::Bool, Sort::Bv32][..], COMPARISONS),
        (&[Sort::Bv8, Sort::Bv16, Sort::Bv32][..], BYTES),
        (&[Sort::Bool, Sort::Bv32, Sort::F32, Sort::F64][..], FLOATS),
    ] {
        let strategy = recipe(sorts, ops, 24);
        for _ in 0..6000 {
            let mut terms = Terms::new();
            build(&mut terms, &strategy.new_tree(&mut runner).expect("a recipe").current());
            for (count, (_, hits)) in counts.iter_mut().zip(terms.rule_counters().iter()) {
                *count += hits;
            }
        }
    }
    let unreached: Vec<_> = cupping_term::Rule::ALL
        .iter()
        .zip(&counts)
        .filter(|(_, count)| **count == 0)
        .map(|(rule, _)| rule)
        .collect();
    assert!(unreached.is_empty(), "rules that no recipe reaches: {unreached:?}");
}
