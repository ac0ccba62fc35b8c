//! Threads: deadlocks are reported as expected (`fixtures/schedules/NAME.expected`, rewritten with
//! `CUPPING_BLESS=1`), schedules depend on the seed alone, and virtual threads behave as on the JDK.

mod common;

use common::{all_jdks, fixtures, observe};
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::{Halt, Machine, ProgramEnd, RunLimits};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

/// Backward jumps and calls that a program may make.
const FUEL: u64 = 50_000_000;

/// The compiled programs of `fixtures/schedules`.
fn schedules() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| compile(&all_jdks()[0], &fixtures().join("schedules"))).path()
}

fn compile(jdk: &Jdk, sources: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let entries = std::fs::read_dir(sources).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "java")).collect();
    let done = Command::new(jdk.javac_binary())
        .args(["-g", "-nowarn", "-d"])
        .arg(folder.path())
        .args(files)
        .status();
    assert!(done.unwrap().success());
    folder
}

fn boot(jdk: &Jdk, classes: &Path, limits: RunLimits) -> Machine {
    let class_path = ClassPath::open(&classes.to_string_lossy(), jdk.feature_version()).unwrap();
    Machine::boot(Arc::new(Program::new(jdk.clone(), class_path)), limits).unwrap()
}

/// Standard output of a program, and how it ended.
fn launch(name: &str, limits: RunLimits) -> (String, ProgramEnd) {
    let mut machine = boot(&all_jdks()[0], schedules(), limits);
    machine.set_fuel(FUEL);
    let ending = machine.launch(name, &[]);
    (String::from_utf8_lossy(&machine.written(1)).into_owned(), ending)
}

/// A report without addresses and without lines of the JDK's own code, which differ between builds.
fn normalized(report: &str) -> String {
    let mut text = String::new();
    for line in report.lines() {
        let (mut rest, in_jdk) = (line, line.contains("java.base/"));
        while let Some((before, after)) = rest.split_once("<0x") {
            text += before;
            text += "<address>";
            rest = after.split_once('>').map_or("", |(_, after)| after);
        }
        match rest.rsplit_once(':') {
            Some((before, _)) if in_jdk => text += before,
            _ => text += rest,
        }
        text.push('\n');
    }
    text
}

#[test]
fn deadlocks_are_reported_with_all_stacks() {
    for name in ["LockOrder", "OwnedLocks", "LostNotify"] {
        let (_, ending) = launch(name, RunLimits::default());
        let ProgramEnd::Stopped(Halt::Deadlock(report)) = ending else { panic!("{name}: {ending:?}") };
        let (report, path) = (normalized(&report), fixtures().join(format!("schedules/{name}.expected")));
        if std::env::var_os("CUPPING_BLESS").is_some() {
            std::fs::write(&path, &report).unwrap();
        }
        assert_eq!(report, std::fs::read_to_string(&path).unwrap_or_default(), "{name}");
    }
}

#[test]
fn a_seed_gives_one_schedule_and_seeds_give_many() {
    let run = |seed: Option<u64>| {
        launch("Racy", RunLimits { schedule_seed: seed, quantum: 500, ..RunLimits::default() })
    };
    let outputs: Vec<String> = [None, Some(0), Some(1), Some(2), Some(3)].map(|seed| run(seed).0).to_vec();
    for (seed, output) in [None, Some(0), Some(1), Some(2), Some(3)].into_iter().zip(&outputs) {
        assert!(output.ends_with('\n'), "{output}");
        assert_eq!(run(seed).0, *output, "seed {seed:?}");
    }
    let mut different = outputs.clone();
    different.sort();
    different.dedup();
    assert!(different.len() >= 4, "{outputs:#?}");
}

#[test]
fn too_many_threads_are_an_error_of_java() {
    let (output, ending) = launch("TooManyThreads", RunLimits { threads: 50, ..RunLimits::default() });
    let message = "unable to create native thread: possibly out of memory or process/resource limits reached";
    assert_eq!(output, format!("49 {message}\n"));
    assert_eq!(ending, ProgramEnd::Exited(0));
}

#[test]
fn virtual_threads_do_as_on_the_jdk() {
    let jdks = all_jdks();
    let jdk = &jdks[jdks.len() - 1];
    if jdk.feature_version() < 21 {
        eprintln!("skipped: virtual_threads_do_as_on_the_jdk, for want of JDK 21 or later");
        return;
    }
    let folder = compile(jdk, &fixtures().join("java21/threads"));
    let mut machine = boot(jdk, folder.path(), RunLimits::default());
    let java = Command::new(jdk.java_binary()).arg("-cp").arg(folder.path()).arg("VirtualThreads").output();
    let expected = String::from_utf8_lossy(&java.unwrap().stdout).into_owned();
    assert_eq!(observe(&mut machine, "VirtualThreads", FUEL), format!("{expected}--- exit: normal\n"));
}
