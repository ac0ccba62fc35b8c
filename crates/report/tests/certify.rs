//! The certifier keeps tests that hold, drops those that do not, and survives what tests do to a JVM.

mod support;

use cupping_case::{Action, Case, Literal};
use cupping_report::certify::{Certifier, CertifierOptions, Divergence, JarSources, Stage};
use cupping_report::facts::NoFacts;
use cupping_report::junit::{Framework, test_classes};
use std::path::Path;
use support::suites::{case, int, lit, method, suite};

const ROUGH: &str = "rough/Rough";

fn call(name: &str, descriptor: &str, result: &str, expected: Literal) -> Case {
    let action = Action::InvokeStatic { method: method(ROUGH, name, descriptor), args: vec![] };
    if result == "V" {
        case().run(action).build()
    } else {
        case().make(result, action).equals(0, expected).build()
    }
}

/// Names of the tests kept, and what was dropped.
fn certify(cases: Vec<Case>) -> (Vec<String>, Vec<Divergence>) {
    let classes = test_classes(&suite(ROUGH, cases, vec![]), Framework::Junit5, &NoFacts);
    let mut certifier = support::certifier(Framework::Junit5);
    let verdict = certifier.certify(classes).unwrap();
    let kept = verdict.classes.into_iter().flat_map(|class| class.methods).map(|method| method.name);
    (kept.collect(), verdict.divergences)
}

fn one() -> Case {
    call("one", "()I", "I", Literal::Int(1))
}

fn check_dropped(bad: Case, stage: Stage, detail: &str) {
    let (kept, divergences) = certify(vec![one(), bad]);
    assert_eq!(kept, ["one_returns1"]);
    assert_eq!(divergences.len(), 1, "{divergences:?}");
    assert_eq!(divergences[0].stage, stage);
    assert_eq!(divergences[0].class, "rough.RoughTest");
    assert!(divergences[0].detail.contains(detail), "{divergences:?}");
}

#[test]
fn tests_that_do_not_compile_are_dropped() {
    check_dropped(call("missing", "()I", "I", Literal::Int(1)), Stage::Compile, "cannot find symbol");
}

#[test]
fn an_import_that_does_not_exist_costs_only_its_users() {
    let action = Action::InvokeStatic { method: method("no/Such", "one", "()V"), args: vec![] };
    check_dropped(case().run(action).build(), Stage::Compile, "package no does not exist");
}

#[test]
fn failing_tests_are_dropped() {
    check_dropped(call("one", "()I", "I", Literal::Int(2)), Stage::Run, "expected: <2> but was: <1>");
}

#[test]
fn tests_with_varying_results_are_dropped() {
    check_dropped(call("first", "()Z", "Z", Literal::Boolean(true)), Stage::Unstable, "expected: <true>");
}

#[test]
fn tests_that_lean_on_each_other_are_not_both_kept() {
    let calls = |expected| call("calls", "()I", "I", Literal::Int(expected));
    let (kept, divergences) = certify(vec![calls(1), calls(2), calls(3), calls(1).clone(), one()]);
    assert_eq!(kept, ["calls_returns1", "one_returns1"]);
    assert_eq!(divergences.len(), 3);
}

#[test]
fn a_test_that_disturbs_several_others_is_dropped_for_them() {
    let fits = |size| {
        let action = Action::InvokeStatic { method: method(ROUGH, "fits", "(I)Z"), args: vec![int(size)] };
        case().make("Z", action).equals(0, Literal::Boolean(true)).build()
    };
    let (kept, divergences) =
        certify(vec![fits(5), one(), fits(6), call("tighten", "()V", "V", Literal::Null), fits(7), fits(8)]);
    assert_eq!(kept.len(), 5, "{kept:?} {divergences:?}");
    let [tighten] = &divergences[..] else { panic!("{divergences:?}") };
    assert_eq!((&*tighten.test, tighten.stage), ("tighten_succeeds", Stage::Interferes));
    assert!(tighten.detail.starts_with("4 other tests fail after it"), "{}", tighten.detail);
}

#[test]
fn tests_that_disturb_others_are_found_one_after_the_other() {
    let add = |name: &str| {
        let name = lit(Literal::String(name.encode_utf16().collect()));
        let action =
            Action::InvokeStatic { method: method(ROUGH, "add", "(Ljava/lang/String;)Z"), args: vec![name] };
        case().make("Z", action).equals(0, Literal::Boolean(true)).build()
    };
    let names = |more| {
        let action = Action::InvokeStatic { method: method(ROUGH, "names", "(I)I"), args: vec![int(more)] };
        case().make("I", action).equals(0, Literal::Int(more)).build()
    };
    let (kept, divergences) = certify(vec![names(0), add("a"), names(1), add("b"), names(2)]);
    assert_eq!(kept.len(), 3, "{kept:?} {divergences:?}");
    assert!(kept.iter().all(|it| it.starts_with("names")), "{kept:?}");
    assert!(divergences.iter().all(|it| it.detail.starts_with("3 other tests")), "{divergences:?}");
}

