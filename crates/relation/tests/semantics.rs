//! The meaning of formulas, checked against sets: random typed formulas are evaluated by the crate, from their text,
//! and by an evaluator here that works on sets of atoms and pairs. The two share no code.

use cupping_relation::syntax::{parse_expression, parse_module, parse_scope};
use cupping_relation::{Garbage, Model, Problem, Scope, States, Structure, Universe, evaluate};
use std::collections::BTreeSet;

const DECLARATIONS: &str = "sig A { f: set A, g: set B } sig B { h: set A, k: set B }";

/// A signature: `A` with three atoms or `B` with two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    A,
    B,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Sort::A => "A",
            Sort::B => "B",
        }
    }

    fn field_to(self, other: Sort) -> usize {
        match (self, other) {
            (Sort::A, Sort::A) => 0,
            (Sort::A, Sort::B) => 1,
            (Sort::B, Sort::A) => 2,
            (Sort::B, Sort::B) => 3,
        }
    }
}

const FIELDS: [&str; 4] = ["f", "g", "h", "k"];

type Atoms = BTreeSet<u32>;
type Pairs = BTreeSet<(u32, u32)>;

/// A set of atoms of one sort.
#[derive(Clone, Debug)]
enum Set {
    All(Sort),
    /// The variable at this depth of quantifiers.
    Variable(usize),
    Image(Box<Set>, Box<Relation>),
    Operation(char, Box<Set>, Box<Set>),
    Comprehension(usize, Box<Set>, Box<Formula>),
}

