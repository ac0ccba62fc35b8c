//! Bad input: one message that names file, position and remedy, exit code 2, and the other classes processed.

mod support;

use std::fs;
use std::path::Path;
use support::{compile, cupping, generate, papers, scratch};

/// Runs with a bad argument next to a good one: the message has these parts, and the good one is processed.
#[track_caller]
fn check(name: &str, bad: &[&str], parts: &[&str]) {
    let folder = scratch(name);
    check_in(&folder, bad, parts);
}

#[track_caller]
fn check_in(folder: &Path, bad: &[&str], parts: &[&str]) {
    let run = generate(folder, &[bad, &["papers.CoinBox"]].concat()).expect(2);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "one message: {}", run.stderr);
    for part in parts {
        assert!(lines[0].contains(part), "{part} in: {}", run.stderr);
    }
    assert!(
        folder.join("tests/papers/CoinBoxTest.java").is_file(),
        "the other class is done: {}",
        run.stdout
    );
    assert!(run.stdout.contains("papers.CoinBox"), "{}", run.stdout);
}

#[test]
fn a_class_that_is_not_there() {
    check("missing", &["papers.Cornbox"], &["error: class papers.Cornbox", "--classpath"]);
}

#[test]
fn a_name_without_its_package() {
    check("unpackaged", &["CoinBox"], &["did you mean papers.CoinBox?"]);
}

#[test]
fn a_package_that_is_not_there() {
    check("package", &["org.nowhere.*"], &["org.nowhere.* selects no class", "check the name"]);
}

#[test]
fn a_class_path_as_windows_has_it() {
    let run = cupping(&scratch("semicolon"), &["generate", "-cp", "a;b.jar", "p.X"]).expect(2);
    assert!(run.stderr.contains("separated by ':' here: a:b.jar"), "{}", run.stderr);
}

#[test]
fn a_damaged_class_file() {
    let folder = scratch("damaged");
    let classes = folder.join("classes/papers");
    fs::create_dir_all(&classes).unwrap();
    let bytes = fs::read(papers().join("papers/Gcd.class")).unwrap();
    fs::write(classes.join("Broken.class"), &bytes[..bytes.len() / 2]).unwrap();
    let parts = ["classes/papers/Broken.class: damaged class file, ", "compile or download it again"];
    check_in(&folder, &["./classes"], &parts);
}

#[test]
fn a_class_file_in_the_wrong_folder() {
    let folder = scratch("wrong-folder");
    fs::create_dir_all(folder.join("classes")).unwrap();
    fs::copy(papers().join("papers/Gcd.class"), folder.join("classes/Gcd.class")).unwrap();
    check_in(
        &folder,
        &["./classes"],
        &["classes/Gcd.class: declares class papers.Gcd", "root of the package tree"],
    );
}

#[test]
fn a_class_without_its_superclass() {
    let folder = scratch("dependency");
    let source = folder.join("Base.java");
    fs::write(&source, "package p; class Base {} class Derived extends Base { int f() { return 1; } }")
        .unwrap();
    let classes = folder.join("classes");
    compile(&[source], "", &classes);
    fs::remove_file(classes.join("p/Base.class")).unwrap();
    let parts = ["classes/p/Derived.class: its superclass p.Base is not on the class path", "--classpath"];
    check_in(&folder, &["./classes"], &parts);
}

#[test]
fn a_class_for_a_newer_jdk() {
    let folder = scratch("newer");
    let classes = folder.join("classes/papers");
    fs::create_dir_all(&classes).unwrap();
    let mut bytes = fs::read(papers().join("papers/Gcd.class")).unwrap();
    // The major version, one above what this JDK's javac writes.
    let major = u16::from_be_bytes([bytes[6], bytes[7]]) + 1;
    bytes[6..8].copy_from_slice(&major.to_be_bytes());
    fs::write(classes.join("Gcd.class"), &bytes).unwrap();
    // On the class path the papers come first; this one has only the folder.
    let run = cupping(&folder, &["generate", "./classes"]).expect(2);
    assert!(run.stderr.contains("classes/papers/Gcd.class: "), "{}", run.stderr);
    assert!(run.stderr.contains("--release"), "{}", run.stderr);
}

#[test]
fn a_class_path_entry_that_is_not_there() {
    let folder = scratch("class-path");
    let class_path = format!("{}:nowhere.jar", papers().display());
    let args = ["generate", "--classpath", &class_path, "--out", "tests", "papers.CoinBox"];
    let run = cupping(&folder, &args).expect(2);
    assert!(
        run.stderr.contains("nowhere.jar: ") && run.stderr.contains("check that it exists"),
        "{}",
        run.stderr
    );
    assert!(folder.join("tests/papers/CoinBoxTest.java").is_file());
}

#[test]
fn a_jar_that_is_none() {
    let folder = scratch("jar");
    fs::write(folder.join("lib.jar"), "no jar").unwrap();
    check_in(&folder, &["lib.jar"], &["lib.jar: damaged archive: ", "build or download it again"]);
}

