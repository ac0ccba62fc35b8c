//! `cupping diff` on pairs of versions whose truth was written first (`fixtures/diff`).

#[path = "diff/gate.rs"]
mod gate;
#[path = "diff/shown.rs"]
mod shown;
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
