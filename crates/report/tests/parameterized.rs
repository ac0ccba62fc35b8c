//! Tests that differ only in literals, as one parameterized test.

mod support;

use cupping_case::{Action, Case, JavaType, Literal, MethodRef, Suite};
use cupping_report::certify::{Certifier, Stage};
use cupping_report::facts::NoFacts;
use cupping_report::junit::{Framework, JunitClass, parameterized, test_classes};
use support::suites::{case, int, lit, method, suite, text, var};

const RULER: &str = "families/Ruler";

fn named(name: &str, descriptor: &str, parameters: &[&str]) -> MethodRef {
    let parameter_names = parameters.iter().map(|it| (*it).into()).collect();
    MethodRef { parameter_names, ..method(RULER, name, descriptor) }
}

fn larger(left: i32, right: i32, expected: i32) -> Case {
    let method = named("larger", "(II)I", &["left", "right"]);
    let action = Action::InvokeStatic { method, args: vec![int(left), int(right)] };
    case().make("I", action).equals(0, Literal::Int(expected)).build()
}

fn is_even(number: i32, expected: bool) -> Case {
    let method = named("isEven", "(I)Z", &["number"]);
    let action = Action::InvokeStatic { method, args: vec![int(number)] };
    case().make("Z", action).equals(0, Literal::Boolean(expected)).build()
}

fn quoted(of: &str) -> Case {
    let method = named("quoted", "(Ljava/lang/String;)Ljava/lang/String;", &[]);
    let action = Action::InvokeStatic { method, args: vec![lit(text(of))] };
    case().make("Ljava/lang/String;", action).equals(0, text(&format!("\"{of}\""))).build()
}

fn sum(numbers: &[i32], expected: i64) -> Case {
    let elements = numbers.iter().map(|it| int(*it)).collect();
    let action = Action::InvokeStatic { method: named("sum", "([I)J", &["numbers"]), args: vec![var(0)] };
    let made = case().make("[I", Action::NewArray { element: JavaType::Int, elements });
    made.make("J", action).equals(1, Literal::Long(expected)).build()
}

fn checked(name: &str) -> Case {
    let method = named("checked", "(Ljava/lang/String;)I", &["name"]);
    let action = Action::InvokeStatic { method, args: vec![lit(text(name))] };
    case().make("I", action).throws("java/lang/IllegalArgumentException", Some("no name")).build()
}

fn families() -> Vec<Case> {
    let mut cases = vec![
        larger(5, 7, 7),
        larger(7, 5, 7),
        larger(-1, -2, -1),
        larger(3, 3, 3),
        larger(i32::MIN, 0, 0),
        is_even(2, true),
        is_even(3, false),
        is_even(0, true),
        is_even(-1, false),
        is_even(8, true),
        quoted("a, b"),
        quoted("'"),
        quoted(""),
        quoted("\n"),
        quoted("plain"),
        sum(&[], 0),
        sum(&[5], 5),
        sum(&[3, -7], -4),
        sum(&[1, 2, 3], 6),
        sum(&[11, 13], 24),
    ];
    cases.extend(["-", "-a", "--", "-b", "-c"].map(checked));
    // Too few for a family.
    let method = named("checked", "(Ljava/lang/String;)I", &["name"]);
    let action = Action::InvokeStatic { method, args: vec![lit(text("abc"))] };
    cases.push(case().make("I", action).equals(0, Literal::Int(3)).build());
    cases
}

fn folded(suite: &Suite) -> Option<JunitClass> {
    let classes = test_classes(suite, Framework::Junit5, &NoFacts);
    parameterized(&classes[0], suite)
}

/// With the jar of parameterized tests, and the jar that it names in turn.
fn certifier() -> Certifier {
    let mut options = support::certifier_options(Framework::Junit5);
    options.parameterized = true;
    options.beside.push("/usr/share/java/univocity-parsers.jar".into());
    Certifier::start(options).unwrap()
}

#[test]
fn families_are_parameterized_tests_and_pass() {
    let suite = suite(RULER, families(), vec![]);
    let class = folded(&suite).expect("families");
    support::check_file("families/RulerTest.java", &class.source().text);
    assert_eq!(class.methods.iter().map(|it| it.cases().count()).sum::<usize>(), families().len());
    let verdict = certifier().certify(vec![class.clone()]).unwrap();
    assert_eq!(verdict.divergences, []);
    assert_eq!(verdict.classes, [class]);
}

#[test]
fn a_single_wrong_row_fails() {
    let mut cases: Vec<Case> = families().into_iter().take(10).collect();
    cases[3] = larger(3, 3, 4);
    let class = folded(&suite(RULER, cases, vec![])).expect("families");
    let verdict = certifier().certify(vec![class]).unwrap();
    assert_eq!(verdict.divergences.len(), 1, "{:?}", verdict.divergences);
    assert_eq!(verdict.divergences[0].stage, Stage::Run);
    assert!(verdict.divergences[0].detail.contains("expected: <4> but was: <3>"));
}

#[test]
fn tests_outside_families_stay_single() {
    let few: Vec<Case> = families().into_iter().take(4).collect();
    assert!(folded(&suite(RULER, few, vec![])).is_none());
    let mixed = vec![larger(5, 7, 7), is_even(2, true), quoted("a"), sum(&[5], 5), checked("-")];
    assert!(folded(&suite(RULER, mixed, vec![])).is_none());
    let suite = suite(RULER, families(), vec![]);
    let classes = test_classes(&suite, Framework::Junit4, &NoFacts);
    assert!(parameterized(&classes[0], &suite).is_none(), "JUnit 4 has no such tests");
}
