//! Every layer agrees with Z3.

#[path = "../../term/tests/common/mod.rs"]
mod common;

use common::{Recipe, boundary_values, build, recipe};
use cupping_solve::chain::Layer;
use cupping_solve::{Answer, Query, Solver, SolverLimits, layers};
use cupping_term::{Model, Op, Sort, TermId, Terms, VarIndex};
use proptest::prelude::*;

/// A wall-clock limit that even a busy machine does not reach: budgets of work decide these tests.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(600);

fn limits() -> SolverLimits {
    SolverLimits { z3_resources: 300_000, z3_time: PATIENCE, ..SolverLimits::default() }
}

fn only(layer: Box<dyn Layer>) -> Solver {
    Solver::with_layers(limits(), vec![layer])
}

/// A path condition: the hint satisfies all assertions except for the last.
fn query(terms: &mut Terms, recipe: &Recipe, picks: &[u64]) -> (Vec<TermId>, Model) {
    let built = build(terms, recipe);
    let mut hint = Model::new();
    for index in 0..terms.variable_count() {
        let variable = VarIndex(index as u32);
        let values = boundary_values(terms.variable(variable).sort);
        hint.set(variable, values[(picks[0].rotate_left(index as u32 * 9) % values.len() as u64) as usize]);
    }
    let conditions: Vec<TermId> = built
        .into_iter()
        .filter(|&t| {
            terms.sort(t) == Sort::Bool && terms.as_constant(t).is_none() && terms.as_variable(t).is_none()
        })
        .collect();
    let mut assertions = Vec::new();
    for pick in &picks[1..] {
        if conditions.is_empty() {
            break;
        }
        let condition = conditions[(*pick % conditions.len() as u64) as usize];
        let holds = terms.eval(&hint, condition) != 0;
        assertions.push(if holds { condition } else { terms.not(condition) });
    }
    if let Some(last) = assertions.pop() {
        assertions.push(terms.not(last));
    }
    (assertions, hint)
}

/// Checks one answer against Z3's.
fn check(
    solver: &mut Solver,
    terms: &mut Terms,
    assertions: &[TermId],
    hint: &Model,
) -> Result<bool, TestCaseError> {
    let asked = Query { assertions, hint: Some(hint) };
    let answer = solver.solve(terms, &asked);
    let errors = solver.take_internal_errors();
    prop_assert!(errors.is_empty(), "{}", errors[0]);
    let text = asked.to_text(terms);
    match answer {
        Answer::Sat(model) => {
            prop_assert!(
                assertions.iter().all(|&a| terms.eval(&model, a) != 0),
                "not a model: {model:?} of\n{text}"
            );
        }
        Answer::Unsat { core } => {
            let part: Vec<TermId> = core.iter().map(|&position| assertions[position]).collect();
            let oracle =
                only(Box::new(layers::Z3::default())).solve(terms, &Query { assertions: &part, hint: None });
            prop_assert!(
                !matches!(oracle, Answer::Sat(_)),
                "core {core:?} has the model {oracle:?} in\n{text}"
            );
        }
        Answer::Unknown(_) => return Ok(false),
    }
    Ok(true)
}

const ORDERS: &[Op] = &[
    Op::Eq,
    Op::Slt,
    Op::Sle,
    Op::Ult,
    Op::Ule,
    Op::Not,
    Op::Add,
    Op::Sub,
    Op::ZExt,
    Op::SExt,
    Op::Eq,
    Op::Slt,
    Op::Sle,
];
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
    Op::Eq,
    Op::Slt,
];
const FLOATS: &[Op] = &[
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FNeg,
    Op::FAbs,
    Op::FEq,
    Op::FLt,
    Op::FLe,
    Op::I2F,
    Op::I2D,
    Op::F2I,
    Op::D2I,
    Op::F2D,
    Op::D2F,
    Op::FBits,
    Op::BitsF,
    Op::Ite,
    Op::And,
    Op::Or,
    Op::Not,
    Op::Slt,
    Op::FLt,
    Op::FEq,
];

const RANKS: &[Op] = &[
    Op::FEq,
    Op::FLt,
    Op::FLe,
    Op::FLt,
    Op::FLe,
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FDiv,
    Op::FNeg,
    Op::FAbs,
    Op::FSqrt,
    Op::F2D,
    Op::D2F,
    Op::FLt,
    Op::FLe,
    Op::FEq,
];
const SAT: &[Op] = &[
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
    Op::FEq,
    Op::FLt,
    Op::FLe,
    Op::FNeg,
    Op::FAbs,
    Op::FBits,
    Op::DBits,
    Op::BitsF,
    Op::BitsD,
];

