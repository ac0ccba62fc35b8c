//! Z3 and bit-blasting agree with evaluation.

#[path = "../../term/tests/common/mod.rs"]
mod common;

use common::{Recipe, boundary_values, build, recipe};
use cupping_solve::{Answer, Query, Reason, Solver, SolverLimits, layers};
use cupping_term::{Model, Op, Sort, TermId, Terms, VarIndex};
use proptest::prelude::*;

/// A wall-clock limit that even a busy machine does not reach: budgets of work decide these tests.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(600);

fn only_z3() -> Solver {
    Solver::with_layers(
        SolverLimits { z3_resources: 10_000_000, z3_time: PATIENCE, ..SolverLimits::default() },
        vec![Box::new(layers::Z3::default())],
    )
}

fn only_sat() -> Solver {
    let limits = SolverLimits { sat_gates: 1_000_000, sat_conflicts: 1_000_000, ..SolverLimits::default() };
    Solver::with_layers(limits, vec![Box::new(layers::Sat)])
}

/// Checks for every term whether the layer, given the variables' values, computes the same value as the
/// evaluator.
fn agrees(mut solver: Solver, recipe: &Recipe, pick: u64) -> Result<(), TestCaseError> {
    let mut terms = Terms::without_rewriting();
    let built = build(&mut terms, recipe);
    let mut model = Model::new();
    let mut assertions = Vec::new();
    for index in 0..terms.variable_count() {
        let variable = VarIndex(index as u32);
        let (sort, term) = (terms.variable(variable).sort, terms.variable(variable).term);
        let values = boundary_values(sort);
        let value = values[(pick.rotate_left(index as u32 * 9) % values.len() as u64) as usize];
        model.set(variable, value);
        assertions.push(equals(&mut terms, term, value));
    }
    let mut differs = terms.bool(false);
    for &term in &built {
        let value = terms.eval(&model, term);
        let same = equals(&mut terms, term, value);
        let other = terms.not(same);
        differs = terms.or(differs, other);
    }
    assertions.push(differs);
    let answer = solver.solve(&mut terms, &Query { assertions: &assertions, hint: None });
    prop_assert!(matches!(answer, Answer::Unsat { .. }), "{answer:?} for {recipe:?} under {model:?}");
    Ok(())
}

/// Bitwise equality of values, also for floats.
fn equals(terms: &mut Terms, term: TermId, value: u64) -> TermId {
    let sort = terms.sort(term);
    let (term, sort) = match sort {
        Sort::F32 => (terms.float_to_raw_bits(term), Sort::Bv32),
        Sort::F64 => (terms.double_to_raw_bits(term), Sort::Bv64),
        _ => (term, sort),
    };
    let value = terms.constant(sort, value);
    terms.eq(term, value)
}

const BITS: &[Op] = &[
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::SDiv,
    Op::SRem,
    Op::Neg,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Not,
    Op::Shl,
    Op::AShr,
    Op::LShr,
    Op::Truncate,
    Op::SExt,
    Op::ZExt,
    Op::Eq,
    Op::Slt,
    Op::Sle,
    Op::Ult,
    Op::Ule,
    Op::Ite,
];
const FLOATS: &[Op] = &[
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FDiv,
    Op::FNeg,
    Op::FSqrt,
    Op::FAbs,
    Op::FEq,
    Op::FLt,
    Op::FLe,
    Op::I2F,
    Op::I2D,
    Op::L2F,
    Op::L2D,
    Op::F2I,
    Op::F2L,
    Op::D2I,
    Op::D2L,
    Op::F2D,
    Op::D2F,
    Op::FBits,
    Op::DBits,
    Op::BitsF,
    Op::BitsD,
    Op::Ite,
];

const COMPARED: &[Op] = &[
    Op::FNeg,
    Op::FAbs,
    Op::FEq,
    Op::FLt,
    Op::FLe,
    Op::FBits,
    Op::DBits,
    Op::BitsF,
    Op::BitsD,
    Op::Ite,
    Op::And,
    Op::Not,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn bits_mean_the_same(recipe in recipe(&Sort::ALL[..5], BITS, 20), pick in any::<u64>()) {
        agrees(only_z3(), &recipe, pick)?;
    }

    #[test]
    fn gates_mean_the_same(recipe in recipe(&Sort::ALL[..5], BITS, 20), pick in any::<u64>()) {
        agrees(only_sat(), &recipe, pick)?;
    }

    #[test]
    fn gates_compare_floats(recipe in recipe(&Sort::ALL, COMPARED, 20), pick in any::<u64>()) {
        agrees(only_sat(), &recipe, pick)?;
    }

    #[test]
    fn floats_mean_the_same(recipe in recipe(&Sort::ALL, FLOATS, 12), pick in any::<u64>()) {
        agrees(only_z3(), &recipe, pick)?;
    }
}

#[test]
fn a_budget_ends_in_a_time_out() {
    let mut terms = Terms::new();
    // Factors of a product of two large primes.
    let (x, y) = (terms.new_variable("x", Sort::Bv64), terms.new_variable("y", Sort::Bv64));
    let (one, large) = (terms.long(1), terms.long(4_294_967_291));
    let (product, target) = (terms.mul(x, y), terms.long(4_294_967_279_i64.wrapping_mul(4_294_967_231)));
    let assertions = [
        terms.eq(product, target),
        terms.slt(one, x),
        terms.slt(one, y),
        terms.slt(x, large),
        terms.slt(y, large),
    ];
    let limits = SolverLimits { z3_resources: 20_000, ..SolverLimits::default() };
    let mut solver = Solver::with_layers(limits, vec![Box::new(layers::Z3::default())]);
    let answer = solver.solve(&mut terms, &Query { assertions: &assertions, hint: None });
    assert_eq!(answer, Answer::Unknown(Reason::Timeout));
}

#[test]
fn the_remainder_of_floats_is_not_supported() {
    let mut terms = Terms::new();
    let (x, k) = (terms.new_variable("x", Sort::F64), terms.double(3.0));
    let remainder = terms.frem(x, k);
    let assertion = terms.flt(k, remainder);
    let answer = only_z3().solve(&mut terms, &Query { assertions: &[assertion], hint: None });
    assert!(matches!(answer, Answer::Unknown(Reason::Unsupported(_))), "{answer:?}");
}