/// A set of pairs.
#[derive(Clone, Debug)]
enum Relation {
    Field(usize),
    Transpose(Box<Relation>),
    Closure(Box<Relation>),
    /// With the sort to which it is restricted.
    Reflexive(Sort, Box<Relation>),
    Operation(&'static str, Box<Relation>, Box<Relation>),
    Domain(Box<Set>, Box<Relation>),
    Range(Box<Relation>, Box<Set>),
    Product(Box<Set>, Box<Set>),
    Join(Box<Relation>, Box<Relation>),
}

/// A formula.
#[derive(Clone, Debug)]
enum Formula {
    Compare(&'static str, Set, Set),
    CompareRelations(&'static str, Relation, Relation),
    Test(&'static str, Set),
    Count(&'static str, Set, Set),
    CountTo(&'static str, Set, i64),
    Not(Box<Formula>),
    Connect(&'static str, Box<Formula>, Box<Formula>),
    /// The quantifier, the depth of its variable, the bound and the body.
    Quantified(&'static str, usize, Set, Box<Formula>),
    /// Two different atoms.
    Disjoint(&'static str, usize, Set, Box<Formula>),
}

/// A private generator, so that the formulas are the same on every machine.
struct Random {
    state: u64,
    /// The sorts of the variables in scope.
    scope: Vec<Sort>,
}

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.state >> 33) % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn sort(&mut self) -> Sort {
        self.pick(&[Sort::A, Sort::B])
    }

    fn set(&mut self, sort: Sort, depth: usize) -> Set {
        let variables: Vec<usize> = (0..self.scope.len()).filter(|at| self.scope[*at] == sort).collect();
        if depth == 0 || self.below(4) == 0 {
            if !variables.is_empty() && self.below(3) > 0 {
                return Set::Variable(self.pick(&variables));
            }
            return Set::All(sort);
        }
        match self.below(5) {
            0 | 1 => {
                let from = self.sort();
                Set::Image(
                    Box::new(self.set(from, depth - 1)),
                    Box::new(self.relation(from, sort, depth - 1)),
                )
            }
            2 | 3 => {
                let operator = self.pick(&['+', '-', '&']);
                Set::Operation(
                    operator,
                    Box::new(self.set(sort, depth - 1)),
                    Box::new(self.set(sort, depth - 1)),
                )
            }
            _ => {
                let bound = self.set(sort, depth - 1);
                let at = self.scope.len();
                self.scope.push(sort);
                let body = self.formula(depth - 1);
                self.scope.pop();
                Set::Comprehension(at, Box::new(bound), Box::new(body))
            }
        }
    }

    fn relation(&mut self, from: Sort, to: Sort, depth: usize) -> Relation {
        let field = Relation::Field(from.field_to(to));
        if depth == 0 {
            return field;
        }
        let next = depth - 1;
        match self.below(9) {
            0 => Relation::Transpose(Box::new(self.relation(to, from, next))),
            1 if from == to => Relation::Closure(Box::new(self.relation(from, to, next))),
            2 if from == to => Relation::Reflexive(from, Box::new(self.relation(from, to, next))),
            3 | 4 => {
                let operator = self.pick(&["+", "-", "&", "++"]);
                let left = self.relation(from, to, next);
                Relation::Operation(operator, Box::new(left), Box::new(self.relation(from, to, next)))
            }
            5 => Relation::Domain(Box::new(self.set(from, next)), Box::new(self.relation(from, to, next))),
            6 => Relation::Range(Box::new(self.relation(from, to, next)), Box::new(self.set(to, next))),
            7 => Relation::Product(Box::new(self.set(from, next)), Box::new(self.set(to, next))),
            8 => {
                let middle = self.sort();
                let left = self.relation(from, middle, next);
                Relation::Join(Box::new(left), Box::new(self.relation(middle, to, next)))
            }
            _ => field,
        }
    }

    fn formula(&mut self, depth: usize) -> Formula {
        let sort = self.sort();
        let next = depth.saturating_sub(1);
        if depth == 0 {
            return match self.below(3) {
                0 => Formula::Test(self.pick(&["some", "no", "lone", "one"]), self.set(sort, 1)),
                1 => Formula::Compare(self.pick(&["in", "=", "!="]), self.set(sort, 1), self.set(sort, 1)),
                _ => Formula::CountTo(self.pick(&["<", ">=", "="]), self.set(sort, 1), self.below(4) as i64),
            };
        }
        match self.below(9) {
            0 => {
                Formula::Compare(self.pick(&["in", "=", "!="]), self.set(sort, depth), self.set(sort, depth))
            }
            1 => {
                let to = self.sort();
                let (left, right) = (self.relation(sort, to, depth), self.relation(sort, to, depth));
                Formula::CompareRelations(self.pick(&["in", "=", "!="]), left, right)
            }
            2 => {
                let other = self.sort();
                Formula::Count(
                    self.pick(&["<", "<=", ">", ">=", "="]),
                    self.set(sort, depth),
                    self.set(other, depth),
                )
            }
            3 => Formula::Not(Box::new(self.formula(next))),
            4 | 5 => Formula::Connect(
                self.pick(&["and", "or", "implies", "iff"]),
                Box::new(self.formula(next)),
                Box::new(self.formula(next)),
            ),
            kind => {
                let quantifier = self.pick(&["all", "some", "no", "lone", "one"]);
                let bound = self.set(sort, next);
                let at = self.scope.len();
                let count = if kind == 8 { 2 } else { 1 };
                self.scope.extend(vec![sort; count]);
                let body = Box::new(self.formula(next));
                self.scope.truncate(at);
                match count {
                    1 => Formula::Quantified(quantifier, at, bound, body),
                    _ => Formula::Disjoint(quantifier, at, bound, body),
                }
            }
        }
    }
}

impl Set {
    fn text(&self) -> String {
        match self {
            Set::All(sort) => sort.name().to_owned(),
            Set::Variable(at) => format!("x{at}"),
            Set::Image(set, relation) => format!("({}.{})", set.text(), relation.text()),
            Set::Operation(operator, left, right) => format!("({} {operator} {})", left.text(), right.text()),
            Set::Comprehension(at, bound, body) => {
                format!("{{x{at}: {} | {}}}", bound.text(), body.text())
            }
        }
    }

    fn value(&self, world: &World) -> Atoms {
        match self {
            Set::All(sort) => world.atoms[*sort as usize].clone(),
            Set::Variable(at) => Atoms::from([world.variables[*at]]),
            Set::Image(set, relation) => {
                let from = set.value(world);
                relation.value(world).into_iter().filter(|it| from.contains(&it.0)).map(|it| it.1).collect()
            }
            Set::Operation(operator, left, right) => {
                let (left, right) = (left.value(world), right.value(world));
                match operator {
                    '+' => &left | &right,
                    '-' => &left - &right,
                    _ => &left & &right,
                }
            }
            Set::Comprehension(at, bound, body) => {
                bound.value(world).into_iter().filter(|it| body.holds(&world.with(*at, *it))).collect()
            }
        }
    }
}

impl Relation {
    fn text(&self) -> String {
        match self {
            Relation::Field(at) => FIELDS[*at].to_owned(),
            Relation::Transpose(of) => format!("~{}", of.text()),
            Relation::Closure(of) => format!("^{}", of.text()),
            Relation::Reflexive(sort, of) => format!("({} <: *{})", sort.name(), of.text()),
            Relation::Operation(operator, left, right) => {
                format!("({} {operator} {})", left.text(), right.text())
            }
            Relation::Domain(set, of) => format!("({} <: {})", set.text(), of.text()),
            Relation::Range(of, set) => format!("({} :> {})", of.text(), set.text()),
            Relation::Product(left, right) => format!("({} -> {})", left.text(), right.text()),
            Relation::Join(left, right) => format!("({}.{})", left.text(), right.text()),
        }
    }

    fn value(&self, world: &World) -> Pairs {
        match self {
            Relation::Field(at) => world.fields[*at].clone(),
            Relation::Transpose(of) => of.value(world).into_iter().map(|(a, b)| (b, a)).collect(),
            Relation::Closure(of) => closure(of.value(world)),
            Relation::Reflexive(sort, of) => {
                let identity = world.atoms[*sort as usize].iter().map(|it| (*it, *it));
                closure(of.value(world)).into_iter().chain(identity).collect()
            }
            Relation::Operation(operator, left, right) => {
                let (left, right) = (left.value(world), right.value(world));
                match *operator {
                    "+" => &left | &right,
                    "-" => &left - &right,
                    "&" => &left & &right,
                    _ => {
                        let kept = left.into_iter().filter(|it| right.iter().all(|other| other.0 != it.0));
                        kept.chain(right.iter().copied()).collect()
                    }
                }
            }
            Relation::Domain(set, of) => {
                let set = set.value(world);
                of.value(world).into_iter().filter(|it| set.contains(&it.0)).collect()
            }
            Relation::Range(of, set) => {
                let set = set.value(world);
                of.value(world).into_iter().filter(|it| set.contains(&it.1)).collect()
            }
            Relation::Product(left, right) => {
                let right = right.value(world);
                left.value(world).into_iter().flat_map(|a| right.iter().map(move |b| (a, *b))).collect()
            }
            Relation::Join(left, right) => join(&left.value(world), &right.value(world)),
        }
    }
}

fn join(left: &Pairs, right: &Pairs) -> Pairs {
    let of = |(a, b): &(u32, u32)| {
        let (a, b) = (*a, *b);
        right.iter().filter(move |it| it.0 == b).map(move |it| (a, it.1))
    };
    left.iter().flat_map(of).collect()
}

fn closure(of: Pairs) -> Pairs {
    let next = &of | &join(&of, &of);
    if next == of { of } else { closure(next) }
}

impl Formula {
    fn text(&self) -> String {
        match self {
            Formula::Compare(operator, left, right) => {
                format!("({} {operator} {})", left.text(), right.text())
            }
            Formula::CompareRelations(operator, left, right) => {
                format!("({} {operator} {})", left.text(), right.text())
            }
            Formula::Test(test, set) => format!("({test} {})", set.text()),
            Formula::Count(operator, left, right) => {
                format!("(#{} {operator} #{})", left.text(), right.text())
            }
            Formula::CountTo(operator, set, number) => format!("(#{} {operator} {number})", set.text()),
            Formula::Not(of) => format!("(not {})", of.text()),
            Formula::Connect(operator, left, right) => {
                format!("({} {operator} {})", left.text(), right.text())
            }
            Formula::Quantified(quantifier, at, bound, body) => {
                format!("({quantifier} x{at}: {} | {})", bound.text(), body.text())
            }
            Formula::Disjoint(quantifier, at, bound, body) => {
                format!("({quantifier} disj x{at}, x{}: {} | {})", at + 1, bound.text(), body.text())
            }
        }
    }

    fn holds(&self, world: &World) -> bool {
        match self {
            Formula::Compare(operator, left, right) => {
                let (left, right) = (left.value(world), right.value(world));
                compare(operator, left.is_subset(&right), left == right)
            }
            Formula::CompareRelations(operator, left, right) => {
                let (left, right) = (left.value(world), right.value(world));
                compare(operator, left.is_subset(&right), left == right)
            }
            Formula::Test(test, set) => is_count(test, set.value(world).len()),
            Formula::Count(operator, left, right) => {
                order(operator, left.value(world).len() as i64, right.value(world).len() as i64)
            }
            Formula::CountTo(operator, set, number) => {
                order(operator, set.value(world).len() as i64, *number)
            }
            Formula::Not(of) => !of.holds(world),
            Formula::Connect(operator, left, right) => {
                let (left, right) = (left.holds(world), right.holds(world));
                match *operator {
                    "and" => left && right,
                    "or" => left || right,
                    "implies" => !left || right,
                    _ => left == right,
                }
            }
            Formula::Quantified(quantifier, at, bound, body) => {
                let all = bound.value(world);
                let holding = all.iter().filter(|it| body.holds(&world.with(*at, **it))).count();
                if *quantifier == "all" { holding == all.len() } else { is_count(quantifier, holding) }
            }
            Formula::Disjoint(quantifier, at, bound, body) => {
                let all: Vec<u32> = bound.value(world).into_iter().collect();
                let pairs: Vec<(u32, u32)> =
                    all.iter().flat_map(|a| all.iter().map(|b| (*a, *b))).filter(|(a, b)| a != b).collect();
                let holds = |(a, b): &&(u32, u32)| body.holds(&world.with(*at, *a).with(at + 1, *b));
                let holding = pairs.iter().filter(holds).count();
                if *quantifier == "all" { holding == pairs.len() } else { is_count(quantifier, holding) }
            }
        }
    }
}

fn compare(operator: &str, is_subset: bool, is_equal: bool) -> bool {
    match operator {
        "in" => is_subset,
        "=" => is_equal,
        _ => !is_equal,
    }
}

fn order(operator: &str, left: i64, right: i64) -> bool {
    match operator {
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        _ => left == right,
    }
}

fn is_count(test: &str, count: usize) -> bool {
    match test {
        "some" => count > 0,
        "no" => count == 0,
        "lone" => count <= 1,
        _ => count == 1,
    }
}

/// The values of signatures, fields and variables.
#[derive(Clone, Debug)]
struct World {
    atoms: [Atoms; 2],
    fields: [Pairs; 4],
    variables: Vec<u32>,
}

impl World {
    fn with(&self, at: usize, value: u32) -> World {
        let mut world = self.clone();
        world.variables.truncate(at);
        world.variables.push(value);
        world
    }
}

/// The atoms of the model: three of `A`, two of `B`.
fn atoms(model: &Model) -> (Universe, Structure) {
    let (default, items) = parse_scope("exactly 3 A, exactly 2 B").expect("a scope");
    let scope = Scope::from_items(model, default, &items).expect("a scope");
    let mut problem = Problem::new(model, &scope, &[], Garbage::Kept).expect("a problem");
    let instance = problem.next().expect("an instance");
    ((*instance.universe).clone(), instance.structure)
}

#[test]
fn formulas_mean_what_sets_say() {
    let mut model = Model::new();
    model.read(&parse_module(DECLARATIONS).expect("declarations")).expect("declarations");
    let (universe, first) = atoms(&model);
    let of = |name: &str| -> Atoms {
        let signature = model.find_signature(name).expect(name);
        first.sigs[signature.0 as usize].iter().copied().collect()
    };
    let sorts = [of("A"), of("B")];
    let mut random = Random { state: 23, scope: Vec::new() };
    let mut outcomes = [0, 0];
    for _ in 0..4_000 {
        let formula = random.formula(3);
        let text = formula.text();
        let parsed =
            parse_expression(&text).unwrap_or_else(|error| panic!("{}", error.render("formula", &text)));
        let condition = match model.condition(&parsed, &[]) {
            Ok(condition) => condition,
            Err(error) => panic!("{}", error.render("formula", &text)),
        };
        for _ in 0..3 {
            let ends = [(0, 0), (0, 1), (1, 0), (1, 1)];
            let mut pairs = |(from, to): (usize, usize)| -> Pairs {
                let all = sorts[from].iter().flat_map(|a| sorts[to].iter().map(|b| (*a, *b)));
                all.filter(|_| random.below(3) == 0).collect()
            };
            let fields = ends.map(&mut pairs);
            let mut structure = first.clone();
            for (tuples, field) in structure.fields.iter_mut().zip(&fields) {
                *tuples = field.iter().map(|(a, b)| vec![*a, *b]).collect();
            }
            let world = World { atoms: sorts.clone(), fields, variables: Vec::new() };
            let states = States { universe: &universe, now: &structure, before: None };
            let expected = formula.holds(&world);
            let holds = evaluate(&model, &states, &condition).expect(&text);
            assert_eq!(holds, expected, "{text}\nin {world:?}");
            outcomes[usize::from(holds)] += 1;
        }
    }
    // Random formulas are useless if nearly all of them are constant.
    assert!(outcomes.iter().all(|count| *count > 2_000), "{outcomes:?}");
}
