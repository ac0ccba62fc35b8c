use super::{VersionEnd, differ, differ_in_end, is_of_resources, is_same_probe};
use cupping_case::{
    Expectation, ExpectedValue, FieldRef, JavaType, Literal, Member, MethodRef, Operand, Probe, VarId,
};

fn threw(class: &str, message: Option<&str>) -> VersionEnd {
    let message = message.map(|text| text.encode_utf16().collect());
    VersionEnd::Threw { class: class.into(), message }
}

fn number(number: i32) -> ExpectedValue {
    ExpectedValue::Literal(Literal::Int(number))
}

fn list(numbers: &[i32]) -> ExpectedValue {
    ExpectedValue::List(numbers.iter().copied().map(number).collect())
}

fn set(all: Vec<ExpectedValue>) -> ExpectedValue {
    ExpectedValue::Set(all)
}

fn are_different(one: ExpectedValue, other: ExpectedValue) -> bool {
    differ(&Expectation::EqualsValue(one), &Expectation::EqualsValue(other))
}

fn method(name: &str) -> MethodRef {
    MethodRef {
        class: "p/Box".into(),
        name: name.into(),
        descriptor: "(I)I".into(),
        varargs: false,
        throws: Vec::new(),
        parameter_names: Vec::new(),
    }
}

fn observer(method: MethodRef, argument: i32) -> Probe {
    let arguments = vec![Operand::Literal(Literal::Int(argument))];
    Probe::Observer { receiver: VarId(0), method, arguments }
}

fn chain(members: Vec<Member>) -> Probe {
    Probe::Chain { of: Some(VarId(0)), members }
}

#[test]
fn ends_differ_by_their_kind_and_by_the_class_of_the_exception() {
    let illegal = || threw("java/lang/IllegalStateException", None);
    assert!(!differ_in_end(&VersionEnd::Returned, &VersionEnd::Returned));
    assert!(!differ_in_end(&illegal(), &illegal()));
    assert!(differ_in_end(&VersionEnd::Returned, &VersionEnd::Endless));
    assert!(differ_in_end(&VersionEnd::Returned, &illegal()));
    assert!(differ_in_end(&illegal(), &threw("java/lang/NullPointerException", None)));
}

#[test]
fn messages_are_compared_if_the_code_composed_both() {
    let with = |message| threw("java/lang/IllegalStateException", message);
    assert!(differ_in_end(&with(Some("open")), &with(Some("shut"))));
    assert!(!differ_in_end(&with(Some("open")), &with(Some("open"))));
    assert!(!differ_in_end(&with(Some("open")), &with(None)));
    assert!(!differ_in_end(&with(None), &with(Some("open"))));
}

#[test]
fn lack_of_stack_or_memory_says_nothing_of_the_code() {
    assert!(is_of_resources(&threw("java/lang/StackOverflowError", None)));
    assert!(is_of_resources(&threw("java/lang/OutOfMemoryError", Some("Java heap space"))));
    assert!(!is_of_resources(&threw("java/lang/AssertionError", None)));
    assert!(!is_of_resources(&VersionEnd::Endless));
}

#[test]
fn numbers_differ_as_a_test_compares_them() {
    let differ = |one, other| differ(&Expectation::Equals(one), &Expectation::Equals(other));
    assert!(differ(Literal::Int(1), Literal::Int(2)));
    assert!(!differ(Literal::Int(1), Literal::Int(1)));
    assert!(!differ(Literal::Double(f64::NAN), Literal::Double(f64::NAN)));
    assert!(differ(Literal::Double(0.0), Literal::Double(-0.0)));
}

#[test]
fn null_differs_from_any_object() {
    let null = Expectation::Equals(Literal::Null);
    for object in [
        Expectation::NotNull,
        Expectation::EqualsValue(list(&[])),
        Expectation::ArrayEquals(Vec::new()),
        Expectation::InstanceOf("p/Box".into()),
    ] {
        assert!(differ(&null, &object) && differ(&object, &null), "{object:?}");
    }
    assert!(!differ(&null, &null));
}

#[test]
fn what_is_expressed_in_another_way_is_no_difference() {
    let value = Expectation::EqualsValue(list(&[1]));
    assert!(!differ(&value, &Expectation::NotNull));
    assert!(!differ(&Expectation::InstanceOf("p/Box".into()), &Expectation::InstanceOf("p/Lid".into())));
    assert!(!differ(&value, &Expectation::ArrayEquals(vec![Literal::Int(1)])));
}

#[test]
fn sets_and_maps_have_no_order_and_lists_have_one() {
    assert!(!are_different(set(vec![number(1), number(2)]), set(vec![number(2), number(1)])));
    assert!(are_different(set(vec![number(1)]), set(vec![number(1), number(2)])));
    assert!(are_different(list(&[1, 2]), list(&[2, 1])));
    assert!(are_different(list(&[1]), set(vec![number(1)])));
    let map = |keys: [i32; 2]| ExpectedValue::Map(keys.map(|it| (number(it), number(10 * it))).to_vec());
    assert!(!are_different(map([1, 2]), map([2, 1])));
    assert!(are_different(map([1, 2]), map([1, 3])));
    let swapped = ExpectedValue::Map(vec![(number(1), number(20)), (number(2), number(10))]);
    assert!(are_different(map([1, 2]), swapped), "the same keys and values, in other pairs");
}

#[test]
fn a_set_has_no_order_within_other_values_either() {
    let within = |all: Vec<ExpectedValue>| {
        let element = JavaType::class("java/util/Set");
        let array = ExpectedValue::Array { element, elements: vec![set(all)] };
        ExpectedValue::Call { method: method("of"), args: vec![array] }
    };
    let (one, two) = (|| vec![number(1), number(2)], || vec![number(2), number(1)]);
    assert!(!are_different(within(one()), within(two())));
    assert!(are_different(within(one()), within(vec![number(1)])));
}

#[test]
fn an_observer_is_the_same_if_its_declaration_changes_in_nothing_that_a_call_shows() {
    let renamed = MethodRef {
        varargs: true,
        throws: vec!["java/io/IOException".into()],
        parameter_names: vec!["index".into()],
        ..method("get")
    };
    assert!(is_same_probe(&observer(method("get"), 1), &observer(renamed.clone(), 1)));
    assert!(!is_same_probe(&observer(method("get"), 1), &observer(method("get"), 2)));
    assert!(!is_same_probe(&observer(method("get"), 1), &observer(method("peek"), 1)));
    let link = |method| Member::Method { method, arguments: Vec::new() };
    assert!(is_same_probe(&chain(vec![link(method("get"))]), &chain(vec![link(renamed)])));
}

#[test]
fn chains_have_the_same_members_in_the_same_number() {
    let field =
        |name: &str| Member::Field(FieldRef { class: "p/Box".into(), name: name.into(), ty: JavaType::Int });
    let lid = || chain(vec![field("lid")]);
    assert!(is_same_probe(&lid(), &lid()));
    assert!(!is_same_probe(&lid(), &chain(vec![field("size")])));
    assert!(!is_same_probe(&lid(), &chain(vec![field("lid"), field("size")])));
    assert!(!is_same_probe(&lid(), &Probe::Chain { of: None, members: vec![field("lid")] }));
}

#[test]
fn private_state_is_never_compared() {
    let state = Probe::State { of: VarId(0), fields: vec!["size".into()] };
    assert!(!is_same_probe(&state, &state.clone()));
    assert!(is_same_probe(&Probe::Printed, &Probe::Printed));
    assert!(!is_same_probe(&Probe::Var(VarId(0)), &Probe::Var(VarId(1))));
}
