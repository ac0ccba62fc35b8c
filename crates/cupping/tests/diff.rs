//! `cupping diff` on pairs of versions whose truth was written first (`fixtures/diff`).

mod support;

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::{compile, cupping, files, repository, scratch};

/// A pair of versions: a class, and its change.
struct Pair {
    /// The package in which both are.
    package: String,
    class: String,
    /// The changed method for which a difference must be found; `None` for a refactoring.
    differs: Option<String>,
    /// There is a difference that the search does not find yet.
    is_missed: bool,
    edits: Vec<(String, String)>,
}

/// The pairs of a folder. A file has the class, the truth, and edits: `<<<`, the old text, `===`, the new text,
/// `>>>`.
fn pairs(half: &str) -> Vec<Pair> {
    let folder = repository().join("fixtures/diff/changes").join(half);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| pair(path)).collect()
}

fn pair(path: &Path) -> Pair {
    let text = fs::read_to_string(path).unwrap();
    let (class, rest) = text.split_once('\n').unwrap();
    let (truth, rest) = rest.split_once('\n').unwrap();
    let differs = match truth.split_once(' ') {
        Some(("differs" | "missed", method)) => Some(method.to_owned()),
        _ => {
            assert_eq!(truth, "same", "{}", path.display());
            None
        }
    };
    let edit = |block: &str| {
        let (old, new) = block.trim_end().strip_suffix(">>>").unwrap().split_once("===\n").unwrap();
        let line = |text: &str| text.strip_suffix('\n').unwrap_or(text).to_owned();
        (line(old), line(new))
    };
    Pair {
        package: path.file_stem().unwrap().to_str().unwrap().replace('-', "_"),
        class: class.to_owned(),
        differs,
        is_missed: truth.starts_with("missed "),
        edits: rest.split("<<<\n").skip(1).map(edit).collect(),
    }
}

/// Writes and compiles both versions of all pairs; returns the folders of their classes.
fn compiled(pairs: &[Pair], folder: &Path) -> [String; 2] {
    ["old", "new"].map(|version| {
        let sources = folder.join(format!("{version}-sources"));
        for pair in pairs {
            let file = format!("{}.java", pair.class);
            let mut text =
                fs::read_to_string(repository().join("fixtures/diff/classes").join(&file)).unwrap();
            for (old, new) in pair.edits.iter().filter(|_| version == "new") {
                assert_eq!(text.matches(old).count(), 1, "{}: {old}", pair.package);
                text = text.replace(old, new);
            }
            let target = sources.join(&pair.package);
            fs::create_dir_all(&target).unwrap();
            fs::write(target.join(file), format!("package {};\n\n{text}", pair.package)).unwrap();
        }
        let classes = folder.join(version);
        fs::create_dir(&classes).unwrap();
        compile(&files(&sources), "", &classes);
        version.to_owned()
    })
}

/// The errors of the report on these pairs.
fn wrong(pairs: &[Pair], report: &Value) -> Vec<String> {
    let causes = report["results"]["causes"].as_array().unwrap();
    let mut wrong = Vec::new();
    for pair in pairs {
        let prefix = format!("{}.{}.", pair.package, pair.class);
        let of_pair = causes.iter().flat_map(|cause| cause["changed"].as_array().unwrap());
        let found: BTreeSet<&str> = of_pair.filter_map(|it| it.as_str()?.strip_prefix(&prefix)).collect();
        match &pair.differs {
            None if !found.is_empty() => {
                wrong.push(format!("{}: false difference in {found:?}", pair.package))
            }
            Some(method) if !pair.is_missed && !found.contains(method.as_str()) => {
                wrong.push(format!("{}: {method} is not found, but {found:?}", pair.package));
            }
            _ => {}
        }
    }
    wrong
}

fn judge(half: &str) {
    let pairs = pairs(half);
    let folder = scratch(&format!("diff-{half}"));
    let [old, new] = compiled(&pairs, &folder);
    let run = cupping(
        &folder,
        &["diff", &old, &new, "--no-confirm", "--no-inference", "--budget", "8s", "--json", "report.json"],
    );
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    let wrong = wrong(&pairs, &report);
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), run.stdout);
}

