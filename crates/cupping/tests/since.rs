//! `--since REF`: only code that has changed in a git repository, and code that depends on it.
#![cfg(unix)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{compile, cupping, files, scratch};

const SOURCES: [(&str, &str); 4] = [
    (
        "Rate",
        "package post;\n\npublic class Rate {\n    public int of(int weight) {\n        return weight > 20 ? 9 : 4;\n    }\n}\n",
    ),
    // Uses Rate in a body.
    (
        "Parcel",
        "package post;\n\npublic class Parcel {\n    public int price(int weight) {\n        return new Rate().of(weight) + 1;\n    }\n}\n",
    ),
    // Leads to Rate by way of Parcel, in a signature.
    (
        "Desk",
        "package post;\n\npublic class Desk {\n    public boolean takes(Parcel parcel) {\n        return parcel != null;\n    }\n}\n",
    ),
    (
        "Stamp",
        "package post;\n\npublic class Stamp {\n    public int face() {\n        return 80;\n    }\n}\n",
    ),
];

fn git(folder: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(folder).args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(args);
    let output = git.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A repository with one commit, compiled.
fn repository(name: &str) -> PathBuf {
    let folder = scratch(name);
    fs::create_dir_all(folder.join("src/post")).unwrap();
    for (class, text) in SOURCES {
        fs::write(folder.join(format!("src/post/{class}.java")), text).unwrap();
    }
    fs::write(folder.join(".gitignore"), "classes\ntests\n").unwrap();
    build(&folder);
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-q", "-m", "all"]);
    folder
}

fn build(folder: &Path) {
    let classes = folder.join("classes");
    let _ = fs::remove_dir_all(&classes);
    fs::create_dir(&classes).unwrap();
    compile(&files(&folder.join("src")), "", &classes);
}

fn change(folder: &Path, class: &str, old: &str, new: &str) {
    let file = folder.join(format!("src/post/{class}.java"));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(old), "{text}");
    fs::write(file, text.replace(old, new)).unwrap();
    build(folder);
}

/// The classes in the table that `generate` or `infer` prints.
fn classes(stdout: &str) -> Vec<&str> {
    let names = ["post.Desk", "post.Parcel", "post.Rate", "post.Stamp"];
    names.into_iter().filter(|name| stdout.contains(name)).collect()
}

#[test]
fn tests_are_generated_for_what_a_change_reaches() {
    let folder = repository("since-generate");
    let since = |revision: &'static str| {
        ["generate", "classes", "--since", revision, "--work", "300ms", "--out", "tests"]
    };
    let run = cupping(&folder, &since("HEAD")).expect(0);
    assert_eq!(run.stdout, "no class has changed since HEAD\n");
    assert!(!folder.join("tests").exists());

    change(&folder, "Rate", "20", "30");
    let run = cupping(&folder, &since("HEAD")).expect(0);
    assert_eq!(classes(&run.stdout), ["post.Desk", "post.Parcel", "post.Rate"], "{}", run.stdout);

    // A commit does not affect the changes since an older one.
    git(&folder, &["commit", "-q", "-a", "-m", "rate"]);
    change(&folder, "Stamp", "80", "85");
    let run = cupping(&folder, &since("HEAD")).expect(0);
    assert_eq!(classes(&run.stdout), ["post.Stamp"], "{}", run.stdout);
    let run = cupping(&folder, &since("HEAD~1")).expect(0);
    assert_eq!(classes(&run.stdout).len(), 4, "{}", run.stdout);

    // A source that only loses lines has changed, and so has one that git does not track yet.
    change(&folder, "Stamp", "85", "80");
    change(&folder, "Desk", "public class Desk {\n", "public class Desk {");
    let news = "package post;\n\npublic class News {\n    public int page() {\n        return 3;\n    }\n}\n";
    fs::write(folder.join("src/post/News.java"), news).unwrap();
    build(&folder);
    let run = cupping(&folder, &since("HEAD")).expect(0);
    assert_eq!(classes(&run.stdout), ["post.Desk"], "{}", run.stdout);
    assert!(run.stdout.contains("post.News"), "{}", run.stdout);

    let run = cupping(&folder, &since("nowhere")).expect(2);
    assert!(run.stderr.contains("--since nowhere: "), "{}", run.stderr);
}

#[test]
fn specifications_are_inferred_for_what_a_change_reaches() {
    let folder = repository("since-infer");
    change(&folder, "Stamp", "80", "85");
    let args = ["infer", "classes", "--since", "HEAD", "--budget", "0s", "--executions", "100"];
    let run = cupping(&folder, &args).expect(0);
    assert_eq!(classes(&run.stdout), ["post.Stamp"], "{}", run.stdout);
}

#[test]
fn generated_tests_of_what_a_change_reaches_are_checked() {
    let folder = repository("since-check");
    cupping(&folder, &["generate", "classes", "--work", "500ms", "--out", "tests"]).expect(0);
    let check = ["check", "-cp", "classes", "--tests", "tests", "--since", "HEAD"];
    let run = cupping(&folder, &check).expect(0);
    assert_eq!(run.stdout, "no class has changed since HEAD\n");

    change(&folder, "Rate", "4", "5");
    let run = cupping(&folder, &[&check[..], &["--json", "r.json"]].concat()).expect(1);
    assert!(run.stdout.contains("RateTest") && run.stdout.contains("ParcelTest"), "{}", run.stdout);
    let report = fs::read_to_string(folder.join("r.json")).unwrap();
    assert!(report.contains("post.Desk") && !report.contains("post.Stamp"), "{report}");
}
