//! Random terms: a recipe can be built identically in any arena.

#![allow(dead_code, reason = "each test file uses a part")]

use cupping_term::{Op, Signature, Sort, TermId, Terms};
use proptest::prelude::*;

/// One step: an operation, choices of its arguments among earlier terms, and a choice of the result's sort.
#[derive(Clone, Debug)]
pub struct Step {
    pub op: Op,
    pub picks: [u16; 3],
    pub constant: Option<u64>,
}

/// Steps that each add a term.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub sorts: Vec<Sort>,
    pub steps: Vec<Step>,
}

/// Random recipes over variables of these sorts and these operations.
pub fn recipe(sorts: &[Sort], ops: &[Op], length: usize) -> impl Strategy<Value = Recipe> + use<> {
    let sorts = sorts.to_vec();
    let ops = ops.to_vec();
    let step = (prop::sample::select(ops), any::<[u16; 3]>(), prop::option::weighted(0.35, any::<u64>()))
        .prop_map(|(op, picks, constant)| Step { op, picks, constant });
    prop::collection::vec(step, 1..=length).prop_map(move |steps| Recipe { sorts: sorts.clone(), steps })
}

/// Boundary values of a sort.
pub fn boundary_values(sort: Sort) -> Vec<u64> {
    let floats32 = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.5,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-45,
        2_147_483_648.0,
        -2_147_483_648.0,
        16_777_217.0,
        9.3e18,
    ];
    let floats64 = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        2.5,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        2_147_483_647.5,
        -2_147_483_649.0,
        9.3e18,
        1e-46,
        3.4e38,
        1.000_000_01,
    ];
    match sort {
        Sort::F32 => {
            floats32.iter().map(|f| u64::from(f.to_bits())).chain([0x7fa0_0001, 0xffc0_0000]).collect()
        }
        Sort::F64 => floats64.iter().map(|f| f.to_bits()).chain([0x7ff4_0000_0000_0001]).collect(),
        _ => [0, 1, -1, 2, 3, 7, 8, 24, 31, 32, 63, 127, 128, -128, 255, 256, 32767, -32768, 65535, 65536]
            .into_iter()
            .chain([
                sort.min_signed(),
                sort.max_signed(),
                sort.min_signed() + 1,
                sort.max_signed() - 1,
                1 << 31,
            ])
            .map(|n| sort.wrap(n))
            .collect(),
    }
}

/// Builds a recipe: first two variables of each sort, then the steps whose arguments fit.
pub fn build(terms: &mut Terms, recipe: &Recipe) -> Vec<TermId> {
    let mut pool: Vec<TermId> = Vec::new();
    for &sort in &recipe.sorts {
        for name in ["x", "y"] {
            pool.push(terms.new_variable(format!("{name}{sort}"), sort));
        }
    }
    let table = terms.new_table(Sort::Bv16, [5, 5, 9, 0x8000, 0xffff]);
    for step in &recipe.steps {
        if let Some(term) = build_step(terms, &pool, step) {
            pool.push(term);
            if terms.sort(term) == Sort::Bv32 && step.picks[2] % 7 == 0 {
                pool.push(terms.lookup(table, term));
            }
        }
    }
    pool
}

/// Shapes that random steps rarely produce: joined slices of one word, shifts back and forth, choices between
/// 0 and 1.
fn build_gadget(terms: &mut Terms, pool: &[TermId], step: &Step) -> Option<TermId> {
    let [first, second, third] = step.picks.map(usize::from);
    let any = |terms: &Terms, wanted: &dyn Fn(Sort) -> bool| {
        let fitting: Vec<TermId> = pool.iter().copied().filter(|&id| wanted(terms.sort(id))).collect();
        fitting.get(first % fitting.len().max(1)).copied()
    };
    let distance = |terms: &mut Terms, pick: usize| terms.int([8, 16, 24, 32, 8][pick % 5]);
    match step.op {
        Op::Or | Op::Add => {
            let word = any(terms, &|s| matches!(s, Sort::Bv16 | Sort::Bv32 | Sort::Bv64))?;
            let sort = terms.sort(word);
            let narrow = if sort == Sort::Bv16 || third % 8 < 4 { Sort::Bv8 } else { Sort::Bv16 };
            let (cut, back) =
                (distance(terms, second), distance(terms, second + usize::from(third % 16 == 0)));
            let high = terms.lshr(word, cut);
            let high = if third % 3 == 0 { high } else { terms.truncate(narrow, high) };
            let (high, low) = (terms.zext(sort, high), terms.truncate(narrow, word));
            let (high, low) = (terms.shl(high, back), terms.zext(sort, low));
            Some(if step.op == Op::Or { terms.or(high, low) } else { terms.add(low, high) })
        }
        Op::AShr | Op::LShr => {
            let word = any(terms, &Sort::is_bv)?;
            let (out, back) =
                (distance(terms, second), distance(terms, second + usize::from(third % 8 == 0)));
            let moved = terms.shl(word, out);
            Some(if step.op == Op::AShr { terms.ashr(moved, back) } else { terms.lshr(moved, back) })
        }
        Op::Ite if third % 2 == 0 => {
            let x = any(terms, &Sort::is_bv)?;
            let k = terms.constant(terms.sort(x), second as u64 % 3);
            let condition = terms.eq(x, k);
            Some(terms.ite(condition, k, x))
        }
        Op::Ite => {
            let condition = any(terms, &|s| s == Sort::Bool)?;
            let sort = Sort::ALL[1 + second % 4];
            let (x, y) = (terms.constant(sort, third as u64 & 1), terms.constant(sort, !third as u64 & 1));
            Some(terms.ite(condition, x, y))
        }
        _ => None,
    }
}

