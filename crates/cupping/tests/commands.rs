//! The other commands: help, version, doctor, solve.

mod support;

use std::fs;
use support::{compile, cupping, files, papers, repository, scratch};

#[test]
fn help_and_version_are_no_errors() {
    let folder = scratch("help");
    let help = cupping(&folder, &["--help"]).expect(0).stdout;
    for command in ["generate", "solve", "doctor"] {
        assert!(help.contains(command), "{help}");
    }
    let help = cupping(&folder, &["generate", "--help"]).expect(0).stdout;
    for part in ["Examples:", "Exit codes:", "--classpath", "--junit-jar", "130"] {
        assert!(help.contains(part), "{part} in {help}");
    }
    let version = cupping(&folder, &["--version"]).expect(0).stdout;
    assert_eq!(version, format!("cupping {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_doctor_names_what_is_there_and_what_is_not() {
    let folder = scratch("doctor");
    let found = cupping(&folder, &["doctor"]).expect(0).stdout;
    for part in ["JDK ", "bin/javac", "junit-jupiter-api", "cache "] {
        assert!(found.contains(part), "{part} in {found}");
    }
    let missing = cupping(&folder, &["doctor", "--jdk", "nowhere"]).expect(2).stdout;
    assert!(missing.contains("missing: no JDK found; looked at --jdk nowhere"), "{missing}");
}

#[test]
fn saved_queries_are_answered() {
    let folder = scratch("solve");
    let cases = [
        ("(var 0 Bv32 \"n\")\n(def 1 (eq v0 (Bv32 7)))\n(assert t1)\n", "satisfiable\n  v0 = 7\n"),
        (
            "(var 0 Bv32 \"n\")\n(def 1 (eq v0 (Bv32 7)))\n(def 2 (eq v0 (Bv32 8)))\n(assert t1)\n(assert t2)\n",
            "unsatisfiable; these assertions contradict each other: 1, 2\n",
        ),
    ];
    for (query, answer) in cases {
        fs::write(folder.join("query.txt"), query).unwrap();
        assert_eq!(cupping(&folder, &["solve", "query.txt"]).expect(0).stdout, answer, "{query}");
    }
}

#[test]
fn a_query_that_the_solver_gave_up_on_can_be_saved_and_asked_again() {
    let folder = scratch("save-queries");
    // A product of two longs equal to a large prime: no solver finds within its budget that only 1 times the prime
    // gives it.
    let source = "public class Hard {\n    static boolean f(long a, long b) {\n        return a > 1 && b > 1 \
                  && a < 3037000499L && b < 3037000499L && a * b == 9223371873002223329L;\n    }\n}\n";
    fs::write(folder.join("Hard.java"), source).unwrap();
    compile(&[folder.join("Hard.java")], "", &folder.join("classes"));
    let args = ["generate", "-cp", "classes", "Hard", "--save-queries", "queries", "--budget", "3s"];
    cupping(&folder, &args).expect(0);
    let saved = files(&folder.join("queries"));
    assert!(!saved.is_empty());
    let query = saved[0].to_str().unwrap();
    let text = fs::read_to_string(&saved[0]).unwrap();
    assert!(text.contains("(assert "), "{text}");
    let run = cupping(&folder, &["solve", query]).expect(0);
    let answers = ["satisfiable", "unsatisfiable", "unknown"];
    assert!(answers.iter().any(|answer| run.stdout.starts_with(answer)), "{}", run.stdout);
}

#[test]
fn invalid_queries_are_refused_with_their_line() {
    let folder = scratch("solve-bad");
    fs::write(folder.join("query.txt"), "; a comment\n(brew coffee)\n").unwrap();
    let run = cupping(&folder, &["solve", "query.txt"]).expect(2);
    assert!(run.stderr.starts_with("error: query.txt:2: "), "{}", run.stderr);
    let run = cupping(&folder, &["solve", "nowhere.txt"]).expect(2);
    assert!(run.stderr.contains("nowhere.txt: "), "{}", run.stderr);
}

#[test]
fn a_method_is_explained_instead_of_tested() {
    let folder = scratch("explain");
    let classes = papers();
    let classes = classes.to_str().unwrap();
    let args = ["generate", "-cp", classes, "papers.TemperatureMonitor", "--explain", "warning"];
    let first = cupping(&folder, &args).expect(0).stdout;
    for part in [
        "papers.TemperatureMonitor: warning()",
        "updateTemperature(int)  temperature           enabled      TemperatureMonitor  -",
        "*       TemperatureMonitor()",
        "(no data flow)",
        "(partial order)",
        "TemperatureMonitor(); setEnabled(boolean); updateTemperature(int); warning()\n",
        "pruned: isomorphic to an earlier one",
    ] {
        assert!(first.contains(part), "{part} in {first}");
    }
    assert_eq!(first, cupping(&folder, &args).expect(0).stdout);
    assert!(!folder.join("cupping-tests").exists());
    let missing = ["generate", "-cp", classes, "papers.TemperatureMonitor", "--explain", "alarm"];
    let error = cupping(&folder, &missing).expect(2).stderr;
    assert!(error.contains("--explain alarm: there is no such method"), "{error}");
    let missing = ["generate", "-cp", classes, "papers.TemperatureMonitor", "--explain", "warnin"];
    let error = cupping(&folder, &missing).expect(2).stderr;
    assert!(error.contains("did you mean warning?"), "{error}");
}

/// Names in other scripts stay whole in the names of tests and variables.
#[test]
fn names_keep_their_letters() {
    let folder = scratch("commands-letters");
    let source = "package büro;\n\npublic class Prüfer {\n    private int größe;\n\n    public void setGröße(int größe) {\n        \
                  this.größe = größe;\n    }\n\n    public boolean überprüfen() {\n        return größe > 5;\n    }\n\n    \
                  public static String 数(boolean ж) {\n        return ж ? \"a\" : \"b\";\n    }\n}\n";
    fs::write(folder.join("Prüfer.java"), source).unwrap();
    compile(&[folder.join("Prüfer.java")], "", &folder.join("classes"));
    // Also where no locale is set, as in many containers.
    let mut command =
        support::command(&folder, &["generate", "-cp", "classes", "büro.Prüfer", "--budget", "5s"]);
    let output = command.env_remove("LANG").env_remove("LC_ALL").env_remove("LC_CTYPE").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let test = fs::read_to_string(folder.join("cupping-tests/büro/PrüferTest.java")).unwrap();
    for part in [
        "void überprüfen_afterSetGröße_returnsTrue()",
        "void 数_true_returnsA()",
        "Prüfer prüfer = new Prüfer();",
    ] {
        assert!(test.contains(part), "{part}: {test}");
    }
}

#[test]
fn jars_that_manifests_name_are_on_the_class_path() {
    let folder = scratch("manifest");
    let desk = "public class Desk {
    public static int area(int side) {
        return Table.square(side);
    }
    public static boolean has(String name) {
        return Desk.class.getClassLoader().getResource(name) != null;
    }
}
";
    let table = "class Table {
    static int square(int side) {
        return side * side;
    }
}
";
    fs::write(folder.join("Desk.java"), desk).unwrap();
    fs::write(folder.join("Table.java"), table).unwrap();
    let sources = ["Desk", "Table"].map(|it| folder.join(format!("{it}.java")));
    compile(&sources, "", &folder.join("classes"));
    // A class loader looks for the second jar, too, which is another name of the first, and for the third, which is not
    // there.
    fs::write(folder.join("manifest"), "Class-Path: other/table.jar other/same.jar other/none.jar\n")
        .unwrap();
    fs::create_dir(folder.join("other")).unwrap();
    let jar = |args: &[&str]| {
        let status = std::process::Command::new("jar").args(args).current_dir(&folder).status().unwrap();
        assert!(status.success(), "{args:?}");
    };
    jar(&["cf", "other/table.jar", "-C", "classes", "Table.class"]);
    std::os::unix::fs::symlink("table.jar", folder.join("other/same.jar")).unwrap();
    jar(&["cfm", "desk.jar", "manifest", "-C", "classes", "Desk.class"]);
    let args = ["generate", "-cp", "desk.jar", "Desk", "--budget", "5s", "--out", "tests"];
    let found = cupping(&folder, &args).expect(0);
    assert!(!found.stderr.contains("not on the class path"), "{}", found.stderr);
    assert!(!found.stdout.contains("withheld"), "{}", found.stdout);
    let tests = fs::read_to_string(folder.join("tests/DeskTest.java")).unwrap();
    assert!(tests.lines().any(|it| it.contains("assertEquals(") && it.contains("Desk.area(")), "{tests}");
    assert!(tests.contains("Desk.has("), "{tests}");
}