/// The pairs on which the search was developed.
#[test]
fn faults_are_found_and_refactorings_are_silent() {
    judge("develop");
}

/// The pairs that were held back while the search was written.
#[test]
fn faults_held_back_are_found_and_refactorings_held_back_are_silent() {
    judge("judge");
}

const TILL: &str = "package shop;

public class Till {
    private int total;

    public int pay(int amount) {
        if (amount < 0) {
            throw new IllegalArgumentException(\"amount\");
        }
        total += amount;
        return total;
    }

    public int total() {
        return total;
    }

    public boolean isEmpty() {
        return total == 0;
    }
}
";

fn git(folder: &Path, arguments: &[&str]) -> String {
    let all = ["-c", "user.name=A", "-c", "user.email=a@example.org"].iter().chain(arguments);
    let output = std::process::Command::new("git").args(all).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn two_commits_are_built_and_their_sources_stand_side_by_side() {
    let folder = scratch("diff-git");
    let source = folder.join("src/main/java/shop/Till.java");
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    git(&folder, &["init", "--quiet"]);
    for text in [TILL.to_owned(), TILL.replace("amount < 0", "amount <= 0")] {
        fs::write(&source, text).unwrap();
        git(&folder, &["add", "src"]);
        git(&folder, &["commit", "--quiet", "-m", "Till"]);
    }
    let build = "mkdir -p target/classes && javac -g -d target/classes src/main/java/shop/Till.java";
    let args = ["diff", "--git", "HEAD~1..HEAD", "--build", build, "--no-confirm", "--budget", "4s"];
    let run = cupping(&folder, &[&args[..], &["--html", "page", "shop.Till"]].concat());
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("shop.Till.pay(int) (fails now)"), "{}", run.stdout);
    let page = fs::read_to_string(folder.join("page/index.html")).unwrap();
    for part in ["only in the old version", "amount &lt; <", "only in the new version", "amount &lt;= <"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(git(&folder, &["worktree", "list"]).lines().count(), 1);
    // Without a command, it is built like any project.
    let args = ["diff", "--git", "HEAD~1..HEAD", "--no-confirm", "--budget", "4s", "shop.Till"];
    let run = cupping(&folder, &args);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("shop.Till.pay(int) (fails now)"), "{}", run.stdout);
    // Errors are reported: a missing commit, a failing build.
    let wrong = cupping(&folder, &["diff", "--git", "nothing..HEAD"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("no commit nothing"), "{}", wrong.stderr);
    let failed = cupping(&folder, &["diff", "--git", "HEAD~1..HEAD", "--build", "echo why; false"]);
    assert!(failed.code == Some(2) && failed.stderr.contains("why"), "{}", failed.stderr);
    assert_eq!(git(&folder, &["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_class_that_moved_is_compared_with_what_it_was() {
    let folder = scratch("diff-moved");
    let moved = TILL.replace("package shop", "package store.desk").replace("Till", "Register");
    let client = |class: &str| {
        let simple = class.rsplit('.').next().unwrap();
        format!(
            "package use; import {class}; public class Client {{ public static int twice({simple} it, int n) \
             {{ it.pay(n); return it.pay(n); }} public static String name() {{ return \"{class}\"; }} }}"
        )
    };
    // A package-private class of the new package comes along with the moved classes.
    let helped = moved.replace("total += amount", "total = Sum.of(total, amount)")
        + "class Sum { static int of(int left, int right) { return left + right; } }";
    let versions = [
        ("helped", "store/desk/Register.java", helped, client("store.desk.Register")),
        ("old", "shop/Till.java", TILL.to_owned(), client("shop.Till")),
        ("same", "store/desk/Register.java", moved.clone(), client("store.desk.Register")),
        (
            "new",
            "store/desk/Register.java",
            moved.replace("+= amount", "= amount"),
            client("store.desk.Register"),
        ),
    ];
    for (version, file, text, client) in versions {
        let sources = folder.join(format!("{version}-sources"));
        for (file, text) in
            [(file, text), ("use/Client.java", client.replace("store.desk.Register\"", "shop.Till\""))]
        {
            fs::create_dir_all(sources.join(file).parent().unwrap()).unwrap();
            fs::write(sources.join(file), text).unwrap();
        }
        fs::create_dir(folder.join(version)).unwrap();
        compile(&files(&sources), "", &folder.join(version));
    }
    let diff = |new: &str| cupping(&folder, &["diff", "old", new, "--no-confirm", "--budget", "4s"]);
    let same = diff("same");
    assert_eq!(same.code, Some(0), "{}{}", same.stdout, same.stderr);
    let said = "class shop.Till is now store.desk.Register (matched by likeness: ";
    assert!(same.stdout.contains(said), "{}", same.stdout);
    assert!(!same.stdout.contains("changed twice"), "{}", same.stdout);
    let helped = diff("helped");
    assert_eq!(helped.code, Some(0), "{}{}", helped.stdout, helped.stderr);
    assert!(helped.stdout.contains(said), "{}", helped.stdout);
    let other = diff("new");
    assert_eq!(other.code, Some(1), "{}{}", other.stdout, other.stderr);
    assert!(
        other.stdout.contains(said) && other.stdout.contains("changed pay(int): differs"),
        "{}",
        other.stdout
    );
}

/// The old version of a class; each test edits it.
const GATE: &str = "
package gates;

public final class Gate {
    private int passed;

    public boolean pass(int weight) {
        if (weight < 0 || weight > 90) {
            return false;
        }
        passed += weight;
        return true;
    }

    public boolean isFull() {
        return passed > 150;
    }
}
";

/// The report on two versions of a source.
fn compared(name: &str, edits: [&str; 2], options: &[&str]) -> Value {
    let folder = scratch(name);
    for (version, text) in [("old", GATE.to_owned()), ("new", GATE.replacen(edits[0], edits[1], 1))] {
        let source = folder.join(format!("{version}-source/Gate.java"));
        fs::create_dir_all(source.parent().unwrap()).unwrap();
        fs::write(&source, text).unwrap();
        fs::create_dir(folder.join(version)).unwrap();
        compile(&[source], "", &folder.join(version));
    }
    let words = ["diff", "old", "new", "--no-confirm", "--json", "report.json"];
    let run = cupping(&folder, &[&words, options].concat());
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.stderr);
    serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap()
}

#[test]
fn a_refactoring_is_proved_to_be_the_same_up_to_some_calls() {
    let edits = ["weight < 0 || weight > 90", "!(weight <= 90 && weight >= 0)"];
    let report = compared("diff-same", edits, &["--budget", "4s"]);
    let method = &report["results"]["changed"][0];
    assert_eq!((&method["method"], &method["verdict"]), (&"pass(int)".into(), &"same".into()), "{method}");
    let why = method["why"].as_str().unwrap();
    assert!(why.starts_with("on all paths of all sequences of up to "), "{why}");
}

#[test]
fn a_fault_that_shows_after_more_calls_is_no_proof() {
    // Two calls of `pass` are needed before `isFull` answers differently.
    let report = compared("diff-later", ["passed > 150", "passed > 160"], &["--budget", "4s"]);
    let causes = report["results"]["causes"].as_array().unwrap();
    assert_eq!(causes.len(), 1, "{report}");
    assert_eq!(report["results"]["changed"][0]["verdict"], "differs");
}

#[test]
fn a_method_that_had_no_effect_is_followed_by_others_in_a_proof() {
    // The answer is kept. That shows in five calls: new, isFull, pass, pass, isFull.
    let kept = "private Boolean known;
    public boolean isFull() {
        if (known == null) { known = passed > 150; }
        return known;";
    let edits = ["public boolean isFull() {\n        return passed > 150;", kept];
    let report = compared("diff-kept", edits, &["--budget", "4s"]);
    let changed = report["results"]["changed"].as_array().unwrap();
    let method = changed.iter().find(|it| it["method"] == "isFull()").unwrap();
    if method["verdict"] == "same" {
        let why = method["why"].as_str().unwrap();
        assert!((2..5).any(|calls| why.contains(&format!("up to {calls} calls"))), "{why}");
    }
}

#[test]
fn the_condition_of_a_moved_limit_is_the_values_between() {
    let report = compared("diff-when", ["weight > 90", "weight >= 90"], &["--budget", "4s"]);
    assert_eq!(report["results"]["causes"][0]["examples"][0]["when"], serde_json::json!(["weight == 90"]));
}

/// Classes with one change each, which shows only in a certain way: the method that changes, the two texts, the source.
const SHOWN: [(&str, [&str; 2], &str); 11] = [
    // By a class that can no longer be initialised.
    (
        "Starting.size(String)",
        ["text.length()", "Integer.parseInt(text)"],
        "public class Starting {
             private static final int SIZE = size(\"start\");
             private static int size(String text) { return text.length(); }
             public static boolean isAtLeast(int n) { return SIZE >= n; }
         }",
    ),
    // By a method that the class inherits.
    (
        "Doubled.step(int)",
        ["n * 2", "n * 3"],
        "public class Doubled extends Stepped { protected int step(int n) { return n * 2; } }
         abstract class Stepped {
             private int at = 1;
             protected abstract int step(int n);
             public final int next() { at = step(at); return at; }
         }",
    ),
    // By what a stream has received that is closed by a superclass.
    (
        "Closing.finish()",
        ["'.'", "'!'"],
        "public class Closing extends java.io.FilterOutputStream {
             public Closing(java.io.OutputStream out) { super(out); }
             void finish() throws java.io.IOException { out.write('.'); }
             @Override public void flush() throws java.io.IOException { finish(); }
         }",
    ),
    // By a text that only one version prints, for one number.
    (
        "Printing.say(int)",
        ["n > 3", "n > 4"],
        "public class Printing { public void say(int n) { if (n > 3) { System.out.println(\"much\"); } } }",
    ),
    // By the ninth character of a text.
    (
        "Weighted.sum(String)",
        ["weight == 8", "weight == 9"],
        "public class Weighted {
             public static int sum(String text) {
                 int sum = 0;
                 int weight = 0;
                 for (int i = 0; i < text.length(); i++) {
                     weight = weight == 8 ? 1 : weight + 1;
                     sum += weight * text.charAt(i);
                 }
                 return sum % 9973;
             }
         }",
    ),
    // By a colour, whose class the toolkit initialises.
    (
        "Shade.of(int)",
        ["level, 0", "0, level"],
        "public class Shade {
             public static java.awt.Paint of(int level) {
                 return level < 1 || level > 255 ? null : new java.awt.Color(0, level, 0);
             }
         }",
    ),
    // By a text that the JDK composes with code that it generates when it first does.
    (
        "Hue.name(int)",
        ["level & 127, 0", "0, level & 127"],
        "public class Hue {
             public static String name(int level) { return new java.awt.Color(0, level & 127, 0).toString(); }
         }",
    ),
    // By an array of another class than the parameter says.
    (
        "Joined.both(Object[], Object[])",
        ["both[at] = second[at - first.length]", "at = put(both, at, second[at - first.length])"],
        "public class Joined {
             private static int put(Object[] to, int at, Object element) {
                 if (!to.getClass().getComponentType().isInstance(element)) { return at; }
                 to[at] = element;
                 return at;
             }
             public static Object[] both(Object[] first, Object[] second) {
                 Object[] both = java.util.Arrays.copyOf(first, first.length + second.length);
                 for (int at = first.length; at < both.length; at++) { both[at] = second[at - first.length]; }
                 return both;
             }
         }",
    ),
    // By a day that few years have, and by numbers that belong together.
    (
        "Leap.day(int, int, int)",
        ["month == 2 && day == 29", "month == 2 && day == 29 && year % 7 != 3"],
        "public class Leap {
             public static int day(int year, int month, int day) {
                 if (month < 1 || month > 12 || day < 1 || day > 31) { throw new IllegalArgumentException(); }
                 int sum = 0;
                 for (int at = 0; at < 40; at++) { sum = (sum * 31 + year % (at + 2) * month + day) % 10007; }
                 return month == 2 && day == 29 && year % 4 == 0 ? sum : -sum;
             }
         }",
    ),
    // By a word in the middle of a text.
    (
        "Sounds.code(String)",
        ["at, 4).equals(\"GIER\")", "at, 4).equals(\"GIEN\")"],
        "public class Sounds {
             private static String part(String text, int at, int length) {
                 return text.substring(at, Math.min(text.length(), at + length));
             }
             public static String code(String text) {
                 StringBuilder code = new StringBuilder();
                 for (int at = 0; at < text.length(); at++) {
                     char c = Character.toUpperCase(text.charAt(at));
                     if (at > 0 && c == 'G' && part(text, at, 4).equals(\"GIER\")) { code.append('J'); at += 3; }
                     else if (c == 'S' && part(text, at, 3).equals(\"SCH\")) { code.append('X'); at += 2; }
                     else if (\"AEIOU\".indexOf(c) >= 0) { if (at == 0) { code.append('A'); } }
                     else if (c >= 'A' && c <= 'Z') { code.append(c); }
                 }
                 return code.toString();
             }
         }",
    ),
    // Behind a long initialiser.
    (
        "Sieve.isPrime(int)",
        ["n >= 2", "n > 2"],
        "public class Sieve {
             private static final boolean[] COMPOSITE = new boolean[200_000];
             static {
                 for (int i = 2; i < 450; i++) {
                     for (int k = i * i; k < COMPOSITE.length; k += i) { COMPOSITE[k] = true; }
                 }
             }
             public static boolean isPrime(int n) { return n >= 2 && n < COMPOSITE.length && !COMPOSITE[n]; }
         }",
    ),
];

#[test]
fn a_change_shows_in_whatever_a_caller_sees() {
    let folder = scratch("diff-shown");
    for version in ["old", "new"] {
        let sources = SHOWN.map(|(method, [old, new], source)| {
            let class = method.split('.').next().unwrap();
            let path = folder.join(format!("{version}-source/{class}.java"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text = if version == "old" { source.to_owned() } else { source.replacen(old, new, 1) };
            fs::write(&path, format!("package shown; {text}")).unwrap();
            path
        });
        fs::create_dir(folder.join(version)).unwrap();
        compile(&sources, "", &folder.join(version));
    }
    let run = cupping(&folder, &["diff", "old", "new", "--budget", "6s", "--json", "report.json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    let causes = report["results"]["causes"].as_array().unwrap();
    let mut found: Vec<&str> =
        causes.iter().flat_map(|it| it["changed"].as_array().unwrap()).filter_map(Value::as_str).collect();
    found.sort_unstable();
    let mut expected = SHOWN.map(|(method, ..)| format!("shown.{method}"));
    expected.sort_unstable();
    assert_eq!(found, expected, "{}", run.stdout);
}

#[test]
fn only_the_classes_that_are_asked_for_are_searched() {
    let folder = scratch("diff-asked");
    for (version, number) in [("old", 1), ("new", 2)] {
        let sources = ["A", "B"].map(|class| {
            let path = folder.join(format!("{version}-source/{class}.java"));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, format!("public class {class} {{ public int f() {{ return {number}; }} }}"))
                .unwrap();
            path
        });
        fs::create_dir(folder.join(version)).unwrap();
        compile(&sources, "", &folder.join(version));
    }
    let run = cupping(&folder, &["diff", "old", "new", "A", "--no-confirm", "--budget", "2s"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.contains("A\n  changed f(): differs\n1 change in 1 class not searched\n"),
        "{}",
        run.stdout
    );
}

/// A class that asks the JDK about a letter that Unicode has had since version 14.
const LETTERS: &str = "
package letters;

public final class Letters {
    public static boolean isLetter(char c) {
        return c == '\\u0c5d' && Character.isLetter(c);
    }

    public static boolean isDigit(char c) {
        return Character.isDigit(c);
    }
}
";

#[test]
fn two_jdks_differ_in_what_is_a_letter() {
    let folder = scratch("diff-jdks");
    fs::write(folder.join("Letters.java"), LETTERS).unwrap();
    fs::create_dir(folder.join("classes")).unwrap();
    compile(&[folder.join("Letters.java")], "", &folder.join("classes"));
    let options = ["--budget", "6s", "--json", "report.json"];
    let words = ["diff", "--jdk-old", "17", "--jdk-new", "25", "classes"];
    let run = cupping(&folder, &[&words[..], &options].concat());
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    let causes = report["results"]["causes"].as_array().unwrap();
    let examples: Vec<&Value> = causes.iter().flat_map(|it| it["examples"].as_array().unwrap()).collect();
    assert_eq!(examples.len(), 1, "{report}");
    assert_eq!(examples[0]["method"], "letters.Letters.isLetter(char)");
    assert_eq!(examples[0]["old"], "assertFalse(Letters.isLetter('\\u0c5d'));");
    assert_eq!(examples[0]["confirmed"], true);
}

#[test]
fn two_jdks_need_something_to_compare() {
    let run = cupping(&scratch("diff-nothing"), &["diff", "--jdk-old", "17", "--jdk-new", "25"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("name folders or jars, or classes of the JDK"), "{}", run.stderr);
}

/// Both methods change. Only what `pass` does breaks a contract, though a new exception is the worse kind.
const CONTRACT: [(&str, &str); 2] = [
    ("passed += weight;", "passed -= weight;"),
    ("return passed > 150;", "if (passed == 7) { throw new IllegalStateException(); } return passed > 150;"),
];

#[test]
fn differences_that_break_a_contract_come_first() {
    let folder = scratch("diff-contract");
    let mut changed = GATE.replace(
        "public boolean isFull",
        "public int passed() { return passed; }\n    public boolean isFull",
    );
    for version in ["old", "new"] {
        let source = folder.join(format!("{version}-source/Gate.java"));
        fs::create_dir_all(source.parent().unwrap()).unwrap();
        fs::write(&source, &changed).unwrap();
        fs::create_dir(folder.join(version)).unwrap();
        compile(&[source], "", &folder.join(version));
        for (old, new) in CONTRACT {
            changed = changed.replace(old, new);
        }
    }
    let infer =
        ["infer", "-cp", "old", "gates.Gate", "--budget", "1s", "--executions", "800", "--write", "specs"];
    cupping(&folder, &infer).expect(0);
    let examples = |options: &[&str]| -> Vec<(String, Vec<String>)> {
        let words = ["diff", "old", "new", "--no-confirm", "--budget", "4s", "--json", "report.json"];
        let run = cupping(&folder, &[&words, options].concat());
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        let report: Value =
            serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
        let causes = report["results"]["causes"].as_array().unwrap().clone();
        let all = causes.iter().flat_map(|it| it["examples"].as_array().unwrap());
        let text = |it: &Value| it.as_str().unwrap().to_owned();
        all.map(|it| (text(&it["kind"]), it["breaks"].as_array().unwrap().iter().map(text).collect()))
            .collect()
    };
    for (options, source) in [(&["--specification", "specs"][..], "(recorded)"), (&[], "(inferred)")] {
        let found = examples(options);
        let (_, breaks) = &found[0];
        assert!(!breaks.is_empty() && breaks.iter().all(|it| it.ends_with(source)), "{found:?}");
        let unbroken = found.iter().position(|(_, breaks)| breaks.is_empty()).unwrap_or(found.len());
        assert!(found[unbroken..].iter().all(|(_, breaks)| breaks.is_empty()), "{found:?}");
        assert!(found.iter().any(|(kind, _)| kind == "new-failure"), "{found:?}");
    }
    let plain = examples(&["--no-inference"]);
    assert!(plain[0].0 == "new-failure" && plain.iter().all(|(_, breaks)| breaks.is_empty()), "{plain:?}");
    fs::write(folder.join("specs/gates.Gate.json"), "{").unwrap();
    let damaged = cupping(&folder, &["diff", "old", "new", "--specification", "specs"]);
    assert_eq!(damaged.code, Some(2));
    assert!(damaged.stderr.contains("gates.Gate.json"), "{}", damaged.stderr);
    fs::remove_file(folder.join("specs/gates.Gate.json")).unwrap();
    let none = cupping(&folder, &["diff", "old", "new", "--specification", "specs"]);
    assert!(none.code == Some(2) && none.stderr.contains("no recorded specification"), "{}", none.stderr);
}
