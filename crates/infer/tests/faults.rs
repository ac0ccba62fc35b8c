//! Seeded faults (`fixtures/infer/faults.txt`): each is revealed by a test that is selected because it violates the specification
//! recorded of the class without it; but for those that are marked `hidden`, which none reveals so far.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::Session;
use cupping_infer::{Bounds, Explorer, Kept, Options, Recorded, Subject, infer_class};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn bounds() -> Bounds {
    // Trying values is enough for these, and quick.
    Bounds { calls: 5, executions: 700, paths: 0, ..Bounds::default() }
}

/// Opens a class and looks at it.
fn opened<T>(
    session: &mut Session,
    class: &str,
    look: impl FnOnce(&mut cupping_machine::Machine, &Subject) -> T,
) -> T {
    let mut bench = session.open(class, &[], &cupping_generate::Options::default()).expect("it loads");
    bench.reset();
    let subject = Subject::new(&mut bench);
    bench.reset();
    look(bench.machine(), &subject)
}

#[test]
fn seeded_faults_are_revealed() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/infer");
    let list = fs::read_to_string(fixtures.join("faults.txt")).expect("the list is there");
    let faults: Vec<(usize, Vec<&str>)> = list
        .lines()
        .enumerate()
        .filter(|(_, it)| !it.starts_with('#') && !it.is_empty())
        .map(|(at, it)| (at + 1, it.split(" => ").collect()))
        .collect();
    assert!(faults.len() >= 30, "{}", faults.len());
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut files: Vec<PathBuf> = fs::read_dir(fixtures.join("subjects"))
        .expect("the subjects are there")
        .flatten()
        .map(|it| it.path())
        .collect();
    files.sort();
    // Each in a package of its own, which other subjects that it needs are in, too.
    for (line, fault) in &faults {
        let package = format!("f{line}");
        let place = folder.path().join(&package);
        fs::create_dir_all(&place).expect("a folder can be made");
        for name in [fault[0], "RatPoly"] {
            let source =
                fs::read_to_string(fixtures.join(format!("subjects/{name}.java"))).expect("it is there");
            let source = source.replace("package subjects;", &format!("package {package};"));
            let source = if name == fault[0] {
                assert_eq!(source.matches(fault[1]).count(), 1, "line {line}: {}", fault[1]);
                source.replace(fault[1], fault[2])
            } else {
                source
            };
            let file = place.join(format!("{name}.java"));
            fs::write(&file, source).expect("it can be written");
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    let classes = folder.path().join("classes");
    let output = Command::new(jdk.javac_binary())
        .args(["-g", "-nowarn", "--release", "11", "-d"])
        .arg(&classes)
        .args(&files)
        .output()
        .expect("javac can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let class_path = ClassPath::open(&classes.to_string_lossy(), jdk.feature_version()).expect("a folder");
    let mut session = Session::new(Arc::new(Program::new(jdk, class_path))).expect("the JDK boots");
    let options = Options { bounds: bounds(), algebraic: false, ..Options::default() };
    let mut recorded: BTreeMap<&str, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (line, fault) in &faults {
        let name = fault[0];
        let kept = recorded.entry(name).or_insert_with(|| {
            opened(&mut session, &format!("subjects/{name}"), |machine, subject| {
                let outcome = infer_class(machine, subject, &Recorded::default(), &options);
                let executions: Vec<_> = outcome.explored.executions.iter().collect();
                Kept::new(subject, &outcome.specification, &executions).write()
            })
        });
        let kept = Kept::read(&kept.replace("subjects/", &format!("f{line}/"))).expect("it was written");
        let broken = opened(&mut session, &format!("f{line}/{name}"), |machine, subject| {
            let none = Recorded::default();
            let explored = Explorer::new(machine, subject, &none, bounds()).run(&none);
            kept.check(subject, &none, &explored)
        });
        let revealed = broken.iter().any(|it| it.test.is_some());
        if revealed == (fault.get(3) == Some(&"hidden")) {
            let how = if revealed { "revealed" } else { "not revealed" };
            wrong.push(format!("line {line}: {name}: {}: {how}", fault[2]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
