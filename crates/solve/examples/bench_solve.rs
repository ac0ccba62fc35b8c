//! `./x bench solve`: answers the same path conditions with the whole chain and with Z3 alone, in one run.
//!
//! Each family is explored the way a path explorer works: starting from a model, the conditions of a small
//! program are collected, each prefix is queried with its last condition negated, and a new model starts a
//! new path. Usage: `bench_solve [QUERIES PER FAMILY] [PART OF A FAMILY'S NAME]`. Families over doubles get a
//! tenth of the queries, because Z3 alone takes about a second for each.

use std::time::{Duration, Instant};

use cupping_solve::{Answer, Query, Solver, SolverLimits, layers};
use cupping_term::{Evaluator, Model, Sort, TermId, Terms, VarIndex};

/// A program: its inputs, and the conditions that it evaluates under a model.
struct Family {
    name: &'static str,
    inputs: &'static [(Sort, usize)],
    run: fn(&mut Path<'_>, &[TermId]),
}

/// The conditions evaluated so far under the current model.
struct Path<'a> {
    terms: &'a mut Terms,
    evaluator: Evaluator,
    model: &'a Model,
    conditions: Vec<TermId>,
    random: u64,
}

impl Path<'_> {
    /// Returns the side of a branch that the model takes, and extends the path condition.
    fn branch(&mut self, condition: TermId) -> bool {
        let taken = self.evaluator.eval(self.terms, self.model, condition) != 0;
        if self.terms.as_constant(condition).is_none() {
            self.conditions.push(if taken { condition } else { self.terms.not(condition) });
        }
        taken
    }

    fn random(&mut self, bound: u64) -> usize {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.random >> 33) % bound) as usize
    }

    fn equal(&mut self, term: TermId, k: i32) -> bool {
        let k = self.terms.int(k);
        let condition = self.terms.eq(term, k);
        self.branch(condition)
    }

    fn less(&mut self, a: TermId, b: TermId) -> bool {
        let condition = self.terms.slt(a, b);
        self.branch(condition)
    }

    fn less_than(&mut self, a: TermId, k: i32) -> bool {
        let k = self.terms.int(k);
        self.less(a, k)
    }
}

const FAMILIES: &[Family] = &[
    Family { name: "ten comparisons of eight ints", inputs: &[(Sort::Bv32, 8)], run: comparisons },
    Family { name: "a parser of six chars", inputs: &[(Sort::Bv16, 6)], run: parser },
    Family { name: "a search tree of seven keys", inputs: &[(Sort::Bv32, 7)], run: tree },
    Family { name: "sums and remainders of ints", inputs: &[(Sort::Bv32, 3)], run: arithmetic },
    Family { name: "body mass index (doubles)", inputs: &[(Sort::F64, 2)], run: body_mass },
];

/// Random comparisons of variables, sums with constants and constants.
fn comparisons(path: &mut Path<'_>, x: &[TermId]) {
    for _ in 0..10 {
        let (a, b, c) = (x[path.random(8)], x[path.random(8)], path.random(200) as i32 - 100);
        match path.random(3) {
            0 => drop(path.less(a, b)),
            1 => drop(path.less_than(a, c)),
            _ => {
                let k = path.terms.int(c);
                let sum = path.terms.add(a, k);
                path.less(sum, b);
            }
        }
    }
}

/// A sign, digits, and a comparison of the value, as in `Integer.parseInt`.
fn parser(path: &mut Path<'_>, chars: &[TermId]) {
    let mut value = path.terms.int(0);
    for (place, &c) in chars.iter().enumerate() {
        let c = path.terms.zext(Sort::Bv32, c);
        if place == 0 && (path.equal(c, i32::from(b'-')) || path.equal(c, i32::from(b'+'))) {
            continue;
        }
        if path.less_than(c, i32::from(b'0')) || !path.less_than(c, i32::from(b'9') + 1) {
            path.equal(c, i32::from(b'.'));
            return;
        }
        let (ten, zero) = (path.terms.int(10), path.terms.int(-i32::from(b'0')));
        let digit = path.terms.add(c, zero);
        let tens = path.terms.mul(value, ten);
        value = path.terms.add(tens, digit);
    }
    if !path.less_than(value, 1000) {
        path.equal(value, 4711);
    }
}

/// Insertion into a binary search tree.
fn tree(path: &mut Path<'_>, keys: &[TermId]) {
    let mut nodes: Vec<(TermId, Option<usize>, Option<usize>)> = Vec::new();
    for &key in keys {
        let mut at = 0;
        let new = nodes.len();
        while at < nodes.len() {
            let (other, left, right) = nodes[at];
            let next = if path.less(key, other) {
                let next = left;
                nodes[at].1.get_or_insert(new);
                next
            } else if path.less(other, key) {
                let next = right;
                nodes[at].2.get_or_insert(new);
                next
            } else {
                return;
            };
            at = next.unwrap_or(usize::MAX);
        }
        nodes.push((key, None, None));
    }
}

fn arithmetic(path: &mut Path<'_>, x: &[TermId]) {
    let sum = path.terms.add(x[0], x[1]);
    path.less(sum, x[0]);
    let seven = path.terms.int(7);
    let remainder = path.terms.srem(x[2], seven);
    let k = path.random(7) as i32;
    path.equal(remainder, k);
    let (three, mask) = (path.terms.int(3), path.terms.int(0xff0));
    let scaled = path.terms.mul(x[1], three);
    let total = path.terms.add(scaled, x[2]);
    path.less_than(total, 1000);
    let bits = path.terms.and(x[0], mask);
    let k = path.random(16) as i32 * 16;
    path.equal(bits, k);
    path.less(x[2], total);
}