fn build_step(terms: &mut Terms, pool: &[TermId], step: &Step) -> Option<TermId> {
    if step.picks[0].is_multiple_of(4)
        && let Some(term) = build_gadget(terms, pool, step)
    {
        return Some(term);
    }
    // Prefer late terms, so that terms get deep.
    let choose = |terms: &Terms, pick: u16, fits: &dyn Fn(Sort) -> bool| {
        let fitting: Vec<TermId> = pool.iter().copied().filter(|&id| fits(terms.sort(id))).collect();
        let back = usize::from(pick) % (fitting.len().max(1));
        let back = if pick & 0x8000 != 0 { back.min(usize::from(pick) % 4) } else { back };
        fitting.iter().rev().nth(back).copied()
    };
    let constant = |terms: &mut Terms, sort: Sort, value: u64| {
        let values = boundary_values(sort);
        let bits = if value & 7 == 0 { value >> 3 } else { values[(value >> 3) as usize % values.len()] };
        terms.constant(sort, bits)
    };
    let bits = |s: Sort| !s.is_float();
    let first: &dyn Fn(Sort) -> bool = match step.op.signature() {
        Signature::BvBinary | Signature::BvUnary | Signature::Shift | Signature::BvCompare => &Sort::is_bv,
        Signature::Narrow => &|s: Sort| s.is_bv(),
        Signature::BitsBinary | Signature::BitsUnary | Signature::BitsCompare => &bits,
        Signature::Widen => &|s: Sort| bits(s) && s != Sort::Bv64,
        Signature::Choice => &|s: Sort| s == Sort::Bool,
        Signature::FloatBinary | Signature::FloatUnary | Signature::FloatCompare => &Sort::is_float,
        Signature::Convert(from, _) => &move |s: Sort| s == from,
    };
    let mut args = vec![choose(terms, step.picks[0], first)?];
    let mut to = None;
    let sort = terms.sort(args[0]);
    match step.op.signature() {
        Signature::Narrow => {
            let narrower = &Sort::ALL[..5];
            let fitting: Vec<Sort> = narrower.iter().copied().filter(|s| s.bits() < sort.bits()).collect();
            to = Some(fitting[usize::from(step.picks[1]) % fitting.len()]);
        }
        Signature::Widen => {
            let fitting: Vec<Sort> =
                Sort::ALL[1..5].iter().copied().filter(|s| s.bits() > sort.bits()).collect();
            to = Some(fitting[usize::from(step.picks[1]) % fitting.len()]);
        }
        Signature::Choice => {
            args.push(choose(terms, step.picks[1], &|_| true)?);
            let sort = terms.sort(args[1]);
            args.push(match step.constant {
                Some(value) => constant(terms, sort, value),
                None => choose(terms, step.picks[2], &|s| s == sort)?,
            });
        }
        signature if signature.arity() == 2 => {
            let wanted = if signature == Signature::Shift { Sort::Bv32 } else { sort };
            args.push(match step.constant {
                Some(value) => constant(terms, wanted, value),
                None => choose(terms, step.picks[1], &|s| s == wanted)?,
            });
            if wanted == sort && step.picks[2] & 1 == 1 {
                args.swap(0, 1);
            }
        }
        _ => {}
    }
    Some(terms.try_apply(step.op, to, &args).expect("the arguments fit"))
}