#[test]
fn statics_are_fresh_in_each_run() {
    assert_eq!(certify(vec![call("calls", "()I", "I", Literal::Int(1))]).0, ["calls_returns1"]);
}

#[test]
fn classes_of_the_jdk_hide_copies_on_the_class_path() {
    let copies = tempfile::tempdir().unwrap();
    support::compile_copies(&support::fixtures().join("hiding"), copies.path());
    let of = |class: &str, name: &str, descriptor: &str, args| {
        case().make(
            "Ljava/lang/String;",
            Action::InvokeStatic { method: method(class, name, descriptor), args },
        )
    };
    let text = |text: &str| lit(Literal::String(text.encode_utf16().collect()));
    let quoted =
        of("javax/management/ObjectName", "quote", "(Ljava/lang/String;)Ljava/lang/String;", vec![text("a")])
            .equals(0, Literal::String("\"a\"".encode_utf16().collect()))
            .build();
    let is_name = Action::InvokeStatic {
        method: method("javax/lang/model/SourceVersion", "isIdentifier", "(Ljava/lang/CharSequence;)Z"),
        args: vec![text("a")],
    };
    let is_name = case().make("Z", is_name).equals(0, Literal::Boolean(true)).build();
    let classes = test_classes(&suite(ROUGH, vec![quoted, is_name], vec![]), Framework::Junit5, &NoFacts);
    let mut options = support::certifier_options(Framework::Junit5);
    options.class_path.insert(0, copies.path().into());
    let verdict = Certifier::start(options).unwrap().certify(classes).unwrap();
    assert!(verdict.divergences.is_empty(), "{:?}", verdict.divergences);
}

#[test]
fn exit_costs_only_the_test_that_called_it() {
    check_dropped(call("leave", "()V", "V", Literal::Null), Stage::Run, "the JVM ended");
}

#[test]
fn endless_loops_are_given_up() {
    check_dropped(call("spin", "()V", "V", Literal::Null), Stage::Run, "did not end within");
}

#[test]
fn assertions_of_the_class_under_test_are_on() {
    let method = method(ROUGH, "assertPositive", "(I)V");
    let action = Action::InvokeStatic { method, args: vec![int(0)] };
    let thrown = case().run(action).throws("java/lang/AssertionError", Some("not positive")).build();
    assert_eq!(certify(vec![thrown]).0, ["assertPositive_zero_throwsAssertionError"]);
}

#[test]
fn a_suite_without_passing_tests_is_not_written() {
    let classes = test_classes(
        &suite(ROUGH, vec![call("one", "()I", "I", Literal::Int(2))], vec![]),
        Framework::Junit5,
        &NoFacts,
    );
    let verdict = support::certifier(Framework::Junit5).certify(classes).unwrap();
    assert!(verdict.classes.is_empty());
}

#[test]
fn a_folder_that_is_no_jdk_is_an_error_that_names_it() {
    let cache = tempfile::tempdir().unwrap();
    let options = CertifierOptions {
        cache: Some(cache.path().into()),
        ..CertifierOptions::new(Path::new("/nowhere/jdk"), Framework::Junit5)
    };
    let error = Certifier::start(options).unwrap().certify(vec![]).err();
    // Without tests no JVM is needed.
    assert!(error.is_none());
    let options = CertifierOptions {
        cache: Some(cache.path().into()),
        ..CertifierOptions::new(Path::new("/nowhere/jdk"), Framework::Junit5)
    };
    let classes = test_classes(&suite(ROUGH, vec![one()], vec![]), Framework::Junit5, &NoFacts);
    let error = Certifier::start(options).unwrap().certify(classes).unwrap_err().to_string();
    assert!(error.contains("/nowhere/jdk/bin/javac") && error.contains("--jdk"), "{error}");
}

#[test]
fn missing_junit_is_told_at_once() {
    let options = CertifierOptions {
        jars: JarSources::default(),
        ..CertifierOptions::new(&support::jdk_home(), Framework::Junit5)
    };
    let error = Certifier::start(options).err().unwrap().to_string();
    assert!(error.contains("junit-jupiter-api"), "{error}");
}

#[test]
fn many_processes_may_fill_the_cache_at_once() {
    let cache = tempfile::tempdir().unwrap();
    let start = || {
        let options = CertifierOptions {
            cache: Some(cache.path().into()),
            class_path: vec![support::fixture_classes().into()],
            ..CertifierOptions::new(&support::jdk_home(), Framework::Junit4)
        };
        Certifier::start(options).unwrap()
    };
    let certifiers = [start(), start(), start()];
    for mut certifier in certifiers {
        let classes = test_classes(&suite(ROUGH, vec![one()], vec![]), Framework::Junit4, &NoFacts);
        let verdict = certifier.certify(classes).unwrap();
        assert_eq!(verdict.divergences, []);
    }
    let left: Vec<_> = std::fs::read_dir(cache.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