fn case(sorts: &[Sort], ops: &[Op], length: usize) -> impl Strategy<Value = (Recipe, Vec<u64>)> + use<> {
    (recipe(sorts, ops, length), prop::collection::vec(any::<u64>(), 2..8))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

    #[test]
    fn the_chain_on_bits((recipe, picks) in case(&Sort::ALL[..5], BITS, 24)) {
        let mut terms = Terms::new();
        let (assertions, hint) = query(&mut terms, &recipe, &picks);
        check(&mut Solver::new(limits()), &mut terms, &assertions, &hint)?;
    }

    #[test]
    fn the_chain_on_floats((recipe, picks) in case(&[Sort::Bool, Sort::Bv32, Sort::F32, Sort::F64], FLOATS, 16)) {
        let mut terms = Terms::new();
        let (assertions, hint) = query(&mut terms, &recipe, &picks);
        check(&mut Solver::new(limits()), &mut terms, &assertions, &hint)?;
    }

    #[test]
    fn orderings((recipe, picks) in case(&[Sort::Bv8, Sort::Bv16, Sort::Bv32], ORDERS, 24)) {
        let mut terms = Terms::new();
        let (assertions, hint) = query(&mut terms, &recipe, &picks);
        check(&mut only(Box::new(layers::Order)), &mut terms, &assertions, &hint)?;
        check(&mut Solver::new(limits()), &mut terms, &assertions, &hint)?;
    }

    #[test]
    fn orderings_of_floats((recipe, picks) in case(&[Sort::F64, Sort::F32], RANKS, 16)) {
        let mut terms = Terms::new();
        let (assertions, hint) = query(&mut terms, &recipe, &picks);
        check(&mut only(Box::new(layers::Order)), &mut terms, &assertions, &hint)?;
    }

    #[test]
    fn bit_blasting((recipe, picks) in case(&Sort::ALL, SAT, 24)) {
        let mut terms = Terms::new();
        let (assertions, hint) = query(&mut terms, &recipe, &picks);
        check(&mut only(Box::new(layers::Sat)), &mut terms, &assertions, &hint)?;
    }

    #[test]
    fn search((recipe, picks) in case(&Sort::ALL, Op::ALL, 24)) {
        let mut terms = Terms::new();
        let (assertions, hint) = query(&mut terms, &recipe, &picks);
        check(&mut only(Box::new(layers::Search)), &mut terms, &assertions, &hint)?;
    }

    /// Many queries to one chain, so that its caches are used.
    #[test]
    fn cached_answers_fit_their_queries(
        (recipe, _) in case(&[Sort::Bv8, Sort::Bv32], BITS, 24),
        many in prop::collection::vec(prop::collection::vec(any::<u64>(), 2..6), 2..12),
    ) {
        let mut terms = Terms::new();
        let mut solver = Solver::new(limits());
        for picks in many {
            let mut fresh = Terms::new();
            // A recipe always gives the same terms, so one arena serves for all.
            if terms.variable_count() == 0 {
                query(&mut terms, &recipe, &picks);
            }
            let (assertions, hint) = query(&mut fresh, &recipe, &picks);
            let translated = translate(&fresh, &mut terms, &assertions);
            check(&mut solver, &mut terms, &translated, &hint)?;
        }
    }
}

/// Copies terms into another arena with the same variables.
fn translate(from: &Terms, to: &mut Terms, roots: &[TermId]) -> Vec<TermId> {
    let mut known: Vec<Option<TermId>> = vec![None; from.len()];
    for index in 0..from.len() {
        let id = from.at(index).expect("within");
        let term = match *from.get(id) {
            cupping_term::Term::Constant { sort, bits } => to.constant(sort, bits),
            cupping_term::Term::Variable { index, .. } => to.variable(index).term,
            cupping_term::Term::Lookup { table, index, .. } => {
                let table = to.new_table(from.table(table).sort(), from.table(table).entries());
                to.lookup(table, known[index.index()].expect("arguments come first"))
            }
            cupping_term::Term::Apply { op, sort, ref args } => {
                let args: Vec<TermId> = args[..op.arity()]
                    .iter()
                    .map(|a| known[a.index()].expect("arguments come first"))
                    .collect();
                to.try_apply(op, Some(sort), &args).expect("well-sorted")
            }
        };
        known[index] = Some(term);
    }
    roots.iter().map(|root| known[root.index()].expect("translated")).collect()
}
