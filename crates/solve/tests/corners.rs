//! Corner cases of Java's arithmetic, for the whole chain and for each complete layer alone; and properties
//! of the chain: queries replay from text, contradictions are reported, models stay near the hint.

use cupping_solve::chain::{Context, Goal, Layer, LayerVerdict, LowerLayers};
use cupping_solve::{Answer, Query, Solver, SolverLimits, TextQuery, layers, replay};
use cupping_term::{Model, Sort, TermId, Terms, VarIndex};

/// A constraint on two variables of a sort, and whether it is satisfiable.
struct Corner {
    name: &'static str,
    sort: Sort,
    ask: fn(&mut Terms, TermId, TermId) -> TermId,
    sat: bool,
}

const CORNERS: &[Corner] = &[
    Corner { name: "x != x", sort: Sort::F64, ask: |t, x, _| t.is_nan(x), sat: true },
    Corner {
        name: "x + 1 == x",
        sort: Sort::F64,
        ask: |t, x, _| {
            let one = t.double(1.0);
            let next = t.fadd(x, one);
            t.feq(next, x)
        },
        sat: true,
    },
    Corner {
        name: "0 <= x < 1 && x + 1 == x",
        sort: Sort::F32,
        ask: |t, x, _| {
            let (zero, one) = (t.float(0.0), t.float(1.0));
            let next = t.fadd(x, one);
            let (low, high, same) = (t.fle(zero, x), t.flt(x, one), t.feq(next, x));
            t.all(&[low, high, same])
        },
        sat: false,
    },
    Corner {
        name: "x == 0 && 1 / x < 0",
        sort: Sort::F64,
        ask: |t, x, _| {
            let (zero, one) = (t.double(0.0), t.double(1.0));
            let inverse = t.fdiv(one, x);
            let (is_zero, negative) = (t.feq(x, zero), t.flt(inverse, zero));
            t.and(is_zero, negative)
        },
        sat: true,
    },
    Corner {
        name: "(int) x == MAX && x > 1e20",
        sort: Sort::F64,
        ask: |t, x, _| {
            let (most, large) = (t.int(i32::MAX), t.double(1e20));
            let whole = t.d2i(x);
            let (saturated, beyond) = (t.eq(whole, most), t.flt(large, x));
            t.and(saturated, beyond)
        },
        sat: true,
    },
    Corner {
        name: "(int) x == 1 && x != x",
        sort: Sort::F32,
        ask: |t, x, _| {
            let one = t.int(1);
            let whole = t.f2i(x);
            let (equal, nan) = (t.eq(whole, one), t.is_nan(x));
            t.and(equal, nan)
        },
        sat: false,
    },
    Corner {
        name: "floatToRawIntBits(x) != floatToIntBits(x)",
        sort: Sort::F32,
        ask: |t, x, _| {
            let (raw, canonical) = (t.float_to_raw_bits(x), t.canonical_bits(x));
            t.ne(raw, canonical)
        },
        sat: true,
    },
    Corner {
        name: "x + 1 < x",
        sort: Sort::Bv32,
        ask: |t, x, _| {
            let one = t.int(1);
            let next = t.add(x, one);
            t.slt(next, x)
        },
        sat: true,
    },
    Corner {
        name: "x < 100 && x + 1 < x",
        sort: Sort::Bv32,
        ask: |t, x, _| {
            let (one, hundred) = (t.int(1), t.int(100));
            let next = t.add(x, one);
            let (small, wrapped) = (t.slt(x, hundred), t.slt(next, x));
            t.and(small, wrapped)
        },
        sat: false,
    },
    Corner {
        name: "x < 0 && -x < 0",
        sort: Sort::Bv64,
        ask: |t, x, _| {
            let zero = t.long(0);
            let opposite = t.neg(x);
            let (negative, still) = (t.slt(x, zero), t.slt(opposite, zero));
            t.and(negative, still)
        },
        sat: true,
    },
    Corner {
        name: "x / y < 0 && x < 0 && y < 0",
        sort: Sort::Bv32,
        ask: |t, x, y| {
            let zero = t.int(0);
            let quotient = t.sdiv(x, y);
            let all = [t.slt(quotient, zero), t.slt(x, zero), t.slt(y, zero)];
            t.all(&all)
        },
        sat: true,
    },
    Corner {
        name: "x % 10 == 7 && x < 0",
        sort: Sort::Bv32,
        ask: |t, x, _| {
            let (ten, seven, zero) = (t.int(10), t.int(7), t.int(0));
            let remainder = t.srem(x, ten);
            let (equal, negative) = (t.eq(remainder, seven), t.slt(x, zero));
            t.and(equal, negative)
        },
        sat: false,
    },
    Corner {
        name: "1 << x == 0",
        sort: Sort::Bv32,
        ask: |t, x, _| {
            let (one, zero) = (t.int(1), t.int(0));
            let shifted = t.shl(one, x);
            t.eq(shifted, zero)
        },
        sat: false,
    },
    Corner {
        name: "x != y && (byte) x == (byte) y && x >>> 8 == y >>> 8",
        sort: Sort::Bv32,
        ask: |t, x, y| {
            let eight = t.int(8);
            let (bx, by) = (t.truncate(Sort::Bv8, x), t.truncate(Sort::Bv8, y));
            let (hx, hy) = (t.lshr(x, eight), t.lshr(y, eight));
            let all = [t.ne(x, y), t.eq(bx, by), t.eq(hx, hy)];
            t.all(&all)
        },
        sat: false,
    },
    Corner {
        name: "lcmp(x, y) == 1 && x <= y",
        sort: Sort::Bv64,
        ask: |t, x, y| {
            let one = t.int(1);
            let compared = t.lcmp(x, y);
            let (greater, less) = (t.eq(compared, one), t.sle(x, y));
            t.and(greater, less)
        },
        sat: false,
    },
    Corner {
        name: "dcmpl(x, y) == -1 && dcmpg(x, y) == 1",
        sort: Sort::F64,
        ask: |t, x, y| {
            let (minus, plus) = (t.int(-1), t.int(1));
            let (l, g) = (t.fcmp(x, y, -1), t.fcmp(x, y, 1));
            let (l, g) = (t.eq(l, minus), t.eq(g, plus));
            t.and(l, g)
        },
        sat: true,
    },
];

