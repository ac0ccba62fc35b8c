//! `plan`, `work` and `merge` of the commands that put results together themselves: `diff`, `check`, `mutants` and
//! `exhaust`.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{Run, compile, contents, cupping, files, junit, repository, scratch};

/// The classes of `fixtures/scale` in this folder, with a text replaced in a file.
fn version(folder: &Path, name: &str, change: Option<(&str, &str, &str)>) {
    let sources = folder.join(format!("{name}-src"));
    let fixture = repository().join("fixtures/scale");
    for source in files(&fixture) {
        let within = source.strip_prefix(&fixture).unwrap();
        let mut text = fs::read_to_string(&source).unwrap();
        if let Some((_, from, to)) = change.filter(|(file, ..)| within == Path::new(file)) {
            assert!(text.contains(from));
            text = text.replace(from, to);
        }
        fs::create_dir_all(sources.join(within).parent().unwrap()).unwrap();
        fs::write(sources.join(within), text).unwrap();
    }
    let classes = folder.join(name);
    fs::create_dir_all(&classes).unwrap();
    compile(&files(&sources), "", &classes);
}

/// The jobs that are left of a command.
fn plan(folder: &Path, words: &[&str]) -> Vec<String> {
    let run = cupping(folder, &[&["plan"], words].concat()).expect(0);
    run.stdout.lines().map(str::to_owned).collect()
}

/// Does all jobs in two parts, the last part first; returns how many there were.
fn work(folder: &Path, words: &[&str]) -> usize {
    let jobs = plan(folder, words);
    fs::write(folder.join("jobs"), jobs.join("\n")).unwrap();
    for part in ["2/2", "1/2"] {
        cupping(folder, &["work", "jobs", "--shard", part]).expect(0);
    }
    assert_eq!(plan(folder, words), [""; 0], "all are done");
    jobs.len()
}

fn merge(folder: &Path, words: &[&str]) -> Run {
    cupping(folder, &[&["merge"], words].concat())
}

