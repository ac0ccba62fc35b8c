//! `plan`, `work`, `merge` and `--store`: results equal those of a single run, whoever does the work.

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::Duration;
use support::{Run, command, compile, contents, cupping, files, repository, scratch};

/// The common options of all commands here. A budget for all classes together is distributed in rounds.
const GENERATE: [&str; 14] = [
    "generate", "-cp", "classes", "shop.*", "lamp.*", "--work", "100ms", "--out", "tests", "--html", "pages",
    "--json", "all.json", "--jobs=1",
];

/// A folder with the classes of the fixture.
fn fixture(name: &str) -> PathBuf {
    let folder = scratch(name);
    fs::create_dir(folder.join("classes")).unwrap();
    compile(&files(&repository().join("fixtures/scale")), "", &folder.join("classes"));
    folder
}

fn stored(more: &[&'static str]) -> Vec<&'static str> {
    [&GENERATE[..], &["--store", "store"], more].concat()
}

fn staged(stage: &'static str, more: &[&'static str]) -> Vec<&'static str> {
    [vec![stage], stored(more)].concat()
}

/// All output of a run except for times: files, and the report.
fn left(folder: &Path) -> (BTreeMap<PathBuf, String>, BTreeMap<PathBuf, String>, Value) {
    let mut report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("all.json")).unwrap()).unwrap();
    for class in report["results"]["classes"].as_array_mut().unwrap() {
        assert!(class["time_ms"].take().is_u64());
    }
    (contents(&folder.join("tests")), contents(&folder.join("pages")), report)
}

/// The numbers of `--stats`: paths that were run.
fn paths(run: &Run) -> u64 {
    let line = run.stdout.lines().find(|line| line.contains(" paths run")).unwrap();
    line.split(' ').next().unwrap().parse().unwrap()
}

/// Plans until nothing is left, and does the jobs in this many parts; returns the number of plans.
fn work_off(folder: &Path, shards: usize) -> usize {
    for round in 0.. {
        let plan = cupping(folder, &staged("plan", &[])).expect(0);
        assert_eq!(plan.stdout, cupping(folder, &staged("plan", &[])).expect(0).stdout, "plans are the same");
        if plan.stdout.is_empty() {
            return round;
        }
        fs::write(folder.join("jobs"), &plan.stdout).unwrap();
        // The last part first: the order does not matter.
        for number in (1..=shards).rev() {
            cupping(folder, &["work", "jobs", "--shard", &format!("{number}/{shards}")]).expect(0);
        }
        assert!(round < 10, "{}", plan.stdout);
    }
    unreachable!()
}

#[test]
fn any_number_of_shards_gives_what_one_run_gives() {
    let single = fixture("scale-single");
    let code = cupping(&single, &GENERATE).code.unwrap();
    let expected = left(&single);
    assert!(expected.0.len() >= 4, "{:?}", expected.0.keys());
    for shards in [1, 2, 7] {
        let folder = fixture(&format!("scale-shards-{shards}"));
        assert!(work_off(&folder, shards) > 1, "the budget is dealt out in rounds");
        assert!(!folder.join("tests").exists(), "workers write nothing but results");
        for _ in 0..2 {
            cupping(&folder, &staged("merge", &[])).expect(i32::from(code as u8));
            assert_eq!(left(&folder), expected, "{shards} shards");
        }
    }
}

#[test]
fn jobs_of_unchanged_classes_are_not_done_again() {
    let folder = fixture("scale-again");
    let first = cupping(&folder, &stored(&["--stats"]));
    let before = left(&folder);
    assert!(paths(&first) > 0, "{}", first.stdout);
    let second = cupping(&folder, &stored(&["--stats"])).expect(first.code.unwrap());
    assert_eq!(paths(&second), 0, "{}", second.stdout);
    assert_eq!(left(&folder), before);
    // Deleted output is restored without work.
    fs::remove_dir_all(folder.join("tests")).unwrap();
    assert_eq!(paths(&cupping(&folder, &stored(&["--stats"]))), 0);
    assert_eq!(left(&folder), before);
    // Another option makes another request.
    let other = cupping(&folder, &stored(&["--stats", "--seed", "3"]));
    assert!(paths(&other) > 0, "{}", other.stdout);
}

