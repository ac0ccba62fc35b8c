//! The contracts, and what objects answer about themselves and each other.
//!
//! Source: the documentation of `Object.equals`, `Object.hashCode`, `Object.toString` and `Comparable.compareTo`.

use super::bench::{Bench, FUEL};
use super::specimen::{Combination, Specimen};
use crate::invokable::{Invokable, Subject};
use cupping_case::{JavaType, Literal, parse_method_descriptor};
use cupping_machine::{ClassId, Machine, MethodId, Value};
use std::rc::Rc;

/// The methods of a class that have contracts, as far as code under test implements them.
pub(super) struct Methods {
    equals: Option<Rc<Invokable>>,
    /// The contract of `Object`, if no nearer one applies.
    hash_code: Rc<Invokable>,
    compare_to: Option<Rc<Invokable>>,
    to_string: Option<Rc<Invokable>>,
}

impl Methods {
    /// `None` if the code under test implements none of them.
    pub fn of(machine: &mut Machine, subject: &Subject) -> Option<Methods> {
        let class = subject.class;
        if machine.class(class).access.is_interface() {
            return None;
        }
        let find = |name: &str, descriptor: &str| {
            let found = machine.find_method(class, name, descriptor)?;
            let method = machine.method(found);
            let is_own = !machine.class(method.class).from_jdk && !method.is_abstract();
            Some((Rc::new(Invokable::new(machine, class, found)?), is_own))
        };
        let own = |found: Option<(Rc<Invokable>, bool)>| found.filter(|(_, is_own)| *is_own).map(|it| it.0);
        let equals = own(find("equals", "(Ljava/lang/Object;)Z"));
        let to_string = own(find("toString", "()Ljava/lang/String;"));
        let (hash_code, _) = find("hashCode", "()I")?;
        let compare_to = compare_to(machine, class);
        (equals.is_some() || to_string.is_some() || compare_to.is_some()).then_some(Methods {
            equals,
            hash_code,
            compare_to,
            to_string,
        })
    }
}

/// The `compareTo` of a comparable class that takes objects of the class itself.
fn compare_to(machine: &mut Machine, class: ClassId) -> Option<Rc<Invokable>> {
    let comparable = machine.load("java/lang/Comparable").ok()?;
    if !machine.is_subtype(class, comparable) {
        return None;
    }
    let above: Vec<ClassId> =
        std::iter::successors(Some(class), |id| machine.class(*id).super_class).collect();
    let methods: Vec<MethodId> =
        above.into_iter().flat_map(|id| machine.class(id).methods.to_vec()).collect();
    for id in methods {
        let method = machine.method(id);
        let is_one = &*method.name == "compareTo"
            && !method.access.is_bridge()
            && !method.is_abstract()
            && !machine.class(method.class).from_jdk;
        let Some((parameters, JavaType::Int)) = parse_method_descriptor(&method.descriptor) else { continue };
        let [JavaType::Class(taken)] = parameters.as_slice() else { continue };
        if is_one && machine.is_named_subtype(class, taken) {
            return Invokable::new(machine, class, id).map(Rc::new);
        }
    }
    None
}

/// The answers of two objects, which may be created by the same calls; `None` where a method is missing or does
/// not return.
#[derive(Default)]
pub(super) struct Answers {
    /// Whether the first equals itself.
    itself: Option<bool>,
    /// Whether the first equals null.
    null: Option<bool>,
    /// Whether the first equals the second, and the other way round.
    equal: [Option<bool>; 2],
    hashes: [Option<i32>; 2],
    /// The first compared with itself.
    own_order: Option<i32>,
    /// The first compared with the second, and the other way round.
    order: [Option<i32>; 2],
    /// Whether the text of the first is null.
    is_text_null: Option<bool>,
}

impl Answers {
    /// Calls the methods in the current state, each call on a fork.
    fn ask(machine: &mut Machine, methods: &Methods, a: Value, b: Value) -> Answers {
        let Methods { equals, hash_code, compare_to, to_string } = methods;
        let hash_code = Some(hash_code.clone());
        let mut ask = |method: &Option<Rc<Invokable>>, arguments: &[Value]| {
            let here = machine.snapshot();
            let class = machine.class_of(arguments[0].as_ref());
            let selected = machine.select(class, method.as_ref()?.method);
            machine.set_fuel(FUEL);
            let answer = machine.call(selected, arguments).ok();
            machine.restore(&here);
            answer
        };
        let truth = |it: Option<Value>| it.map(|it| it.bits & 1 == 1);
        let number = |it: Option<Value>| it.map(|it| it.bits as u32 as i32);
        Answers {
            itself: truth(ask(equals, &[a, a])),
            null: truth(ask(equals, &[a, Value::reference(0)])),
            equal: [truth(ask(equals, &[a, b])), truth(ask(equals, &[b, a]))],
            hashes: [number(ask(&hash_code, &[a])), number(ask(&hash_code, &[b]))],
            own_order: number(ask(compare_to, &[a, a])),
            order: [number(ask(compare_to, &[a, b])), number(ask(compare_to, &[b, a]))],
            is_text_null: ask(to_string, &[a]).map(|it| it.as_ref() == 0),
        }
    }