/// A method whose types name an absent class can be called neither by tests nor on the way to others; the user is told
/// which library is missing. The folder `absent` is compiled and then removed.
#[test]
fn methods_of_absent_types_are_left_out() {
    let folder = scratch("incomplete");
    let sources = files(&repository().join("fixtures/incomplete"));
    compile(&sources, "", &folder.join("classes"));
    fs::remove_dir_all(folder.join("classes/absent")).unwrap();
    for (class, absent, calls) in [
        ("Setup", "absent.Realm", ["setPath(", "setScanning(", "setWired("]),
        ("Alarm", "absent.Level", ["limit(", "ring(", "new Alarm("]),
        ("Walk", "absent.Realm", ["level(", "length(", "new Walk("]),
        ("Register", "absent.Cell and 1 more", ["new Register(", "add(", "addAll("]),
        ("Sorter", "absent.Level", ["isSorted(", "smallest(", "levels("]),
    ] {
        let name = format!("incomplete.{class}");
        let found =
            cupping(&folder, &["generate", "-cp", "classes", &name, "--work", "2s", "--out", "tests"])
                .expect(0);
        assert!(
            found.stderr.contains(&format!("{absent} of package absent, which {name}")),
            "{}",
            found.stderr
        );
        assert!(!found.stdout.contains("dropped"), "{}", found.stdout);
        let tests = fs::read_to_string(folder.join(format!("tests/incomplete/{class}Test.java"))).unwrap();
        assert!(calls.iter().all(|it| tests.contains(it)), "{tests}");
    }
}