#[test]
fn classes_that_no_test_can_name() {
    let folder = scratch("untestable");
    let source = folder.join("Outer.java");
    let text = "package p; public class Outer { private static class Hidden { public static class Inside {} }
        interface Shape { int area(); }
        @interface Mark {}
        Object anonymous() { return new Object() {}; }
        static class Seen { int f(int x) { return x > 0 ? 1 : 2; } } }";
    fs::write(&source, text).unwrap();
    compile(&[source], "", &folder.join("classes"));
    for (class, message) in [
        ("p.Outer$Hidden", "p.Outer$Hidden is private, or an enclosing class is"),
        ("p.Outer$Hidden$Inside", "p.Outer$Hidden$Inside is private, or an enclosing class is"),
        ("p.Outer$1", "is local or anonymous"),
        ("p.Outer.Shape", "p.Outer$Shape is an interface without code; name a class that implements it"),
    ] {
        let run = cupping(&folder, &["generate", "-cp", "classes", class]).expect(2);
        assert!(run.stderr.contains(message), "{class}: {}", run.stderr);
    }
    let run = cupping(&folder, &["generate", "-cp", "classes", "p.**"]).expect(0);
    assert!(
        run.stdout.contains("5 classes skipped: 1 local or anonymous, 2 private, 2 interfaces without code"),
        "{}",
        run.stdout
    );
    let run = cupping(&folder, &["generate", "-cp", "classes", "java.lang.AbstractStringBuilder"]).expect(2);
    assert!(run.stderr.contains("is a class of the JDK that is not public"), "{}", run.stderr);
}

#[test]
fn tests_that_would_be_in_one_file() {
    let folder = scratch("clash");
    let source = folder.join("A.java");
    fs::write(
        &source,
        "package p; class A { static class B { int f() { return 1; } } } class A_B { int g() { return 2; } }",
    )
    .unwrap();
    compile(&[source], "", &folder.join("classes"));
    check_in(
        &folder,
        &["./classes"],
        &["p.A_B: its tests would be in the same file as those of p.A$B", "--out"],
    );
}

#[test]
fn unknown_options_are_errors() {
    let folder = scratch("options");
    for (args, part) in [
        (&["generate", "papers.CoinBox", "--bugdet", "1s"] as &[&str], "--budget"),
        (&["generate", "papers.CoinBox", "--budget", "soon"], "500ms, 10s or 2m"),
        (&["generate", "papers.CoinBox", "--jobs", "0"], "--jobs"),
        (&["generate", "papers.CoinBox", "--junit", "3"], "possible values: 4, 5"),
        (&["generate"], "no classes: name a class"),
        (&["brew"], "unrecognized subcommand"),
    ] {
        let run = cupping(&folder, args).expect(2);
        assert!(run.stderr.contains(part), "{part} in: {}", run.stderr);
    }
}

#[test]
fn no_jdk_and_no_junit() {
    let folder = scratch("tools");
    let run = generate(&folder, &["papers.CoinBox", "--jdk", "nowhere"]).expect(2);
    assert!(run.stderr.contains("no JDK found; looked at --jdk nowhere"), "{}", run.stderr);
    let run = generate(&folder, &["papers.CoinBox", "--junit-jar", "nowhere.jar"]).expect(2);
    assert!(run.stderr.contains("nowhere.jar: no such JUnit jar"), "{}", run.stderr);
}

#[test]
fn an_output_folder_that_is_a_file() {
    let folder = scratch("output");
    fs::write(folder.join("tests"), "a file").unwrap();
    let run = generate(&folder, &["papers.CoinBox"]).expect(2);
    assert!(run.stderr.contains("CoinBoxTest.java: cannot be written"), "{}", run.stderr);
}

#[test]
fn unknown_names_are_errors() {
    let folder = scratch("names");
    for (args, parts) in [
        (
            &["--method", "getCurQ"] as &[&str],
            &["--method getCurQ: there is no such method in papers.CoinBox"] as &[&str],
        ),
        (
            &["--exclude", "papers.CoinBx"],
            &["--exclude papers.CoinBx: it matches no", "did you mean papers.CoinBox?"],
        ),
        (&["--include", "nobodyHasIt*"], &["--include nobodyHasIt*: it matches no"]),
        (&["--exclude", "*", "--include", "Gcd.gdc"], &["--include Gcd.gdc", "did you mean Gcd.gcd?"]),
    ] {
        let run = generate(&folder, &[args, &["papers.CoinBox"]].concat()).expect(2);
        parts.iter().for_each(|part| assert!(run.stderr.contains(part), "{part} in {}", run.stderr));
        assert!(!folder.join("tests").exists(), "nothing is run with an option that may mean something else");
    }
    // JDK members and inherited ones may be named too.
    for args in
        [&["--exclude", "nextInt"] as &[&str], &["--exclude", "java.util.*"], &["--method", "hashCode"]]
    {
        let run = generate(&folder, &[args, &["papers.CoinBox"]].concat());
        assert_ne!(run.code, Some(2), "{}", run.stderr);
    }
    let classes = papers().to_str().unwrap();
    let args = ["dataflow", "-cp", classes, "papers.CoinBox", "--invariant", "vned: true"];
    let run = cupping(&folder, &args).expect(2);
    assert!(run.stderr.contains("--invariant vned: there is no such method"), "{}", run.stderr);
}
