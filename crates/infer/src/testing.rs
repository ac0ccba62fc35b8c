//! Shared by unit tests: executions of a small imaginary class, and random terms and formulas about it.
//!
//! The class has the fields `int x, y; boolean flag; String text; int[] a, b` and the observer `size()`; the method
//! has one parameter `int k` and returns an `int`. Values are few and small, so that random formulas often hold.

use crate::formula::{
    Any, Bits, Class, Comparison, Distinct, ElementComparison, Formula, Frame, Member, Modulus, Not, OneOf,
    Pairwise, Permutation, Prefix, Shape, Sortedness, StringShape, Subset,
};
use crate::term::Term;
use crate::trace::{CallOutcome, Execution, ExecutionOrigin};
use crate::value::{Image, Moment, Object, Value};
use proptest::collection::vec;
use proptest::prelude::*;
use std::rc::Rc;

/// The state of an object of the imagined class.
#[derive(Clone, Debug)]
pub struct ImaginedState {
    pub x: i64,
    pub y: i64,
    pub flag: bool,
    pub text: String,
    pub a: Vec<i64>,
    pub b: Vec<i64>,
}

impl ImaginedState {
    fn moment(&self, k: i64) -> Moment {
        let ints = |all: &[i64]| Object {
            class: "[I".into(),
            fields: Vec::new(),
            elements: Some(all.iter().copied().map(Value::Int).collect()),
            length: Some(all.len()),
        };
        let fields = vec![
            ("x".into(), Value::Int(self.x)),
            ("y".into(), Value::Int(self.y)),
            ("flag".into(), Value::Bool(self.flag)),
            ("text".into(), Value::Text(self.text.clone())),
            ("a".into(), Value::Object(2)),
            ("b".into(), Value::Object(3)),
            ("size()".into(), Value::Int(self.a.len() as i64)),
        ];
        let this = Object { class: "C".into(), fields, elements: None, length: None };
        let objects = [(1, this), (2, ints(&self.a)), (3, ints(&self.b))].into_iter().collect();
        let state = Rc::new(Image { objects });
        Moment { this: Value::Object(1), arguments: vec![Value::Int(k)], state, others: Rc::default() }
    }
}

/// A call that returns, from one state to another.
pub fn execution(before: &ImaginedState, after: &ImaginedState, k: i64, result: i64) -> Execution {
    Execution {
        method: 0,
        entry: before.moment(k),
        exit: after.moment(k),
        ending: CallOutcome::Returned(Value::Int(result)),
        origin: ExecutionOrigin::Suite,
        test: None,
        effects: Default::default(),
    }
}

pub fn states() -> impl Strategy<Value = ImaginedState> {
    let array = || vec(-1i64..3, 0..4);
    let text = prop_oneof![Just(""), Just("7"), Just("ab"), Just(" B")].prop_map(str::to_owned);
    (-1i64..4, -1i64..4, any::<bool>(), text, array(), array(), any::<bool>()).prop_map(
        |(x, y, flag, text, a, b, is_same)| ImaginedState {
            x,
            y,
            flag,
            text,
            b: if is_same { a.clone() } else { b },
            a,
        },
    )
}

pub fn executions() -> impl Strategy<Value = Execution> {
    // Calls that change nothing are as frequent as others.
    (states(), states(), any::<bool>(), -1i64..4, -1i64..4).prop_map(|(before, after, is_kept, k, result)| {
        execution(&before, if is_kept { &before } else { &after }, k, result)
    })
}

pub fn x() -> Term {
    Term::This.field("x")
}

pub fn elements(field: &str) -> Term {
    Term::Elements(Box::new(Term::This.field(field)))
}

pub fn old(term: Term) -> Term {
    Term::Old(Box::new(term))
}

pub fn int(value: i64) -> Term {
    Term::Constant(Value::Int(value))
}

/// Terms that are numbers, read from one place of an execution.
pub fn plain_numbers() -> impl Strategy<Value = Term> {
    prop_oneof![
        Just(x()),
        Just(Term::This.field("y")),
        Just(old(x())),
        Just(Term::Parameter(0, "k".into())),
        Just(Term::Result),
    ]
}

/// Terms that are numbers.
pub fn numbers() -> impl Strategy<Value = Term> {
    let boxed = |it: Term| Box::new(it);
    prop_oneof![
        4 => plain_numbers(),
        1 => (plain_numbers(), -1i64..2).prop_map(|(term, by)| Term::Linear(vec![(1, term)], by)),
        1 => (plain_numbers(), plain_numbers()).prop_map(|(a, b)| Term::Linear(vec![(1, a), (-1, b)], 0)),
        1 => Just(Term::Length(Box::new(Term::This.field("a")))),
        1 => Just(Term::Observer(Box::new(Term::This), "size()".into())),
        1 => (sequences(), -1i64..1).prop_map(move |(seq, by)| Term::At(boxed(seq), boxed(x()), by)),
        1 => sequences().prop_map(move |it| Term::Sum(boxed(it))),
        1 => sequences().prop_map(move |it| Term::Min(boxed(it))),
        1 => sequences().prop_map(move |it| Term::Max(boxed(it))),
        2 => (-2i64..4).prop_map(int),
    ]
}