    /// Rules that these answers break, of those that hold for any pair of objects. `a` and `b` identify the
    /// objects.
    fn breaches(&self, a: usize, b: usize) -> Vec<Breach> {
        let mut found = Vec::new();
        let mut check = |is_broken: bool, rule: Rule, of: &[usize]| {
            if is_broken {
                found.push(Breach { rule, of: of.to_vec() });
            }
        };
        check(self.itself == Some(false), Rule::Reflexive, &[a]);
        check(self.null == Some(true), Rule::NotNull, &[a]);
        check(self.is_text_null == Some(true), Rule::Text, &[a]);
        check(self.own_order.is_some_and(|it| it != 0), Rule::OwnOrder, &[a]);
        if let [Some(there), Some(back)] = self.equal {
            check(there && !back, Rule::Symmetric, &[a, b]);
            check(back && !there, Rule::Symmetric, &[b, a]);
            if let [Some(one), Some(other)] = self.hashes {
                check(there && back && one != other, Rule::HashCode, &[a, b]);
            }
        }
        if let [Some(there), Some(back)] = self.order {
            check(there.signum() != -back.signum(), Rule::Order, &[a, b]);
        }
        found
    }
}

/// A rule of a contract.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    Reflexive,
    NotNull,
    Symmetric,
    Transitive,
    HashCode,
    OwnOrder,
    Order,
    OrderTransitive,
    Text,
}

/// A rule that objects break.
pub(super) struct Breach {
    rule: Rule,
    /// The objects, as indices into the specimens.
    of: Vec<usize>,
}

/// The expected result of a call in a sequence that shows a breach.
#[derive(Clone, Copy)]
pub(super) enum ExpectedResult {
    /// The value that it returns.
    Shown,
    /// A value other than that of the call this many variables earlier.
    DiffersFromLast(usize),
    /// None: a later call is compared with it.
    Nothing,
}

/// A call of a sequence that shows a breach.
pub(super) struct BreachCall {
    pub method: Rc<Invokable>,
    /// The objects involved, as indices into the objects of the breach.
    pub on: Vec<usize>,
    pub takes_null: bool,
    /// The name of the result.
    pub name: &'static str,
    pub expected: ExpectedResult,
}

impl Breach {
    /// The places of the objects among the specimens.
    pub fn specimens(&self) -> &[usize] {
        &self.of
    }

