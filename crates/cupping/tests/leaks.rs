//! What a program on the machine cannot reach: files of the host outside of its class path, and the machine's own
//! memory.
//!
//! The programs are in `fixtures/leaks`.

mod support;

use std::fs;
use std::path::PathBuf;
use support::{compile, cupping, repository, scratch};

/// One of the programs, compiled into `classes` of a new folder.
fn program(name: &str) -> PathBuf {
    let folder = scratch(&format!("leaks-{name}"));
    let source = repository().join(format!("fixtures/leaks/{name}.java"));
    compile(&[source], "", &folder.join("classes"));
    folder
}

#[test]
fn no_reference_can_be_forged() {
    let folder = program("Forge");
    for way in 0..50 {
        let way = way.to_string();
        let run = cupping(&folder, &["run", "-cp", "classes", "--max-steps", "50000000", "Forge", &way]);
        let last = run.stderr.lines().find(|line| !line.starts_with("WARNING")).unwrap_or_default();
        // An uncaught exception, or something unsupported.
        assert!(matches!(run.code, Some(1 | 126)), "{way}: {:?} {}{}", run.code, run.stdout, run.stderr);
        let known = ["Exception in thread", "cupping: stopped, because the machine does not support"];
        assert!(known.iter().any(|it| last.starts_with(it)), "{way}: {}", run.stderr);
        assert!(!run.stderr.contains("internal error") && !run.stderr.contains("panicked"), "{}", run.stderr);
    }
    // There is no other way.
    cupping(&folder, &["run", "-cp", "classes", "Forge", "50"]).expect(99);
}

#[test]
fn honest_uses_of_unsafe_work() {
    let folder = program("Forge");
    let run = cupping(&folder, &["run", "-cp", "classes", "Forge$Honest"]).expect(0);
    assert_eq!(
        run.stdout,
        "519 9 65535 hi true\n5 5 8\n[0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0]\n16843009 72623859790382856\nin in\nnull\n"
    );
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out_of_the_class_path() {
    let folder = program("Snoop");
    let classes = folder.join("classes");
    fs::write(folder.join("secret.txt"), "SECRET").unwrap();
    fs::create_dir_all(classes.join("a")).unwrap();
    fs::write(classes.join("a/own.txt"), "OWN").unwrap();
    let links = [
        ("x", "/etc"),
        ("up", ".."),
        ("secret", "../secret.txt"),
        ("own", "a/own.txt"),
        ("b", "a"),
        ("a/cycle", "."),
        ("self", "self"),
    ];
    for (name, target) in links {
        std::os::unix::fs::symlink(target, classes.join(name)).unwrap();
    }
    let names = ["x/passwd", "up/secret.txt", "secret", "own", "b/own.txt", "a/cycle/cycle/own.txt", "self"];
    let in_classes: Vec<String> = names.iter().map(|name| format!("classes/{name}")).collect();
    let arguments: Vec<&str> = names.into_iter().chain(in_classes.iter().map(String::as_str)).collect();
    let run = cupping(&folder, &[&["run", "-cp", "classes", "Snoop"], &arguments[..]].concat()).expect(0);
    assert!(!run.stdout.contains("SECRET") && !run.stdout.contains("root:"), "{}", run.stdout);
    let expected = [
        "x/passwd: file NoSuchFileException, resource none, loader none",
        "own: file NoSuchFileException, resource OWN, loader OWN",
        "b/own.txt: file NoSuchFileException, resource OWN, loader OWN",
        "a/cycle/cycle/own.txt: file NoSuchFileException, resource OWN, loader OWN",
        "classes/own: file true OWN, resource none, loader none",
        "classes/b/own.txt: file true OWN, resource none, loader none",
        "classes/x/passwd: file NoSuchFileException, resource none, loader none",
        "classes/up/secret.txt: file NoSuchFileException, resource none, loader none",
    ];
    for line in expected {
        assert!(run.stdout.lines().any(|it| it == line), "{line}\n{}", run.stdout);
    }
}

#[test]
fn the_current_folder_shows_its_classes_only_unless_it_is_named() {
    let folder = program("Snoop");
    let classes = folder.join("classes");
    fs::write(classes.join("secret.txt"), "SECRET").unwrap();
    fs::write(classes.join("key.class"), "SECRET").unwrap();
    fs::write(classes.join(".env"), "SECRET").unwrap();
    fs::create_dir_all(classes.join("private/.git")).unwrap();
    fs::write(classes.join("private/notes.txt"), "SECRET").unwrap();
    fs::write(classes.join("private/.git/config"), "SECRET").unwrap();
    let names = ["secret.txt", "key.class", ".env", "private/notes.txt", "private/.git/config"];
    let implied = cupping(&classes, &[&["run", "Snoop"], &names[..]].concat()).expect(0);
    assert!(!implied.stdout.contains("SECRET"), "{}", implied.stdout);
    let seen = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("seen ./"));
        lines.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert_eq!(seen(&implied.stdout), ["Snoop.class"]);
    let named = cupping(&classes, &[&["run", "-cp", ".", "Snoop"], &names[..]].concat()).expect(0);
    assert!(
        named.stdout.contains("secret.txt: file true SECRET, resource SECRET, loader SECRET"),
        "{}",
        named.stdout
    );
    assert!(named.stdout.contains(".env: file NoSuchFileException, resource none, loader none"));
    assert_eq!(seen(&named.stdout), ["Snoop.class", "key.class", "private/notes.txt", "secret.txt"]);
}

#[test]
fn a_manifest_adds_classes_of_folders_and_nothing_else() {
    let folder = program("Snoop");
    fs::create_dir_all(folder.join("data")).unwrap();
    fs::write(folder.join("data/secret.txt"), "SECRET").unwrap();
    fs::write(folder.join("manifest"), "Main-Class: Snoop\nClass-Path: data/ ./\n").unwrap();
    let jar = std::process::Command::new("jar")
        .args(["cfm", "snoop.jar", "manifest", "-C", "classes", "."])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(jar.status.success(), "{}", String::from_utf8_lossy(&jar.stderr));
    let run = cupping(&folder, &["run", "--jar", "snoop.jar", "secret.txt", "data/secret.txt"]).expect(0);
    assert!(!run.stdout.contains("SECRET"), "{}", run.stdout);
    let named = cupping(&folder, &["run", "-cp", "snoop.jar:data", "Snoop", "secret.txt"]).expect(0);
    assert!(named.stdout.contains("resource SECRET"), "{}", named.stdout);
}

#[test]
fn a_class_that_is_its_own_ancestor_is_an_error() {
    let folder = scratch("leaks-ancestors");
    let cyclic = folder.join("CycA.java");
    fs::write(&cyclic, "class CycX {} public class CycA extends CycX { static int f(int x) { return x; } }")
        .unwrap();
    compile(&[cyclic], "", &folder.join("classes"));
    let class = folder.join("classes/CycA.class");
    let mut bytes = fs::read(&class).unwrap();
    let at = bytes.windows(4).position(|it| it == b"CycX").unwrap();
    bytes[at..at + 4].copy_from_slice(b"CycA");
    fs::write(&class, bytes).unwrap();
    let run = cupping(&folder, &["generate", "--classpath", "classes", "CycA", "--budget", "1s"]).expect(2);
    assert!(run.stderr.contains("CycA cannot be loaded: java/lang/ClassCircularityError"), "{}", run.stderr);
}
