//! With the facts from class files, exactly the casts that a person would omit are omitted.

mod support;

use cupping_case::{Action, Case, Literal, Operand};
use cupping_report::facts::ClassFacts;
use cupping_report::junit::{Framework, test_classes};
use support::suites::{case, int, lit, method, suite, text, var};

/// Knows the overloads of one method, which classes exist, and that nothing is a subtype of anything.
struct Facts {
    overloads: &'static [&'static str],
    exists: &'static [&'static str],
}

impl ClassFacts for Facts {
    fn overloads(&self, _: &str, name: &str) -> Option<Vec<Box<str>>> {
        (name == "m").then(|| self.overloads.iter().map(|&it| it.into()).collect())
    }

    fn is_subtype(&self, sub: &str, sup: &str) -> Option<bool> {
        (sub == "a/Sub").then_some(sup == "a/Base")
    }

    fn exists(&self, class: &str) -> bool {
        self.exists.contains(&class)
    }
}

fn print(case: Case, facts: &Facts) -> String {
    let classes = test_classes(&suite("a/A", vec![case], vec![]), Framework::Junit5, facts);
    classes[0].source().text
}

fn call(parameter: &str, arg: Literal) -> Case {
    let method = method("a/A", "m", &format!("({parameter})V"));
    case().run(Action::InvokeStatic { method, args: vec![lit(arg)] }).build()
}

#[test]
fn casts_follow_the_overloads() {
    const STRING: &str = "Ljava/lang/String;";
    const OBJECT: &str = "Ljava/lang/Object;";
    let table: &[(&str, Literal, &'static [&'static str], &str)] = &[
        (STRING, Literal::Null, &["(Ljava/lang/String;)V", "(I)V"], "A.m(null);"),
        (STRING, Literal::Null, &["(Ljava/lang/String;)V", "([I)V"], "A.m((String) null);"),
        (OBJECT, text("x"), &["(Ljava/lang/Object;)V"], "A.m(\"x\");"),
        (OBJECT, text("x"), &["(Ljava/lang/Object;)V", "(Ljava/lang/String;)V"], "A.m((Object) \"x\");"),
        (OBJECT, Literal::Boxed(Box::new(Literal::Int(-1))), &["(Ljava/lang/Object;)V"], "A.m(-1);"),
        (
            OBJECT,
            Literal::Boxed(Box::new(Literal::Int(-1))),
            &["(Ljava/lang/Object;)V", "(J)V"],
            "A.m((Object) (-1));",
        ),
        ("J", Literal::Int(3), &["(I)V", "(J)V"], "A.m(3L);"),
        ("S", Literal::Short(3), &["(S)V", "(I)V"], "A.m((short) 3);"),
    ];
    for (parameter, arg, overloads, expected) in table {
        let printed = print(call(parameter, arg.clone()), &Facts { overloads, exists: &[] });
        assert!(printed.contains(expected), "expected {expected} in\n{printed}");
    }
}

#[test]
fn downcasts_are_written_and_upcasts_are_not() {
    let facts = Facts { overloads: &["(La/Base;)V"], exists: &[] };
    let passed = |class: &str| {
        let action = Action::InvokeStatic { method: method("a/A", "m", "(La/Base;)V"), args: vec![var(0)] };
        print(case().construct(class, "()V", vec![]).run(action).build(), &facts)
    };
    assert!(passed("a/Sub").contains("A.m(new Sub());"));
    let get = Action::InvokeStatic { method: method("a/A", "get", "()Ljava/lang/Object;"), args: vec![] };
    let action = Action::InvokeStatic { method: method("a/A", "m", "(La/Base;)V"), args: vec![var(0)] };
    let printed = print(case().make("Ljava/lang/Object;", get).run(action).build(), &facts);
    assert!(printed.contains("A.m((Base) object);"), "{printed}");
}

#[test]
fn shadowed_class_names_are_qualified() {
    let facts = Facts { overloads: &[], exists: &["a/Integer"] };
    let arg = Operand::Literal(Literal::Boxed(Box::new(Literal::Int(1))));
    let own = Action::InvokeStatic {
        method: method("a/Test", "own", "(La/List;)V"),
        args: vec![lit(Literal::Null)],
    };
    let other = Action::InvokeStatic {
        method: method("java/util/List", "of", "(Ljava/lang/Integer;)Ljava/util/List;"),
        args: vec![arg],
    };
    let printed = print(case().run(own).run(other).build(), &facts);
    assert!(printed.contains("java.util.List.of(java.lang.Integer.valueOf(1));"), "{printed}");
    assert!(printed.contains("Test.own((List) null);"), "{printed}");
    assert!(printed.contains("@org.junit.jupiter.api.Test\n"), "{printed}");
    assert!(!printed.contains("import java") && !printed.contains("api.Test;"), "{printed}");
}

#[test]
fn nothing_is_evaluated_in_another_order() {
    let made = |name: &str| Action::InvokeStatic { method: method("a/A", name, "()I"), args: vec![] };
    let pair = |args| Action::InvokeStatic { method: method("a/A", "pair", "(II)V"), args };
    let in_order =
        case().make("I", made("one")).make("I", made("two")).run(pair(vec![var(0), var(1)])).build();
    let facts = Facts { overloads: &[], exists: &[] };
    assert!(print(in_order, &facts).contains("A.pair(A.one(), A.two());"));
    let swapped =
        case().make("I", made("one")).make("I", made("two")).run(pair(vec![var(1), var(0)])).build();
    assert!(print(swapped, &facts).contains("A.pair(number2, number);"));
    let between =
        case().make("I", made("one")).run(pair(vec![int(1), int(2)])).run(pair(vec![var(0), int(0)])).build();
    assert!(print(between, &facts).contains("int number = A.one();\n        A.pair(1, 2);"));
}
