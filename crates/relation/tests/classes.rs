//! Exactly one instance per isomorphism class, checked by brute force: random formulas over small signatures,
//! all labelled instances, grouped into classes by trying all renamings. Only parsing and evaluation of the
//! formula are shared with the implementation.

use cupping_relation::syntax::{parse_module, parse_scope};
use cupping_relation::{Condition, Garbage, Model, Problem, Scope, States, Structure, Universe, evaluate};
use std::collections::BTreeSet;

/// Declarations with the sizes of A and B, and the multiplicity of each field: exactly one value (`!`), at
/// most one (`?`), any (`*`).
type Shape = (&'static str, [usize; 2], &'static [(&'static str, char)]);

const SHAPES: [Shape; 5] = [
    ("sig A { f: lone A, g: one A }", [3, 0], &[("AA", '?'), ("AA", '!')]),
    ("sig A { e: set A }", [3, 0], &[("AA", '*')]),
    (
        "one sig R { r: lone A } sig A { f: lone A, s: set B } sig B {}",
        [3, 2],
        &[("RA", '?'), ("AA", '?'), ("AB", '*')],
    ),
    ("sig A { f: lone B } sig B { g: lone A }", [2, 3], &[("AB", '?'), ("BA", '?')]),
    (
        "one sig R { r: set A } sig A { f: lone A, h: lone B } sig B { k: lone B }",
        [2, 2],
        &[("RA", '*'), ("AA", '?'), ("AB", '?'), ("BB", '?')],
    ),
];

/// A private generator, so that the formulas are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// A random formula over binary relations on a set, and sets.
fn formula(random: &mut Random, relation: &str, set: &str, depth: usize) -> String {
    if depth > 0 && random.below(2) == 0 {
        let (a, b) = (formula(random, relation, set, depth - 1), formula(random, relation, set, depth - 1));
        return match random.below(4) {
            0 => format!("({a} and {b})"),
            1 => format!("({a} or {b})"),
            2 => format!("not ({a})"),
            _ => format!("({a} implies {b})"),
        };
    }
    let r = random.pick(&["{r}", "~{r}", "^{r}", "*{r}"]).replace("{r}", relation);
    let quantifier = random.pick(&["all", "some", "no", "lone", "one"]);
    let test = random.pick(&["some", "no", "lone", "one"]);
    match random.below(5) {
        0 => format!("{quantifier} x: {set} | {test} x.({r})"),
        1 => format!("{quantifier} x: {set} | x in x.({r})"),
        2 => format!("{quantifier} x, y: {set} | x in y.({r}) and {test} y.({relation})"),
        3 => format!("#{relation} {} {}", random.pick(&["<", ">=", "="]), random.below(4)),
        _ => format!("{test} {set} - {set}.({r})"),
    }
}

#[test]
fn one_instance_of_each_class() {
    let mut random = Random(17);
    for (declarations, [a, b], fields) in SHAPES {
        let relation = if declarations.contains("f: lone A") {
            "f"
        } else if declarations.contains("e: set A") {
            "e"
        } else {
            "(f.g)"
        };
        for _ in 0..6 {
            let text = format!("{declarations} fact {{ {} }}", formula(&mut random, relation, "A", 2));
            check(&text, a, b, fields);
        }
    }
}

fn check(text: &str, a: usize, b: usize, fields: &[(&str, char)]) {
    let mut model = Model::new();
    let module = parse_module(text).expect(text);
    model.read(&module).unwrap_or_else(|error| panic!("{}", error.render("formula", text)));
    let scope = match b {
        0 => format!("exactly {a} A"),
        _ => format!("exactly {a} A, exactly {b} B"),
    };
    let (default, items) = parse_scope(&scope).expect("a scope");
    let scope = Scope::from_items(&model, default, &items).expect("a scope");
    let problem = Problem::new(&model, &scope, &[], Garbage::Kept).expect("a problem");
    let mut universe = Universe::default();
    let mut found: Vec<Structure> = Vec::new();
    for instance in problem {
        universe = (*instance.universe).clone();
        found.push(instance.structure);
    }
    let Some(first) = found.first().cloned().or_else(|| any_structure(text, &scope, &mut universe)) else {
        return;
    };
    let atoms =
        |name: &str| model.find_signature(name).map_or(Vec::new(), |it| first.sigs[it.0 as usize].clone());
    let pools = [atoms("A"), atoms("B")];
    let columns = |of: char| match of {
        'A' => pools[0].clone(),
        'B' => pools[1].clone(),
        _ => atoms("R"),
    };
    let facts: Vec<Condition> = vec![model.condition(&block(text), &[]).expect("the formula")];
    let mut classes = BTreeSet::new();
    labelled(fields, 0, &columns, &mut first.clone(), &mut |structure| {
        let states = States { universe: &universe, now: structure, before: None };
        if facts.iter().all(|it| evaluate(&model, &states, it).expect("evaluation")) {
            classes.insert(canonical(structure, &pools));
        }
    });
    let distinct: BTreeSet<Structure> = found.iter().map(|it| canonical(it, &pools)).collect();
    assert_eq!(distinct.len(), found.len(), "isomorphic instances of {text}");
    assert_eq!(distinct, classes, "classes of {text}");
}

/// Any structure of the declarations alone.
fn any_structure(text: &str, scope: &Scope, universe: &mut Universe) -> Option<Structure> {
    let declarations = text.split("fact").next()?;
    let mut model = Model::new();
    model.read(&parse_module(declarations).ok()?).ok()?;
    let instance = Problem::new(&model, scope, &[], Garbage::Kept).ok()?.next()?;
    *universe = (*instance.universe).clone();
    Some(instance.structure)
}

/// The formula of the fact.
fn block(text: &str) -> cupping_relation::syntax::ast::Expr {
    let start = text.find("fact").map_or(0, |at| at + 4);
    cupping_relation::syntax::parse_expression(&text[start..]).expect("the formula")
}

/// All values of the fields.
fn labelled(
    fields: &[(&str, char)],
    at: usize,
    columns: &dyn Fn(char) -> Vec<u32>,
    structure: &mut Structure,
    visit: &mut dyn FnMut(&Structure),
) {
    let Some((types, mult)) = fields.get(at) else { return visit(structure) };
    let mut types = types.chars();
    let owners = columns(types.next().unwrap_or('A'));
    let values = columns(types.next().unwrap_or('A'));
    let choices: Vec<Vec<u32>> = (0..1_usize << values.len())
        .map(|set| {
            values.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1).map(|(_, it)| *it).collect()
        })
        .filter(|it: &Vec<u32>| match mult {
            '!' => it.len() == 1,
            '?' => it.len() <= 1,
            _ => true,
        })
        .collect();
    let mut digits = vec![0; owners.len()];
    loop {
        structure.fields[at] = owners
            .iter()
            .zip(&digits)
            .flat_map(|(owner, digit)| choices[*digit].iter().map(|value| vec![*owner, *value]))
            .collect();
        labelled(fields, at + 1, columns, structure, visit);
        let mut place = 0;
        while place < digits.len() {
            digits[place] += 1;
            if digits[place] < choices.len() {
                break;
            }
            digits[place] = 0;
            place += 1;
        }
        if place == digits.len() {
            return;
        }
    }
}

/// The least of all renamings.
fn canonical(structure: &Structure, pools: &[Vec<u32>; 2]) -> Structure {
    let mut least: Option<Structure> = None;
    for first in permutations(&pools[0]) {
        for second in permutations(&pools[1]) {
            let rename = |atom: u32| {
                let at = |pool: &[u32]| pool.iter().position(|it| *it == atom);
                match (at(&pools[0]), at(&pools[1])) {
                    (Some(at), _) => first[at],
                    (_, Some(at)) => second[at],
                    _ => atom,
                }
            };
            let mut renamed = structure.clone();
            for tuples in &mut renamed.fields {
                tuples.iter_mut().flatten().for_each(|it| *it = rename(*it));
                tuples.sort_unstable();
            }
            if least.as_ref().is_none_or(|it| renamed < *it) {
                least = Some(renamed);
            }
        }
    }
    least.unwrap_or_default()
}

fn permutations(of: &[u32]) -> Vec<Vec<u32>> {
    let Some((first, rest)) = of.split_first() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for tail in permutations(rest) {
        for at in 0..=tail.len() {
            let mut next = tail.clone();
            next.insert(at, *first);
            all.push(next);
        }
    }
    all
}