fn body_mass(path: &mut Path<'_>, x: &[TermId]) {
    let zero = path.terms.double(0.0);
    for &input in x {
        let condition = path.terms.fle(input, zero);
        if path.branch(condition) {
            return;
        }
    }
    let square = path.terms.fmul(x[1], x[1]);
    let index = path.terms.fdiv(x[0], square);
    for limit in [18.5, 25.0, 30.0 + path.random(10) as f64] {
        let limit = path.terms.double(limit);
        let condition = path.terms.flt(index, limit);
        if path.branch(condition) {
            return;
        }
    }
}

#[derive(Default)]
struct Tally {
    queries: usize,
    sat: usize,
    unsat: usize,
    unknown: usize,
    chain: Duration,
    alone: Duration,
    slower: usize,
}

fn explore(family: &Family, wanted: usize, chain: &mut Solver, alone: &mut Solver) -> Tally {
    let mut terms = Terms::new();
    let inputs: Vec<TermId> = family
        .inputs
        .iter()
        .flat_map(|&(sort, count)| (0..count).map(move |i| (sort, i)))
        .map(|(sort, i)| terms.new_variable(format!("x{i}"), sort))
        .collect();
    let mut tally = Tally::default();
    let mut models = std::collections::VecDeque::from([Model::new()]);
    let mut round = 0;
    while tally.queries < wanted {
        round += 1;
        let model = models.pop_front().unwrap_or_else(|| scattered(&terms, round));
        let mut path = Path {
            terms: &mut terms,
            evaluator: Evaluator::new(),
            model: &model,
            conditions: Vec::new(),
            random: round * 7919,
        };
        (family.run)(&mut path, &inputs);
        let conditions = path.conditions;
        for length in 1..=conditions.len() {
            let mut assertions = conditions[..length].to_vec();
            assertions[length - 1] = terms.not(assertions[length - 1]);
            let query = Query { assertions: &assertions, hint: Some(&model) };
            let start = Instant::now();
            let answer = chain.solve(&mut terms, &query);
            let chain_time = start.elapsed();
            let start = Instant::now();
            let other = alone.solve(&mut terms, &query);
            let alone_time = start.elapsed();
            tally.queries += 1;
            tally.chain += chain_time;
            tally.alone += alone_time;
            tally.slower += usize::from(chain_time > alone_time);
            match (&answer, &other) {
                (Answer::Sat(_), Answer::Unsat { .. }) | (Answer::Unsat { .. }, Answer::Sat(_)) => {
                    eprintln!("the chain and Z3 disagree on\n{}", query.to_text(&terms));
                    std::process::exit(1);
                }
                (Answer::Sat(found), _) => {
                    tally.sat += 1;
                    if models.len() < 50 {
                        models.push_back(found.clone());
                    }
                }
                (Answer::Unsat { .. }, _) => tally.unsat += 1,
                (Answer::Unknown(_), _) => tally.unknown += 1,
            }
        }
    }
    tally
}

/// A model with large values, for a new start.
fn scattered(terms: &Terms, round: u64) -> Model {
    (0..terms.variable_count())
        .map(|i| {
            let variable = VarIndex(i as u32);
            let value = (round + i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let bits = match terms.variable(variable).sort {
                Sort::F64 => ((value % 2000) as f64 / 10.0).to_bits(),
                sort => (value >> 40) & sort.mask(),
            };
            (variable, bits)
        })
        .collect()
}

fn main() {
    let wanted: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    println!(
        "{:<30} {:>7} {:>6} {:>6} {:>7} {:>10} {:>10} {:>7} {:>7}",
        "family", "queries", "sat", "unsat", "unknown", "chain us", "z3 us", "ratio", "slower"
    );
    let mut stats = cupping_solve::Stats::default();
    let named = std::env::args().nth(2).unwrap_or_default();
    for family in FAMILIES.iter().filter(|family| family.name.contains(&named)) {
        let hard = family.inputs.iter().any(|(sort, _)| sort.is_float());
        let wanted = if hard { wanted / 10 } else { wanted };
        let mut chain = Solver::new(SolverLimits::default());
        let mut alone = Solver::with_layers(SolverLimits::default(), vec![Box::new(layers::Z3::default())]);
        let tally = explore(family, wanted, &mut chain, &mut alone);
        let each = |time: Duration| time.as_secs_f64() * 1e6 / tally.queries as f64;
        println!(
            "{:<30} {:>7} {:>6} {:>6} {:>7} {:>10.1} {:>10.1} {:>7.1} {:>7}",
            family.name,
            tally.queries,
            tally.sat,
            tally.unsat,
            tally.unknown,
            each(tally.chain),
            each(tally.alone),
            tally.alone.as_secs_f64() / tally.chain.as_secs_f64(),
            tally.slower
        );
        for error in chain.take_internal_errors() {
            eprintln!("{error}");
        }
        if std::env::var_os("CUPPING_BENCH_LAYERS").is_some() {
            println!("{}", chain.stats());
        }
        stats.add(&chain.stats());
    }
    println!("\n{stats}");
}