/// A wall-clock limit that even a busy machine does not reach: budgets of work decide these tests.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(600);

fn solver(only: Option<Box<dyn Layer>>) -> Solver {
    let limits = SolverLimits { z3_resources: 30_000_000, z3_time: PATIENCE, ..SolverLimits::default() };
    match only {
        Some(layer) => Solver::with_layers(limits, vec![layer]),
        None => Solver::new(limits),
    }
}

#[test]
fn corners() {
    for corner in CORNERS {
        let alone: [(&str, Option<Box<dyn Layer>>); 3] = [
            ("the chain", None),
            ("z3", Some(Box::new(layers::Z3::default()))),
            ("sat", Some(Box::new(layers::Sat))),
        ];
        for (who, layer) in alone {
            let mut terms = Terms::new();
            let (x, y) = (terms.new_variable("x", corner.sort), terms.new_variable("y", corner.sort));
            let assertion = (corner.ask)(&mut terms, x, y);
            let mut solver = solver(layer);
            let answer = solver.solve(&mut terms, &Query { assertions: &[assertion], hint: None });
            assert!(solver.take_internal_errors().is_empty());
            match answer {
                Answer::Sat(model) => {
                    assert!(corner.sat, "{}: {who} found {model:?}", corner.name);
                    assert_eq!(terms.eval(&model, assertion), 1, "{}", corner.name);
                }
                Answer::Unsat { core } => {
                    assert!(!corner.sat && core == [0], "{}: {who} refutes it", corner.name)
                }
                // Float arithmetic is beyond the bit-level layer.
                Answer::Unknown(_) => assert_eq!(who, "sat", "{}", corner.name),
            }
        }
    }
}

