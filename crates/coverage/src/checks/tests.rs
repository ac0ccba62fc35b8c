use super::{Arithmetic, Check};
use crate::condition;
use cupping_term::{Evaluator, Model, Sort, Terms};
use proptest::prelude::*;

const CHECKS: [Check; 8] = [
    Check::Equal,
    Check::OneBelow,
    Check::OneAbove,
    Check::Overflow(Arithmetic::Add),
    Check::Overflow(Arithmetic::Sub),
    Check::Overflow(Arithmetic::Mul),
    Check::Overflow(Arithmetic::Neg),
    Check::Overflow(Arithmetic::Div),
];

/// Bits that often lie at the edges of some sort.
fn bits() -> impl Strategy<Value = u64> {
    let near = |centre: u64| (-2i64..=2).prop_map(move |by| centre.wrapping_add(by as u64));
    prop_oneof![
        any::<u64>(),
        near(0),
        near(i64::MIN as u64),
        near(i32::MIN as u64),
        near(1 << 31),
        near(1.5f64.to_bits()),
        near(f64::INFINITY.to_bits()),
        near(1.5f32.to_bits().into()),
        near(f32::INFINITY.to_bits().into()),
    ]
}

proptest! {
    #[test]
    fn conditions_say_what_concrete_checks_do(x in bits(), y in bits(), by in -1i64..=1, alike: bool, known: bool) {
        let y = if alike { x.wrapping_add(by as u64) } else { y };
        for sort in [Sort::Bv32, Sort::Bv64, Sort::F32, Sort::F64] {
            let (x, y) = (x & sort.mask(), y & sort.mask());
            let is_float = matches!(sort, Sort::F32 | Sort::F64);
            for check in CHECKS {
                if is_float && matches!(check, Check::Overflow(_)) {
                    continue;
                }
                let mut terms = Terms::new();
                let left = terms.new_variable("x", sort);
                let right = if known { terms.constant(sort, y) } else { terms.new_variable("y", sort) };
                let mut model = Model::new();
                for (term, value) in [(left, x), (right, y)] {
                    if let Some(variable) = terms.as_variable(term) {
                        model.set(variable, value);
                    }
                }
                let condition = condition(&mut terms, check, sort, left, right);
                let holds = Evaluator::new().eval(&terms, &model, condition) == 1;
                prop_assert_eq!(holds, check.holds(sort, x, y), "{:?} of {:?}: {:#x}, {:#x}", check, sort, x, y);
            }
        }
    }
}

#[test]
fn edges_are_where_nothing_is_between() {
    let float = |x: f32| u64::from(x.to_bits());
    let int = |x: i32| u64::from(x as u32);
    let cases = [
        (Check::OneBelow, Sort::Bv32, int(4), int(5), true),
        (Check::OneBelow, Sort::Bv32, int(i32::MAX), int(i32::MIN), false),
        (Check::OneAbove, Sort::Bv64, i64::MIN as u64, i64::MAX as u64, false),
        (Check::OneAbove, Sort::Bv64, 8, 7, true),
        (Check::Equal, Sort::F32, float(-0.0), float(0.0), true),
        (Check::Equal, Sort::F32, float(f32::NAN), float(f32::NAN), false),
        (Check::OneBelow, Sort::F32, float(-0.0), float(f32::from_bits(1)), true),
        (Check::OneBelow, Sort::F32, float(f32::MAX), float(f32::INFINITY), true),
        (Check::Overflow(Arithmetic::Div), Sort::Bv64, i64::MIN as u64, -1i64 as u64, true),
        (Check::Overflow(Arithmetic::Neg), Sort::Bv32, int(i32::MIN), 0, true),
        (Check::Overflow(Arithmetic::Mul), Sort::Bv64, 1 << 32, 1 << 31, true),
        (Check::Overflow(Arithmetic::Mul), Sort::Bv64, 1 << 31, 1 << 31, false),
        (Check::Overflow(Arithmetic::Add), Sort::Bv32, int(i32::MAX), int(1), true),
        (Check::Overflow(Arithmetic::Sub), Sort::Bv32, int(i32::MIN), int(1), true),
    ];
    for (check, sort, x, y, expected) in cases {
        assert_eq!(check.holds(sort, x, y), expected, "{check:?} of {sort:?}: {x:#x}, {y:#x}");
    }
}
