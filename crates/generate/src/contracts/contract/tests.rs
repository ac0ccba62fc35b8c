use super::{Answers, Breach, ExpectedResult, Methods, Rule, triples};
use crate::testing::invokable;
use cupping_case::Literal;
use cupping_machine::Value;
use std::rc::Rc;

/// The answers of two objects that keep all contracts and are equal.
fn sound() -> Answers {
    Answers {
        itself: Some(true),
        null: Some(false),
        equal: [Some(true); 2],
        hashes: [Some(31); 2],
        own_order: Some(0),
        order: [Some(0); 2],
        is_text_null: Some(false),
    }
}

/// The rules that the answers of the objects 7 and 8 break, each with the objects that break it.
fn is_broken(answers: &Answers, expected: &[(Rule, &[usize])]) -> bool {
    let found = answers.breaches(7, 8);
    let found: Vec<(Rule, &[usize])> = found.iter().map(|it| (it.rule, it.specimens())).collect();
    found == expected
}

fn confirmed(rule: Rule, results: &[Value]) -> Option<Vec<Literal>> {
    Breach { rule, of: vec![0, 1, 2] }.confirm(results)
}

#[test]
fn sound_answers_break_no_rule() {
    assert!(is_broken(&sound(), &[]));
    let unequal = Answers {
        equal: [Some(false); 2],
        hashes: [Some(31), Some(32)],
        order: [Some(3), Some(-1)],
        ..sound()
    };
    assert!(is_broken(&unequal, &[]), "only the sign of an order counts");
}

#[test]
fn a_method_that_does_not_answer_breaks_no_rule() {
    assert!(is_broken(&Answers::default(), &[]));
    let one_way = Answers { equal: [Some(true), None], order: [None, Some(1)], ..sound() };
    assert!(is_broken(&one_way, &[]));
}

#[test]
fn each_object_alone_keeps_the_rules_that_concern_itself() {
    let answers = Answers { itself: Some(false), ..sound() };
    assert!(is_broken(&answers, &[(Rule::Reflexive, &[7])]));
    assert!(is_broken(&Answers { null: Some(true), ..sound() }, &[(Rule::NotNull, &[7])]));
    assert!(is_broken(&Answers { own_order: Some(-1), ..sound() }, &[(Rule::OwnOrder, &[7])]));
    assert!(is_broken(&Answers { is_text_null: Some(true), ..sound() }, &[(Rule::Text, &[7])]));
}

#[test]
fn the_object_that_equals_the_other_comes_first() {
    let there = Answers { equal: [Some(true), Some(false)], ..sound() };
    assert!(is_broken(&there, &[(Rule::Symmetric, &[7, 8])]));
    let back = Answers { equal: [Some(false), Some(true)], ..sound() };
    assert!(is_broken(&back, &[(Rule::Symmetric, &[8, 7])]));
}

#[test]
fn hash_codes_matter_for_objects_that_equal_each_other() {
    let hashes = [Some(1), Some(2)];
    assert!(is_broken(&Answers { hashes, ..sound() }, &[(Rule::HashCode, &[7, 8])]));
    let one_way = Answers { hashes, equal: [Some(true), Some(false)], ..sound() };
    assert!(is_broken(&one_way, &[(Rule::Symmetric, &[7, 8])]));
}

#[test]
fn swapped_objects_have_the_opposite_order() {
    for (there, back) in [(1, 1), (0, 1), (-5, 0), (i32::MIN, i32::MIN)] {
        let answers = Answers { order: [Some(there), Some(back)], ..sound() };
        assert!(is_broken(&answers, &[(Rule::Order, &[7, 8])]), "{there} {back}");
    }
    let far = Answers { order: [Some(i32::MIN), Some(1)], ..sound() };
    assert!(is_broken(&far, &[]), "the least number has no opposite, but a sign");
}

#[test]
fn results_confirm_a_breach_only_if_they_show_it() {
    let [yes, no] = [true, false].map(Value::boolean);
    let int = Value::int;
    assert_eq!(confirmed(Rule::Reflexive, &[no]), Some(vec![Literal::Boolean(false)]));
    assert_eq!(confirmed(Rule::Reflexive, &[yes]), None);
    assert!(confirmed(Rule::Symmetric, &[yes, no]).is_some());
    assert!(confirmed(Rule::Symmetric, &[no, yes]).is_none(), "the second is not the one that equals");
    assert!(confirmed(Rule::Transitive, &[yes, yes, no]).is_some());
    assert!(confirmed(Rule::Transitive, &[yes, no, no]).is_none());
    assert!(confirmed(Rule::HashCode, &[yes, int(3), int(4)]).is_some());
    assert!(confirmed(Rule::HashCode, &[yes, int(3), int(3)]).is_none());
    assert!(confirmed(Rule::HashCode, &[no, int(3), int(4)]).is_none(), "they are not equal");
    let orders = [1, 2, 0].map(Literal::Int).to_vec();
    assert_eq!(confirmed(Rule::OrderTransitive, &[int(1), int(2), int(0)]), Some(orders));
    assert!(confirmed(Rule::OrderTransitive, &[int(1), int(2), int(3)]).is_none());
    assert_eq!(confirmed(Rule::Order, &[int(1), int(-7)]), None);
    assert_eq!(confirmed(Rule::Text, &[Value::reference(0)]), Some(vec![Literal::Null]));
    assert_eq!(confirmed(Rule::Text, &[Value::reference(64)]), None);
}

#[test]
fn a_breach_of_hash_codes_is_shown_by_two_calls_that_are_compared() {
    let method = |name: &str, descriptor: &str| Rc::new(invokable("p/Box", name, descriptor));
    let methods = Methods {
        equals: Some(method("equals", "(Ljava/lang/Object;)Z")),
        hash_code: method("hashCode", "()I"),
        compare_to: None,
        to_string: None,
    };
    let calls = Breach { rule: Rule::HashCode, of: vec![4, 9] }.calls(&methods);
    let shown: Vec<(&str, &[usize])> =
        calls.iter().map(|it| (&*it.method.reference.name, it.on.as_slice())).collect();
    assert_eq!(shown, [("equals", [0, 1].as_slice()), ("hashCode", &[0]), ("hashCode", &[1])]);
    assert!(matches!(calls[2].expected, ExpectedResult::DiffersFromLast(1)));
    let null = Breach { rule: Rule::NotNull, of: vec![4] }.calls(&methods);
    assert!(matches!(null.as_slice(), [call] if call.takes_null && call.on == [0]));
    let order = Breach { rule: Rule::Order, of: vec![4, 9] };
    assert!(order.calls(&methods).is_empty(), "there is no order");
}

#[test]
fn triples_are_of_three_objects_in_each_order() {
    let all: Vec<_> = triples(3).collect();
    assert_eq!(all, [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]);
    assert_eq!(triples(2).count(), 0);
    assert_eq!(triples(4).count(), 24);
}