#[test]
fn a_query_is_written_and_replayed() {
    let mut terms = Terms::new();
    let (x, c) = (terms.new_variable("x \"quoted\"", Sort::Bv32), terms.new_variable("c", Sort::Bv16));
    let table = terms.new_table(Sort::Bv8, [1, 2, 3, 3, 0xff]);
    let entry = terms.lookup(table, x);
    let three = terms.constant(Sort::Bv8, 3);
    let wide = terms.zext(Sort::Bv32, c);
    let assertions = [terms.eq(entry, three), terms.slt(x, wide)];
    let hint = Model::from_iter([(VarIndex(0), 7)]);
    let text = Query { assertions: &assertions, hint: Some(&hint) }.to_text(&terms);
    let expected = "(var 0 Bv32 \"x \\\"quoted\\\"\")\n(var 1 Bv16 \"c\")\n(table 0 Bv8 1 2 3 3 255)\n\
        (def 0 (lookup b0 v0))\n(def 1 (zext Bv32 v1))\n(def 2 (eq t0 (Bv8 3)))\n(def 3 (slt v0 t1))\n\
        (assert t2)\n(assert t3)\n(hint v0 7)\n(hint v1 0)\n";
    assert_eq!(text, expected);
    let (query, answer, errors) = replay(&text).expect("it is a query");
    assert!(errors.is_empty());
    let Answer::Sat(model) = answer else { panic!("{answer:?}") };
    assert!(matches!(model.get(VarIndex(0)), 2 | 3));
    assert_eq!(query.query().to_text(&query.terms), expected);
    let error = TextQuery::from_text("(var 0 Bv32 \"x\")\n(assert v0)\n").expect_err("x is no truth value");
    assert_eq!(error.to_string(), "line 2: `assert` takes one term of sort Bool");
}

/// A layer that claims that zeros satisfy everything, or that nothing is satisfiable.
struct Liar(bool);

impl Layer for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn solve(&mut self, _: &mut Context<'_>, goal: &Goal, _: &mut LowerLayers<'_>) -> LayerVerdict {
        LayerVerdict::Own(if self.0 {
            Answer::Sat(Model::new())
        } else {
            Answer::Unsat { core: (0..goal.assertions.len()).collect() }
        })
    }
}

#[test]
fn a_lying_layer_is_reported_and_passed_over() {
    for claims_sat in [true, false] {
        let mut terms = Terms::new();
        let x = terms.new_variable("x", Sort::Bv32);
        let five = terms.int(5);
        let assertion = terms.eq(x, five);
        let layers: Vec<Box<dyn Layer>> = vec![Box::new(Liar(claims_sat)), Box::new(layers::Sat)];
        let mut solver = Solver::with_layers(SolverLimits::default(), layers);
        let hint = Model::from_iter([(VarIndex(0), 5)]);
        let answer = solver.solve(&mut terms, &Query { assertions: &[assertion], hint: Some(&hint) });
        assert_eq!(answer, Answer::Sat(hint));
        let errors = solver.take_internal_errors();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].layer, "liar");
        assert!(replay(&errors[0].query).is_ok(), "the report holds a query to replay");
    }
}

#[test]
fn the_answer_keeps_what_it_can_of_the_hint() {
    let mut terms = Terms::new();
    let variables: Vec<TermId> = (0..4).map(|i| terms.new_variable(format!("x{i}"), Sort::Bv32)).collect();
    let hint: Model = (0..4).map(|i| (VarIndex(i), 1000 + u64::from(i))).collect();
    let limit = terms.int(5_000);
    let assertions = [
        terms.slt(variables[0], variables[1]),
        terms.slt(variables[2], variables[3]),
        terms.slt(limit, variables[3]),
    ];
    let answer = Solver::default().solve(&mut terms, &Query { assertions: &assertions, hint: Some(&hint) });
    let Answer::Sat(model) = answer else { panic!("{answer:?}") };
    let values: Vec<u64> = (0..4).map(|i| model.get(VarIndex(i))).collect();
    assert_eq!(values, [1000, 1001, 1002, 5001]);
}