/// One class at a time: a budget for each.
fn each(more: &[&'static str]) -> Vec<&'static str> {
    let classes = ["shop.Money", "shop.Till", "shop.Code", "lamp.Lamp"];
    let options =
        ["-cp", "classes", "--work", "1s", "--out", "tests", "--json", "all.json", "--store", "store"];
    [&["generate"], &classes[..], &options[..], &["--html", "pages"], more].concat()
}

#[test]
fn a_change_costs_what_depends_on_it() {
    let folder = fixture("scale-change");
    cupping(&folder, &each(&[]));
    let count = || files(&folder.join("store/results")).len();
    let change = |file: &str, from: &str, to: &str| {
        let text = fs::read_to_string(repository().join("fixtures/scale").join(file)).unwrap();
        assert!(text.contains(from));
        let source = folder.join("changed").join(Path::new(file).file_name().unwrap());
        fs::create_dir_all(source.parent().unwrap()).unwrap();
        fs::write(&source, text.replace(from, to)).unwrap();
        let classes = folder.join("classes");
        compile(&[source], classes.to_str().unwrap(), &classes);
    };
    let all = count();
    assert_eq!(all, 4);
    change("lamp/Lamp.java", "!twice", "twice");
    cupping(&folder, &each(&[]));
    assert_eq!(count() - all, 1, "the lamp alone");
    // Searches for makers read the declarations of a package.
    change("shop/Code.java", "sum * 7", "sum * 9");
    cupping(&folder, &each(&[]));
    assert_eq!(count() - all, 2, "the code alone");
    change("shop/Money.java", "cents < 0", "cents < 1");
    cupping(&folder, &each(&[]));
    assert_eq!(count() - all, 4, "money, and the till that holds it");
    // A comment moves the lines of the last method, at which nothing of the till ends.
    change("shop/Money.java", "public int cents()", "// In all.\n    public int cents()");
    cupping(&folder, &each(&[]));
    assert_eq!(count() - all, 5, "money alone");
    change("shop/Money.java", "cents < 0", "cents < 1");
    cupping(&folder, &each(&[]));
    assert_eq!(count() - all, 5, "all is known");
    // A class that comes or goes concerns its package.
    let left = || cupping(&folder, &[vec!["plan"], each(&[])].concat()).expect(0).stdout.lines().count();
    assert_eq!(left(), 0);
    for (package, expected) in [("other", 0), ("lamp", 1)] {
        let source = folder.join("changed/Extra.java");
        fs::write(&source, format!("package {package}; public class Extra {{ int one() {{ return 1; }} }}"))
            .unwrap();
        compile(&[source], "", &folder.join("classes"));
        assert_eq!(left(), expected, "{package}");
        fs::remove_file(folder.join(format!("classes/{package}/Extra.class"))).unwrap();
        assert_eq!(left(), 0, "{package}");
    }
    // The same as if nothing had been known.
    let known = self::left(&folder);
    fs::remove_dir_all(folder.join("store")).unwrap();
    fs::remove_dir_all(folder.join("tests")).unwrap();
    cupping(&folder, &each(&[]));
    assert_eq!(self::left(&folder), known);
}

#[test]
fn a_file_of_the_users_stays_and_the_class_is_done_beside_it() {
    let folder = fixture("scale-mine");
    cupping(&folder, &each(&[]));
    let test = folder.join("tests/lamp/LampTest.java");
    let edited = fs::read_to_string(&test).unwrap() + "// mine\n";
    fs::write(&test, &edited).unwrap();
    for _ in 0..2 {
        cupping(&folder, &each(&[]));
        assert_eq!(fs::read_to_string(&test).unwrap(), edited);
        assert!(folder.join("tests/lamp/LampCuppingTest.java").is_file());
    }
    fs::remove_file(&test).unwrap();
    cupping(&folder, &each(&[]));
    assert!(test.is_file() && !folder.join("tests/lamp/LampCuppingTest.java").exists());
}

#[test]
fn poisoned_results_are_found_out_and_done_again() {
    let folder = fixture("scale-poisoned");
    work_off(&folder, 1);
    cupping(&folder, &staged("merge", &[]));
    let before = left(&folder);
    for entry in files(&folder.join("store/results")) {
        let text = fs::read_to_string(&entry).unwrap().replacen("assert", "assure", 1);
        fs::write(&entry, text).unwrap();
    }
    let merged = cupping(&folder, &staged("merge", &[])).expect(2);
    assert!(merged.stderr.contains("its job is not done"), "{}", merged.stderr);
    work_off(&folder, 2);
    cupping(&folder, &staged("merge", &[]));
    assert_eq!(left(&folder), before);
}

#[test]
fn a_worker_with_other_files_than_those_of_the_plan_does_nothing() {
    let folder = fixture("scale-other");
    let plan = cupping(&folder, &staged("plan", &[])).expect(0);
    fs::write(folder.join("jobs"), &plan.stdout).unwrap();
    fs::copy(folder.join("classes/shop/Till.class"), folder.join("classes/lamp/Lamp.class")).unwrap();
    let work = cupping(&folder, &["work", "jobs"]).expect(2);
    assert!(work.stderr.contains("lamp.Lamp: the class, the JDK"), "{}", work.stderr);
    let full = cupping(&folder, &["work", "jobs", "--store", "/dev/null/store"]).expect(2);
    assert!(full.stderr.contains("cannot be written"), "{}", full.stderr);
    let none = cupping(&folder, &["work", "nowhere"]).expect(2);
    assert!(none.stderr.contains("nowhere: cannot be read"), "{}", none.stderr);
    let unstored = [&["plan"], &GENERATE[..]].concat();
    assert!(!cupping(&folder, &unstored).expect(0).stdout.is_empty(), "a plan needs no store");
    let unknown = cupping(&folder, &["plan", "doctor"]).expect(2);
    assert!(unknown.stderr.contains("doctor cannot be planned"), "{}", unknown.stderr);
}

#[test]
fn workers_may_have_the_same_jobs_and_be_killed() {
    let single = fixture("scale-alone");
    cupping(&single, &GENERATE);
    let folder = fixture("scale-killed");
    let plan = cupping(&folder, &staged("plan", &[])).expect(0);
    fs::write(folder.join("jobs"), &plan.stdout).unwrap();
    let worker = || {
        let mut worker = command(&folder, &["work", "jobs"]);
        worker.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut killed = worker();
    while files(&folder.join("store/results")).is_empty() && killed.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(20));
    }
    let _ = killed.kill();
    let _ = killed.wait();
    let mut both = [worker(), worker()];
    both.iter_mut().for_each(|it| assert!(it.wait().unwrap().success()));
    work_off(&folder, 1);
    cupping(&folder, &staged("merge", &[]));
    assert_eq!(left(&folder), left(&single));
}

#[test]
fn a_worker_takes_jobs_as_they_come() {
    let single = fixture("scale-unstreamed");
    cupping(&single, &each(&[]));
    let folder = fixture("scale-streamed");
    let plan = cupping(&folder, &[vec!["plan"], each(&[])].concat()).expect(0).stdout;
    let mut worker = command(&folder, &["work", "--stream"]);
    let mut worker =
        worker.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = worker.stdin.take().unwrap();
    let mut answers = BufReader::new(worker.stdout.take().unwrap()).lines();
    let mut answer = |line: &str| -> Value {
        writeln!(input, "{line}").unwrap();
        serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap()
    };
    for (done, line) in (1..).zip(plan.lines()) {
        let job: Value = serde_json::from_str(line).unwrap();
        assert_eq!(answer(line), serde_json::json!({"job": job["job"], "done": true}));
        assert_eq!(files(&folder.join("store/results")).len(), done, "the next one is not begun");
        assert_eq!(answer(line)["done"], true, "it is there");
    }
    let (key, other) = (plan.split('"').nth(3).unwrap(), "0".repeat(64));
    assert_eq!(answer(&plan.lines().next().unwrap().replace(key, &other))["done"], false, "another class");
    drop(input);
    let ended = worker.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("is not that of the plan"), "{ended:?}");
    cupping(&folder, &[vec!["merge"], each(&[])].concat());
    assert_eq!(left(&folder), left(&single));
}

