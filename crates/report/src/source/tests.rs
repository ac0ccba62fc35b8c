//! The tree contains everything about a test: a second, tiny printer writes it in another language.

use super::java;
use super::tree::{Assert, Expr, Lambda, Method, Stmt, TypeName};
use crate::framework::Framework;
use cupping_case::{JavaType, Literal};

/// As Kotlin, for JUnit 5; only what the test below needs.
fn kotlin(stmt: &Stmt) -> String {
    match stmt {
        Stmt::Local(_, name, value) => format!("val {name} = {}", value_of(value)),
        Stmt::Expr(expr) | Stmt::Return(expr) | Stmt::Throw(expr) => value_of(expr),
        Stmt::If(condition, ..) => format!("if ({}) …", value_of(condition)),
        Stmt::Assert(assert) => match assert {
            Assert::Equal { expected, actual, .. } => {
                format!("assertEquals({}, {})", value_of(expected), value_of(actual))
            }
            Assert::Throws { class, body: Lambda::Value(body), variable } => {
                let variable = variable.as_ref().map_or(String::new(), |it| format!("val {it} = "));
                format!("{variable}assertThrows<{}> {{ {} }}", class.name, value_of(body))
            }
            other => format!("{other:?}"),
        },
    }
}

fn value_of(expr: &Expr) -> String {
    let list = |all: &[Expr]| all.iter().map(value_of).collect::<Vec<_>>().join(", ");
    match expr {
        Expr::Name(name) => name.clone(),
        Expr::Type(ty) => ty.name.clone(),
        Expr::Array(element, values) if element.ty == JavaType::Int => {
            format!("intArrayOf({})", list(values))
        }
        Expr::New(new) => format!("{}({})", new.class.name, list(&new.arguments)),
        Expr::Call(Some(receiver), method, arguments) => {
            format!("{}.{method}({})", value_of(receiver), list(arguments))
        }
        Expr::Cast(to, value) => format!("({} as {})", value_of(value), to.name),
        Expr::Lambda(parameters, Lambda::Value(body)) => {
            format!("{{ {} -> {} }}", parameters.join(", "), value_of(body))
        }
        other => java::text(other),
    }
}

/// A test of a till.
fn test() -> Vec<Stmt> {
    let class = |name: &str| TypeName::new(JavaType::class(&format!("shop/{name}")), name);
    let int = |value| Expr::Literal(Literal::Int(value));
    let till = || Expr::name("till");
    let coins = Expr::Array(TypeName::new(JavaType::Int, "int"), vec![int(1), int(-5)]);
    let twice =
        Expr::Lambda(vec!["x".into()], Lambda::Value(Box::new(Expr::call(Expr::name("x"), "twice", vec![]))));
    let thrown = Lambda::Value(Box::new(Expr::call(till(), "map", vec![twice])));
    vec![
        Stmt::Local(class("Till"), "till".into(), Expr::new(class("Till"), vec![coins])),
        Stmt::Expr(Expr::call(till(), "add", vec![Expr::cast(TypeName::lang("Object"), int(-1))])),
        Stmt::Assert(Assert::Equal {
            expected: Expr::string("€ 5"),
            actual: Expr::call(Expr::cast(class("Drawer"), till()), "total", vec![]),
            delta: None,
        }),
        Stmt::Assert(Assert::Throws {
            class: class("Closed"),
            body: thrown,
            variable: Some("thrown".into()),
        }),
    ]
}

#[test]
fn one_tree_is_printed_in_two_languages() {
    let shown: Vec<String> = test().iter().map(kotlin).collect();
    let expected = [
        "val till = Till(intArrayOf(1, -5))",
        "till.add((-1 as Object))",
        "assertEquals(\"\\u20ac 5\", (till as Drawer).total())",
        "val thrown = assertThrows<Closed> { till.map({ x -> x.twice() }) }",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn frameworks_differ_in_names_and_order() {
    let printed = |framework: Framework| {
        let body = vec![test()];
        let method =
            Method { name: "adds".into(), modifiers: framework.visibility(), body, ..Method::default() };
        java::Printer::new(framework).method(&method)
    };
    let expected = [
        "void adds() {",
        "    Till till = new Till(new int[] {1, -5});",
        "    till.add((Object) (-1));",
        "    assertEquals(\"\\u20ac 5\", ((Drawer) till).total());",
        "    Closed thrown = assertThrows(Closed.class, () -> till.map(x -> x.twice()));",
        "}",
    ];
    assert_eq!(printed(Framework::Junit5), expected);
    let testng = printed(Framework::TestNg);
    assert_eq!(testng[0], "public void adds() {");
    assert_eq!(testng[3], "    assertEquals(((Drawer) till).total(), \"\\u20ac 5\");");
    assert_eq!(testng[4], "    Closed thrown = expectThrows(Closed.class, () -> till.map(x -> x.twice()));");
}

#[test]
fn wide_blocks_are_broken_before_their_contents() {
    let state = Expr::helper("stateOf", vec![Expr::name("account"), Expr::string("balance")]);
    let long = Expr::string(&"Account{balance=5, owner=nobody}, ".repeat(3));
    let assert = Stmt::Assert(Assert::Equal { expected: long, actual: state, delta: None });
    let lines = java::Printer::new(Framework::Junit5).stmt(&assert);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1], "        stateOf(account, \"balance\"));");
}
