//! The store: which results are found again, which are not, and the treatment of damage.

use cupping_classfile::reads::{self, Read};
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_jobs::{Answers, Digest, Key, Request, Store};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

fn jdk() -> Jdk {
    static JDK: OnceLock<Jdk> = OnceLock::new();
    JDK.get_or_init(|| Jdk::locate(None).unwrap()).clone()
}

/// The answers of a program with this folder on its class path.
fn answers(classes: &Path) -> Answers {
    let class_path = ClassPath::open(classes.to_str().unwrap(), jdk().feature_version()).unwrap();
    Answers::new(Arc::new(Program::new(jdk(), class_path)))
}

fn key(class: &str) -> Key {
    let digest = Digest::of(b"");
    let request = Request {
        tool: digest.clone(),
        jdk: digest.clone(),
        command: "generate".into(),
        options: String::new(),
        outputs: Vec::new(),
        inputs: Vec::new(),
        class: class.into(),
        content: digest,
        budget: Duration::from_secs(1),
        clock: None,
    };
    request.key()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// A folder for classes, and one for results.
fn folders() -> (tempfile::TempDir, PathBuf, Store) {
    let folder = tempfile::tempdir().unwrap();
    let (classes, results) = (folder.path().join("classes"), folder.path().join("store"));
    fs::create_dir_all(&classes).unwrap();
    fs::write(classes.join("p.properties"), "one").unwrap();
    let store = Store::new(&results);
    (folder, classes, store)
}

fn reads() -> BTreeSet<Read> {
    BTreeSet::from([Read::Class("p/A".into()), Read::Resource("p.properties".into())])
}

#[test]
fn a_result_stands_as_long_as_what_was_read_is_what_it_was() {
    let (_folder, classes, store) = folders();
    let put = |text: &str| store.put(&key("p/A"), &reads(), &answers(&classes), &text.to_owned()).unwrap();
    let find = || store.find::<String>(&key("p/A"), &answers(&classes));
    assert_eq!(find(), None);
    put("first");
    assert_eq!(find().as_deref(), Some("first"));
    assert_eq!(store.find::<String>(&key("p/B"), &answers(&classes)), None);
    // What was not read may change.
    fs::write(classes.join("q.properties"), "new").unwrap();
    assert_eq!(find().as_deref(), Some("first"));
    // A resource changes; a class is added.
    fs::write(classes.join("p.properties"), "two").unwrap();
    assert_eq!(find(), None);
    put("second");
    fs::create_dir(classes.join("p")).unwrap();
    fs::write(classes.join("p/A.class"), "no class file").unwrap();
    assert_eq!(find(), None);
    // Results of both states stand, each for its own.
    fs::remove_dir_all(classes.join("p")).unwrap();
    assert_eq!(find().as_deref(), Some("second"));
    fs::write(classes.join("p.properties"), "one").unwrap();
    assert_eq!(find().as_deref(), Some("first"));
}

#[test]
fn the_same_result_is_one_file() {
    let (folder, classes, store) = folders();
    for _ in 0..3 {
        store.put(&key("p/A"), &reads(), &answers(&classes), &"text").unwrap();
    }
    assert_eq!(files(&folder.path().join("store")).len(), 1);
}

#[test]
fn a_damaged_entry_is_not_there() {
    let (folder, classes, store) = folders();
    let answers = answers(&classes);
    store.put(&key("p/A"), &reads(), &answers, &"text").unwrap();
    let entry = files(&folder.path().join("store")).remove(0);
    let whole = fs::read(&entry).unwrap();
    let find = || store.find::<String>(&key("p/A"), &answers);
    for length in 0..whole.len() {
        fs::write(&entry, &whole[..length]).unwrap();
        assert_eq!(find(), None, "torn at {length}");
    }
    for at in 0..whole.len() {
        let mut poisoned = whole.clone();
        poisoned[at] ^= 1;
        fs::write(&entry, &poisoned).unwrap();
        assert_eq!(find(), None, "poisoned at {at}");
    }
    fs::write(&entry, &whole).unwrap();
    assert_eq!(find().as_deref(), Some("text"));
    // An entry of another type has a valid digest, but is not this result.
    assert_eq!(store.find::<Vec<u32>>(&key("p/A"), &answers), None);
}

#[test]
fn many_workers_on_one_job_leave_one_whole_entry() {
    let (folder, classes, store) = folders();
    let answers = answers(&classes);
    let text = "x".repeat(1 << 16);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    store.put(&key("p/A"), &reads(), &answers, &text).unwrap();
                    assert_eq!(store.find::<String>(&key("p/A"), &answers).as_ref(), Some(&text));
                }
            });
        }
    });
    assert_eq!(files(&folder.path().join("store")).len(), 1, "no temporary file stays");
}

#[test]
fn a_store_that_cannot_be_written_says_so() {
    let (folder, classes, _) = folders();
    let place = folder.path().join("file");
    fs::write(&place, "mine").unwrap();
    let store = Store::new(&place);
    let error = store.put(&key("p/A"), &reads(), &answers(&classes), &"text").unwrap_err().to_string();
    assert!(error.contains("file/results/") && error.contains("--store"), "{error}");
    store.note_cost("generate", "p/A", 3);
    assert_eq!(store.cost("generate", "p/A"), None);
    assert_eq!(fs::read_to_string(&place).unwrap(), "mine");
}

#[test]
fn costs_are_remembered_by_command_and_class() {
    let (_folder, _, store) = folders();
    store.note_cost("generate", "p/A", 3);
    store.note_cost("generate", "p/A", 5);
    assert_eq!(store.cost("generate", "p/A"), Some(5));
    assert_eq!(store.cost("infer", "p/A"), None);
    assert_eq!(store.cost("generate", "p/B"), None);
}

/// Each query is recorded, and its answer differs if the class path does.
#[test]
fn lookups_in_a_program_are_recorded() {
    let (_folder, classes, _) = folders();
    let class_path = ClassPath::open(classes.to_str().unwrap(), jdk().feature_version()).unwrap();
    let program = Program::new(jdk(), class_path);
    let ask = || {
        program.find("java/lang/String").unwrap();
        program.find("p/None").unwrap();
        program.resource("p.properties").unwrap();
        program.classes_of_package("p", true).unwrap();
        program.subclasses("p/Base");
        program.class_path().entries().for_each(|entry| {
            entry.read("some.txt").unwrap();
            entry.class_names().unwrap();
            entry.list().unwrap();
        });
    };
    // A class that is already known is recorded like any other.
    for _ in 0..2 {
        let ((), noted) = reads::record(ask);
        let expected = [
            Read::Declaration("p/None".into()),
            Read::Resource("p.properties".into()),
            Read::File("some.txt".into()),
            Read::Package("p".into(), true),
            Read::Subclasses("p/Base".into()),
            Read::Names,
            Read::Listing,
        ];
        assert_eq!(noted, BTreeSet::from(expected), "and nothing of the JDK");
    }
    let before = answers(&classes);
    let all = [
        Read::Package("p".into(), true),
        Read::Names,
        Read::Listing,
        Read::Everything,
        Read::File("p/B.class".into()),
    ];
    fs::create_dir(classes.join("p")).unwrap();
    let digests = all.clone().map(|read| before.one(&read));
    fs::write(classes.join("p/B.class"), "text").unwrap();
    let after = answers(&classes);
    for (read, digest) in all.iter().zip(digests) {
        assert_ne!(after.one(read), digest, "{read:?}");
    }
}