#[test]
fn analyses_have_stages_too() {
    for analysis in ["dataflow", "infer"] {
        let folder = fixture(&format!("scale-{analysis}"));
        let words = |out: &'static str, json: &'static str| -> Vec<&'static str> {
            let classes = ["-cp", "classes", "shop.Money", "lamp.Lamp", "--budget", "20s"];
            [&classes[..], &["--out", out, "--json", json, "--html", "pages"]].concat()
        };
        let single = [&[analysis], &words("one", "one.json")[..]].concat();
        let single = cupping(&folder, &single);
        let pages = contents(&folder.join("pages"));
        fs::remove_dir_all(folder.join("pages")).unwrap();
        let rest = [&[analysis], &words("all", "all.json")[..], &["--store", "store"]].concat();
        let stage = |stage: &'static str| [&[stage], &rest[..]].concat();
        let plan = cupping(&folder, &stage("plan")).expect(0);
        assert_eq!(plan.stdout.lines().count(), 2, "{}", plan.stdout);
        fs::write(folder.join("jobs"), &plan.stdout).unwrap();
        cupping(&folder, &["work", "jobs"]).expect(0);
        assert_eq!(cupping(&folder, &stage("plan")).expect(0).stdout, "");
        let merged = cupping(&folder, &stage("merge")).expect(single.code.unwrap());
        assert_eq!(merged.stdout, single.stdout);
        assert_eq!(contents(&folder.join("all")), contents(&folder.join("one")));
        assert_eq!(contents(&folder.join("pages")), pages);
        let report = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(report("all.json"), report("one.json"));
    }
}