/// Terms that are sequences.
pub fn sequences() -> BoxedStrategy<Term> {
    let plain = || prop_oneof![Just(elements("a")), Just(elements("b")), Just(old(elements("a")))];
    prop_oneof![
        4 => plain(),
        1 => plain().prop_map(|it| Term::First(Box::new(it), Box::new(x()))),
        1 => plain().prop_map(|it| Term::Rest(Box::new(it), Box::new(x()))),
        1 => (plain(), plain_numbers()).prop_map(|(all, one)| Term::Append(Box::new(all), Box::new(one))),
        1 => (plain(), plain_numbers()).prop_map(|(all, one)| Term::Prepend(Box::new(one), Box::new(all))),
        1 => plain().prop_map(|it| Term::Reverse(Box::new(it))),
    ]
    .boxed()
}

pub fn comparisons() -> impl Strategy<Value = Comparison> {
    prop::sample::select(Comparison::ALL.to_vec())
}

/// Formulas of the kinds that refer to numbers and truth values.
pub fn arithmetic(numbers: fn() -> BoxedStrategy<Term>) -> BoxedStrategy<Formula> {
    let flag = || Term::This.field("flag");
    let leaf = prop_oneof![
        6 => (numbers(), comparisons(), numbers()).prop_map(|(a, how, b)| Formula::compare(a, how, b)),
        2 => any::<bool>().prop_map(move |it| Formula::equal(flag(), Term::Constant(Value::Bool(it)))),
        1 => (numbers(), vec(-1i64..3, 1..3)).prop_map(|(term, values)| {
            OneOf { term, values: values.into_iter().map(Value::Int).collect() }.into()
        }),
        1 => (numbers(), 0i64..2).prop_map(|(term, remainder)| Modulus { term, modulus: 2, remainder }.into()),
        1 => (numbers(), 0i64..2).prop_map(|(term, bits)| Bits { term, mask: 1, bits }.into()),
    ];
    connected(leaf.boxed())
}

/// Formulas of all kinds.
pub fn formulas() -> BoxedStrategy<Formula> {
    let leaf = prop_oneof![
        3 => arithmetic(|| numbers().boxed()),
        4 => about_sequences(),
        1 => prop::sample::select(Shape::ALL.to_vec())
            .prop_map(|shape| StringShape { term: Term::This.field("text"), shape }.into()),
        1 => prop_oneof![Just("C"), Just("D")]
            .prop_map(|class| Class { object: Term::This, class: class.into() }.into()),
    ];
    connected(leaf.boxed())
}

/// Formulas about sequences, without connectives.
pub fn about_sequences() -> BoxedStrategy<Formula> {
    prop_oneof![
        (sequences(), any::<bool>(), any::<bool>()).prop_map(|(elements, is_strict, is_falling)| {
            Sortedness { elements, is_strict, is_falling }.into()
        }),
        sequences().prop_map(|elements| Distinct { elements }.into()),
        (numbers(), sequences()).prop_map(|(element, elements)| Member { element, elements }.into()),
        (sequences(), sequences()).prop_map(|(part, whole)| Subset { part, whole }.into()),
        (sequences(), comparisons(), numbers()).prop_map(|(elements, comparison, value)| ElementComparison {
            elements,
            comparison,
            value
        }
        .into()),
        (sequences(), comparisons(), sequences()).prop_map(|(left, comparison, right)| Pairwise {
            left,
            comparison,
            right
        }
        .into()),
        (sequences(), sequences()).prop_map(|(left, right)| Permutation { left, right }.into()),
        (sequences(), sequences()).prop_map(|(prefix, whole)| Prefix { prefix, whole }.into()),
        plain_numbers()
            .prop_map(|index| { Frame { after: elements("a"), before: old(elements("a")), index }.into() }),
        (sequences(), sequences()).prop_map(|(a, b)| Formula::equal(a, b)),
    ]
    .boxed()
}

/// Formulas made of these by the connectives.
fn connected(leaf: BoxedStrategy<Formula>) -> BoxedStrategy<Formula> {
    leaf.prop_recursive(2, 6, 2, |part| {
        let boxed = |it: Formula| Box::new(it);
        prop_oneof![
            (part.clone(), part.clone()).prop_map(|(a, b)| Formula::implies(a, b)),
            (part.clone(), part.clone()).prop_map(|(a, b)| Formula::iff(a, b)),
            part.clone().prop_map(move |it| Not { negated: boxed(it) }.into()),
            vec(part, 1..3).prop_map(|alternatives| Any { alternatives }.into()),
        ]
    })
    .boxed()
}