fn text(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn comparisons() {
    let folder = scratch("stages-diff");
    version(&folder, "old", None);
    version(&folder, "new", Some(("lamp/Lamp.java", "!twice", "twice")));
    let words = |more: &[&'static str]| {
        [&["diff", "old", "new", "--budget", "2s", "--markdown", "found.md", "--emit", "old"], more].concat()
    };
    let single = cupping(&folder, &words(&["--out", "one", "--json", "one.json"])).expect(1);
    let found = text(&folder, "found.md");
    assert!(single.stdout.contains("lamp.Lamp.press(boolean) (other result)"), "{}", single.stdout);
    let staged = words(&["--out", "all", "--json", "all.json", "--store", "store"]);
    assert_eq!(work(&folder, &staged), 1, "one class has changed");
    assert!(!folder.join("all").exists(), "workers write nothing but results");
    let merged = merge(&folder, &staged).expect(1);
    assert_eq!(merged.stdout, single.stdout);
    assert_eq!(text(&folder, "found.md"), found);
    assert_eq!(text(&folder, "all.json"), text(&folder, "one.json"));
    assert_eq!(contents(&folder.join("all")), contents(&folder.join("one")));
    // Another change of the class is another job, and one of a class that it does not use is none.
    version(&folder, "new", Some(("lamp/Lamp.java", "!twice", "twice ^ twice")));
    assert_eq!(plan(&folder, &staged).len(), 1);
    assert!(merge(&folder, &staged).expect(2).stderr.contains("lamp.Lamp: its job is not done"));
    version(&folder, "new", Some(("lamp/Lamp.java", "!twice", "twice")));
    assert_eq!(plan(&folder, &staged), [""; 0]);
}

#[test]
fn checks_of_tests() {
    let folder = scratch("stages-check");
    version(&folder, "classes", None);
    let classes = ["lamp.Lamp", "shop.Code"];
    cupping(&folder, &[&["generate", "-cp", "classes", "--work", "1s"], &classes[..]].concat()).expect(0);
    version(&folder, "classes", Some(("lamp/Lamp.java", "!twice", "twice")));
    let words = |more: &[&'static str]| [&["check", "-cp", "classes", "--json"], more].concat();
    let single = cupping(&folder, &words(&["one.json"])).expect(1);
    assert!(single.stdout.contains("LampTest"), "{}", single.stdout);
    let staged = words(&["all.json", "--store", "store"]);
    assert_eq!(work(&folder, &staged), 2, "a job for each file");
    let merged = merge(&folder, &staged).expect(1);
    assert_eq!(
        (merged.stdout, text(&folder, "all.json")),
        (single.stdout.clone(), text(&folder, "one.json"))
    );
    // A run with the store finds the results, and an edited file has none.
    assert_eq!(cupping(&folder, &staged).expect(1).stdout, single.stdout);
    let file = folder.join("cupping-tests/lamp/LampTest.java");
    fs::write(&file, fs::read_to_string(&file).unwrap() + "// edited\n").unwrap();
    let left = plan(&folder, &staged);
    assert!(left.len() == 1 && left[0].contains("LampTest"), "{left:?}");
    // Tests depend on everything on the class path.
    version(&folder, "classes", None);
    assert_eq!(plan(&folder, &staged).len(), 2);
    let refused = cupping(&folder, &[&["plan"], &words(&["x", "--update"])[..]].concat()).expect(2);
    assert!(refused.stderr.contains("cannot be planned"), "{}", refused.stderr);
}

#[test]
fn judgements_of_mutants() {
    let folder = scratch("stages-mutants");
    let fixture = repository().join("fixtures/mutants");
    let junit = junit();
    for part in ["classes", "weak", "strong"] {
        fs::create_dir(folder.join(part)).unwrap();
    }
    let classes = folder.join("classes");
    let sources: Vec<PathBuf> =
        ["Till", "Gate", "Desk"].map(|name| fixture.join(format!("shop/{name}.java"))).into();
    compile(&sources, "", &classes);
    let class_path = format!("{}:{junit}", classes.display());
    compile(&[fixture.join("WeakTest.java")], &class_path, &folder.join("weak"));
    compile(&[fixture.join("StrongTest.java")], &class_path, &folder.join("strong"));
    let path = format!("classes:{junit}");
    let words = |more: &[&'static str]| -> Vec<&str> {
        [&["mutants", "-cp", &path, "--suite", "weak", "--suite", "strong", "shop.Till", "shop.Gate"], more]
            .concat()
    };
    let single = cupping(&folder, &words(&["--survivors", "--json", "one.json"])).expect(0);
    let staged = words(&["--survivors", "--json", "all.json", "--store", "store"]);
    assert_eq!(work(&folder, &staged), 2, "a job for each suite, as there are few mutants");
    let merged = merge(&folder, &staged).expect(0);
    assert_eq!((merged.stdout, text(&folder, "all.json")), (single.stdout, text(&folder, "one.json")));
    // Other mutants are other jobs.
    assert_eq!(plan(&folder, &[&staged[..], &["--sample", "5"]].concat()).len(), 2);
}

#[test]
fn searches_of_inputs() {
    let folder = scratch("stages-exhaust");
    let fixture = repository().join("fixtures/exhaust");
    fs::create_dir(folder.join("classes")).unwrap();
    let sources = [fixture.join("Ring.java"), fixture.join("structures/Trees.java")];
    compile(&sources, "", &folder.join("classes"));
    fs::copy(fixture.join("ring.spec"), folder.join("ring.spec")).unwrap();
    let words = |more: &[&'static str]| [&["exhaust", "-cp", "classes"], more].concat();
    let run = |more: &[&'static str], code: i32| cupping(&folder, &words(more)).expect(code).stdout;
    // Undivided, a job reports what a run without stages does; in parts, what a run in parts does.
    let plain = run(&["ring.spec"], 1);
    for (parts, single) in [("1", plain.clone()), ("5", run(&["ring.spec", "--parts", "5"], 1))] {
        let staged = words(&["ring.spec", "--store", "store", "--parts", parts]);
        assert_eq!(work(&folder, &staged), parts.parse().unwrap());
        assert_eq!(merge(&folder, &staged).expect(1).stdout, single);
    }
    let summary = |text: &str| text.lines().find(|it| it.contains(" inputs, ")).unwrap().to_owned();
    assert_eq!(summary(&run(&["ring.spec", "--parts", "5"], 1)), summary(&plain));
    // Each part of a count enumerates inputs of its own.
    let count = ["ring.spec", "--count"];
    let counted = run(&count, 0);
    for parts in ["2", "3", "16"] {
        assert_eq!(run(&[&count[..], &["--parts", parts]].concat(), 0), counted, "{parts} parts");
    }
    // Objects that a predicate accepts, and a search that is long enough to be divided.
    let trees = ["--repok", "Trees$Search.repOk", "--scope", "Node=6,size=6,key=1..6"];
    let counted = run(&[&trees[..], &["--count"]].concat(), 0);
    let staged = words(&[&trees[..], &["--count", "--parts", "3", "--store", "store"]].concat());
    assert_eq!(work(&folder, &staged), 3);
    assert_eq!(merge(&folder, &staged).expect(0).stdout, counted);
    let removing = [
        "--repok",
        "Trees$Search.repOk",
        "--method",
        "remove",
        "--scope",
        "Node=3,size=0..3,key=1..4,gone=0..4",
    ];
    let checked = run(&removing, 1);
    let divided = [&removing[..], &["--parts", "4"]].concat();
    assert_eq!(summary(&run(&divided, 1)), summary(&checked));
    let staged = words(&[&divided[..], &["--store", "store"]].concat());
    assert_eq!(work(&folder, &staged), 4);
    assert_eq!(merge(&folder, &staged).expect(1).stdout, run(&divided, 1));
    let refused = cupping(&folder, &[&["plan"], &words(&["ring.spec", "--grow"])[..]].concat()).expect(2);
    assert!(refused.stderr.contains("--grow cannot be planned"), "{}", refused.stderr);
}