    /// The rule, in words.
    pub fn what(&self) -> &'static str {
        match self.rule {
            Rule::Reflexive => "`equals` is not reflexive: the object does not equal itself",
            Rule::NotNull => "`equals` returns true for null",
            Rule::Symmetric => {
                "`equals` is not symmetric: one object equals the other, but not the other way round"
            }
            Rule::Transitive => "`equals` is not transitive: the first equals the second, and that the third",
            Rule::HashCode => "equal objects have different hash codes",
            Rule::OwnOrder => "`compareTo` does not return 0 for the object itself",
            Rule::Order => "`compareTo` gives the same order for two objects when they are swapped",
            Rule::OrderTransitive => {
                "`compareTo` is not transitive: the first is above the second, and that above the third"
            }
            Rule::Text => "`toString` returns null",
        }
    }

    /// The calls that show the breach, appended to a plan that creates the objects.
    pub fn calls(&self, methods: &Methods) -> Vec<BreachCall> {
        let call = |method: &Option<Rc<Invokable>>, on: &[usize], expected: ExpectedResult| {
            let name = match expected {
                ExpectedResult::Nothing => "hash",
                _ => "shown",
            };
            method.clone().map(|method| BreachCall {
                method,
                on: on.to_vec(),
                takes_null: false,
                name,
                expected,
            })
        };
        let Methods { equals, hash_code, compare_to, to_string } = methods;
        let hash_code = &Some(hash_code.clone());
        let calls = match self.rule {
            Rule::Reflexive => vec![call(equals, &[0, 0], ExpectedResult::Shown)],
            Rule::NotNull => {
                let null = call(equals, &[0], ExpectedResult::Shown);
                vec![null.map(|it| BreachCall { takes_null: true, ..it })]
            }
            Rule::Symmetric => {
                vec![
                    call(equals, &[0, 1], ExpectedResult::Shown),
                    call(equals, &[1, 0], ExpectedResult::Shown),
                ]
            }
            Rule::Transitive => vec![
                call(equals, &[0, 1], ExpectedResult::Shown),
                call(equals, &[1, 2], ExpectedResult::Shown),
                call(equals, &[0, 2], ExpectedResult::Shown),
            ],
            Rule::HashCode => vec![
                call(equals, &[0, 1], ExpectedResult::Shown),
                call(hash_code, &[0], ExpectedResult::Nothing),
                call(hash_code, &[1], ExpectedResult::DiffersFromLast(1)),
            ],
            Rule::OwnOrder => vec![call(compare_to, &[0, 0], ExpectedResult::Shown)],
            Rule::Order => {
                vec![
                    call(compare_to, &[0, 1], ExpectedResult::Shown),
                    call(compare_to, &[1, 0], ExpectedResult::Shown),
                ]
            }
            Rule::OrderTransitive => vec![
                call(compare_to, &[0, 1], ExpectedResult::Shown),
                call(compare_to, &[1, 2], ExpectedResult::Shown),
                call(compare_to, &[0, 2], ExpectedResult::Shown),
            ],
            Rule::Text => vec![call(to_string, &[0], ExpectedResult::Shown)],
        };
        calls.into_iter().flatten().collect()
    }

    /// The results of the calls as literals, if they do break the rule.
    pub fn confirm(&self, results: &[Value]) -> Option<Vec<Literal>> {
        let truth = |at: usize| results[at].bits & 1 == 1;
        let number = |at: usize| results[at].bits as u32 as i32;
        let is_broken = match self.rule {
            Rule::Reflexive => !truth(0),
            Rule::NotNull => truth(0),
            Rule::Symmetric => truth(0) && !truth(1),
            Rule::Transitive => truth(0) && truth(1) && !truth(2),
            Rule::HashCode => truth(0) && number(1) != number(2),
            Rule::OwnOrder => number(0) != 0,
            Rule::Order => number(0).signum() != -number(1).signum(),
            Rule::OrderTransitive => number(0) > 0 && number(1) > 0 && number(2) <= 0,
            Rule::Text => results[0].as_ref() == 0,
        };
        let literal = |at: usize| match self.rule {
            Rule::Text => Literal::Null,
            Rule::OwnOrder | Rule::Order | Rule::OrderTransitive => Literal::Int(number(at)),
            _ => Literal::Boolean(truth(at)),
        };
        is_broken.then(|| (0..results.len()).map(literal).collect())
    }
}

/// The breaches among these objects: of single objects, then of pairs, then of triples.
pub(super) fn breaches(bench: &mut Bench<'_>, methods: &Methods, specimens: &[Specimen]) -> Vec<Breach> {
    let count = specimens.len();
    let mut answers: Vec<Vec<Option<Answers>>> = Vec::new();
    for a in 0..count {
        let row = (0..count).map(|b| {
            // The answers for both directions of a pair. Two objects created by the same calls are a pair too.
            let both =
                (b >= a).then(|| Combination::of(bench.machine, &[&specimens[a], &specimens[b]]))??;
            let objects = both.make(bench)?;
            Some(Answers::ask(bench.machine, methods, *objects.first()?, *objects.last()?))
        });
        answers.push(row.collect());
    }
    let mut found = Vec::new();
    for (a, row) in answers.iter().enumerate() {
        for (b, answers) in row.iter().enumerate() {
            found.extend(answers.iter().flat_map(|it| it.breaches(a, b)));
        }
    }
    let of_pair = |a: usize, b: usize| {
        let (row, column, way) = if a <= b { (a, b, 0) } else { (b, a, 1) };
        answers[row][column].as_ref().map(|it| (it.equal[way], it.order[way]))
    };
    let three = |a: usize, b: usize, c: usize| Some([of_pair(a, b)?, of_pair(b, c)?, of_pair(a, c)?]);
    for (a, b, c) in triples(count) {
        let Some([(equal_ab, order_ab), (equal_bc, order_bc), (equal_ac, order_ac)]) = three(a, b, c) else {
            continue;
        };
        let of = || vec![a, b, c];
        if equal_ab == Some(true) && equal_bc == Some(true) && equal_ac == Some(false) {
            found.push(Breach { rule: Rule::Transitive, of: of() });
        }
        let is_above = |it: Option<i32>| it.is_some_and(|it| it > 0);
        if is_above(order_ab) && is_above(order_bc) && order_ac.is_some_and(|it| it <= 0) {
            found.push(Breach { rule: Rule::OrderTransitive, of: of() });
        }
    }
    found
}

/// All ordered triples of distinct indices below a bound.
fn triples(count: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let pairs = move |a: usize| (0..count).flat_map(move |b| (0..count).map(move |c| (a, b, c)));
    (0..count).flat_map(pairs).filter(|(a, b, c)| a != b && b != c && a != c)
}

#[cfg(test)]
mod tests;