/// Where only a callee needs an absent class, no test asserts that it is absent, and the user is told.
#[test]
fn the_absence_of_a_class_is_not_asserted() {
    let folder = scratch("absence");
    compile(&files(&repository().join("fixtures/incomplete")), "", &folder.join("classes"));
    fs::remove_dir_all(folder.join("classes/absent")).unwrap();
    for (class, absent) in [("Porch", "absent.Bulb"), ("Mast", "absent.Realm")] {
        let name = format!("incomplete.{class}");
        let found =
            cupping(&folder, &["generate", "-cp", "classes", &name, "--work", "2s", "--out", "tests"])
                .expect(0);
        let note = format!("calls of {name} ended because {absent} is not on the class path");
        assert!(found.stdout.contains(&note), "{}", found.stdout);
        let tests = fs::read_to_string(folder.join(format!("tests/incomplete/{class}Test.java"))).unwrap();
        assert!(tests.contains("@Test") && !tests.contains("NoClassDefFoundError"), "{tests}");
    }
}

/// Only the JDK's own packages are closed to tests. The order of methods is not asserted, and no test names a class
/// that the program made.
#[test]
fn tests_keep_to_what_reflection_promises() {
    let folder = scratch("reflection");
    compile(&files(&repository().join("fixtures/reflection")), "", &folder.join("classes"));
    let generate = ["generate", "-cp", "classes", "**", "--work", "12s", "--out", "tests"];
    let found = cupping(&folder, &generate).expect(0);
    assert!(!found.stdout.contains("dropped"), "{}", found.stdout);
    let tests = |name: &str| fs::read_to_string(folder.join(format!("tests/{name}Test.java"))).unwrap();
    assert!(tests("com/sun/yard/Gate").contains("open(4711)"));
    assert!(tests("javax/yard/Latch").contains("Latch.of("));
    let ways = tests("reflection/Ways");
    assert!(ways.contains("assertEquals(4, ") && ways.contains("assertEquals(-1, "), "{ways}");
    let listing = tests("reflection/Listing");
    assert!(
        listing.contains("assertTrue(Listing.has(") || listing.contains("assertFalse(Listing.has("),
        "{listing}"
    );
    assert!(!listing.contains("second third"), "{listing}");
    assert!(!tests("reflection/Copies").contains("FailingTest"));
}

/// Tests end soon: the machine's clock tells how long the JVM would sleep.
#[test]
fn no_test_sleeps_long() {
    let folder = scratch("naps");
    compile(&files(&repository().join("fixtures/naps")), "", &folder.join("classes"));
    for (class, calls) in [("Nap", ["take(", "naps("]), ("Lull", ["open(", "waits(\"nanos\""])] {
        let name = format!("naps.{class}");
        let found =
            cupping(&folder, &["generate", "-cp", "classes", &name, "--work", "3s", "--out", "tests"])
                .expect(0);
        assert!(!found.stdout.contains("dropped"), "{}", found.stdout);
        let tests = fs::read_to_string(folder.join(format!("tests/naps/{class}Test.java"))).unwrap();
        assert!(calls.iter().all(|it| tests.contains(it)), "{tests}");
    }
}