#[test]
fn another_arena_starts_anew() {
    let mut solver = Solver::default();
    for sat in [false, true, false] {
        let mut terms = Terms::new();
        let (x, y) = (terms.new_variable("x", Sort::Bv64), terms.new_variable("y", Sort::Bv64));
        let product = terms.mul(x, y);
        let target = terms.long(if sat { 15 } else { 16 });
        let (odd_x, odd_y) = (terms.truncate(Sort::Bool, x), terms.truncate(Sort::Bool, y));
        let assertions = [odd_x, odd_y, terms.eq(product, target)];
        let answer = solver.solve(&mut terms, &Query { assertions: &assertions, hint: None });
        assert_eq!(matches!(answer, Answer::Sat(_)), sat, "{answer:?}");
    }
}

#[test]
fn the_same_queries_get_the_same_answers() {
    let run = || {
        let mut terms = Terms::new();
        let mut solver = Solver::default();
        let (x, y) = (terms.new_variable("x", Sort::Bv32), terms.new_variable("y", Sort::F64));
        let mut answers = Vec::new();
        for k in 0..40 {
            let (k32, k64) = (terms.int(k * 37), terms.double(f64::from(k) * 0.7));
            let wide = terms.i2d(x);
            let product = terms.fmul(wide, y);
            let square = terms.mul(x, x);
            let assertions = [terms.flt(k64, product), terms.slt(k32, square)];
            answers.push(solver.solve(&mut terms, &Query { assertions: &assertions, hint: None }));
        }
        answers
    };
    assert_eq!(run(), run());
}

/// Products of products that share their factors have more of them than any memory holds. The whole chain and Z3 alone
/// must give up on them instead: with squares next to a float, as in a power by squaring, and with longer and longer
/// products in a loop, which Z3 is asked about although there is no float.
#[test]
fn products_that_grow_beyond_memory_are_given_up() {
    let square = |t: &mut Terms, x: TermId| {
        let mut power = t.d2i(x);
        for _ in 0..40 {
            power = t.mul(power, power);
        }
        let seven = t.int(7);
        let (equal, nan) = (t.eq(power, seven), t.is_nan(x));
        let number = t.not(nan);
        t.and(equal, number)
    };
    let chain = |t: &mut Terms, x: TermId| {
        let (mut a, mut b) = (x, t.new_variable("y", Sort::Bv64));
        for _ in 0..60 {
            let c = t.mul(a, b);
            (a, b) = (b, c);
        }
        let sum = t.add(a, b);
        let number = t.long(0x1234_5678_9abc_def1);
        t.eq(sum, number)
    };
    type Ask<'a> = &'a dyn Fn(&mut Terms, TermId) -> TermId;
    for (sort, ask) in [(Sort::F64, &square as Ask<'_>), (Sort::Bv64, &chain)] {
        for layer in [None, Some(Box::new(layers::Z3::default()) as Box<dyn Layer>)] {
            let mut terms = Terms::without_rewriting();
            let x = terms.new_variable("x", sort);
            let assertion = ask(&mut terms, x);
            let config = SolverLimits {
                z3_resources: 50_000,
                sat_conflicts: 100,
                z3_time: PATIENCE,
                ..SolverLimits::default()
            };
            let mut solver = match layer {
                Some(layer) => Solver::with_layers(config, vec![layer]),
                None => Solver::new(config),
            };
            let answer = solver.solve(&mut terms, &Query { assertions: &[assertion], hint: None });
            assert!(solver.take_internal_errors().is_empty());
            match answer {
                Answer::Sat(model) => assert_eq!(terms.eval(&model, assertion), 1),
                other => assert_eq!(other, Answer::Unknown(cupping_solve::Reason::Timeout)),
            }
        }
    }
}
