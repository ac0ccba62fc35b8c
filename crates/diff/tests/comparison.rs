//! Two versions of small classes, compiled by `javac`: what counts as a change, and its consequences for clients.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_diff::{Breakage, Comparison, Influence, MethodFate, MethodName, compare};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A compiled version, with the names of its classes.
fn program(folder: &Path, version: &str, source: &str) -> (Program, BTreeSet<String>) {
    let classes = folder.join(version);
    std::fs::create_dir(&classes).unwrap();
    let file = classes.join("T.java");
    std::fs::write(&file, source).unwrap();
    let output = Command::new("javac").args(["-g", "-d"]).arg(&classes).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let jdk = Jdk::locate(None).unwrap();
    let path = ClassPath::open(classes.to_str().unwrap(), jdk.feature_version()).unwrap();
    let names = path.entries().flat_map(|it| it.class_names().unwrap()).collect();
    (Program::new(jdk, path), names)
}

fn compared(old: &str, new: &str) -> Comparison {
    let folder = tempfile::tempdir().unwrap();
    let (old, names) = program(folder.path(), "old", old);
    let (new, others) = program(folder.path(), "new", new);
    compare(&old, &new, &names.union(&others).cloned().collect()).unwrap()
}

/// Changed methods, as `fate name`.
fn changes(comparison: &Comparison) -> Vec<String> {
    let methods = comparison.classes.iter().flat_map(|it| &it.methods);
    let text = methods.map(|it| match &it.fate {
        MethodFate::Renamed(was) => format!("renamed {was} {}", it.name),
        fate => format!("{fate:?} {}", it.name),
    });
    text.collect()
}

const LAMBDAS: &str = "import java.util.function.*;
class T {
    IntSupplier one() { return () -> 1; }
    IntSupplier two() { return () -> 2; }
    Object three() { return new Object() { public String toString() { return \"3\"; } }; }
}";

#[test]
fn what_the_compiler_numbers_is_no_change() {
    let moved = "import java.util.function.*;
    class T {

        Object zero() { return new Object() { public String toString() { return \"0\"; } }; }
        Object three() { return new Object() { public String toString() { return \"3\"; } }; }
        IntSupplier two() { return () -> 2; }
        IntSupplier one() { return () -> 1; }
    }";
    assert_eq!(changes(&compared(LAMBDAS, moved)), ["Added zero"]);
}

#[test]
fn a_change_in_a_lambda_or_an_anonymous_class_is_one_of_its_method() {
    let other = LAMBDAS.replace("() -> 2", "() -> 4").replace("\"3\"", "\"5\"");
    assert_eq!(changes(&compared(LAMBDAS, &other)), ["Changed two", "Changed three"]);
}

#[test]
fn local_variables_and_lines_are_no_change() {
    let old = "class T { static int f(int n) { int a = n + 1; int b = a * a; return b - a; } }";
    let new = "class T {\n static int f(int m) {\n int x = m + 1;\n int y = x * x;\n return y - x; } }";
    assert!(compared(old, new).classes.is_empty());
    let other = "class T { static int f(int n) { int a = n + 1; int b = a * a; return a - b; } }";
    assert_eq!(changes(&compared(old, other)), ["Changed f"]);
}

#[test]
fn private_members_with_another_name_are_matched() {
    let old = "class T { private int a; private long b; private int g(int n) { return n + a; }
               int f() { return g(2); } void set(int n) { a = n; } }";
    let new = "class T { private int x; private long b; private int h(int n) { return n + x; }
               int f() { return h(2); } void set(int n) { x = n; } }";
    assert_eq!(changes(&compared(old, new)), ["renamed g h"]);
    // The new method is another one.
    let other = new.replace("n + x", "n - x");
    assert_eq!(changes(&compared(old, &other)), ["Added h", "Changed f", "Removed g"]);
}

#[test]
fn two_fields_that_change_places_are_a_change() {
    let old =
        "class T { private int a; private int b; int f() { return a - b; } void set() { a = 1; b = 2; } }";
    let new =
        "class T { private int x; private int y; int f() { return y - x; } void set() { x = 1; y = 2; } }";
    assert_eq!(changes(&compared(old, new)), ["Changed f"]);
}

#[test]
fn clients_learn_what_breaks() {
    let old =
        "public class T { public static final int N = 1; public void a() {} public int b() { return 1; }
               public void c() {} protected void d() {} public void e() {} }";
    let new = "public class T { public static final int N = 2; public long b() { return 1; }
               public static void c() {} void d() {} public void e() throws Exception {} public void f() {} }";
    let found = compared(old, new);
    let api: Vec<(String, Breakage)> =
        found.api.iter().map(|it| (format!("{} {}", it.place, it.what), it.breaks)).collect();
    let expected = [
        ("T.a() is removed", Breakage::BinaryAndSource),
        ("T.b() returns long now", Breakage::BinaryAndSource),
        ("T.c() is static now", Breakage::BinaryAndSource),
        ("T.d() is no longer accessible", Breakage::BinaryAndSource),
        ("T.e() declares java.lang.Exception now", Breakage::Source),
        ("T.N has another constant value", Breakage::Recompilation),
        ("T.b() is added", Breakage::Nothing),
        ("T.f() is added", Breakage::Nothing),
    ];
    assert_eq!(api, expected.map(|(text, breaks)| (text.to_owned(), breaks)));
}

#[test]
fn a_final_class_breaks_clients_that_could_extend_it() {
    let closed = |class: &str| {
        format!("public {class} T {{ private T() {{}} public static int f() {{ return 1; }} }}")
    };
    let found = compared(&closed("class"), &closed("final class"));
    assert_eq!((found.api.len(), found.api[0].breaks), (1, Breakage::Nothing));
    let found = compared("public class T {}", "public final class T {}");
    assert_eq!((found.api.len(), found.api[0].breaks), (1, Breakage::BinaryAndSource));
}

#[test]
fn a_change_is_seen_from_callers_and_through_overriding() {
    let source = "public class T { public int f(A a) { return a.g(); } public int h() { return k(); }
                  private int k() { return 1; }
                  static class A { int g() { return 1; } } static class B extends A { int g() { return 2; } } }";
    let folder = tempfile::tempdir().unwrap();
    let (program, names) = program(folder.path(), "only", source);
    let influence = Influence::of(&program, &names);
    let seen = |class: &str, name: &str| -> Vec<String> {
        let method = MethodName { class: class.into(), name: name.into(), descriptor: "()I".into() };
        influence.visible_from(&method).into_iter().map(|it| it.name.into_string()).collect()
    };
    assert_eq!(seen("T", "k"), ["h"]);
    assert_eq!(seen("T$B", "g"), ["f"]);
}

#[test]
fn a_constructor_is_seen_from_those_who_name_its_class() {
    let source = "public class T { public T() {} public A a() { return new B(); } public Object o() { return new T(); }
                  static class A { A() {} } static class B extends A { B() {} } }";
    let folder = tempfile::tempdir().unwrap();
    let (program, names) = program(folder.path(), "only", source);
    let influence = Influence::of(&program, &names);
    let seen = |class: &str| -> Vec<String> {
        let method = MethodName { class: class.into(), name: "<init>".into(), descriptor: "()V".into() };
        influence.visible_from(&method).into_iter().map(|it| it.name.into_string()).collect()
    };
    assert_eq!(seen("T$A"), ["a"], "by the constructor of B");
    assert_eq!(seen("T"), ["<init>", "o"]);
}
