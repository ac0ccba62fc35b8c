//! Runs the examples in `fixtures/watch/*`, the paper's and others: each is a program, its specification, and
//! the expected report. `CUPPING_BLESS=1` rewrites the expectations.

use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_contract::{Compiler, SpecificationSource};
use cupping_coverage::CoverageMap;
use cupping_machine::{Machine, ProgramEnd, RunLimits};
use cupping_watch::{CheckOptions, Report, WatchOptions, Watcher, branches, generalize};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::Arc;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The output of a run and how it ended.
fn output(machine: &Machine, ending: &ProgramEnd) -> String {
    let bytes = machine.registers().cold.output.iter().flat_map(|(_, bytes)| bytes.iter().copied());
    format!("{}{ending:?}\n", String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()))
}

fn short(report: &Report) -> String {
    let mut text = String::new();
    for row in &report.sites {
        let counts: Vec<String> =
            row.counts.iter().map(|(outcome, count)| format!("{} {count}", outcome.name())).collect();
        let _ = writeln!(text, "{} from {}: {}", row.method, row.site, counts.join(", "));
        for (outcome, example) in &row.examples {
            let _ = writeln!(text, "    {} {} [{}]", outcome.name(), example.triple, example.note);
            let _ = writeln!(text, "        before {:?}", example.before);
            let _ = writeln!(text, "        after  {:?}", example.after);
        }
    }
    for (method, way, count) in &report.untested_paths {
        let _ = writeln!(text, "untested path of {method}: {way} ({count})");
    }
    for (method, count) in &report.untested {
        let _ = writeln!(text, "untested {method} ({count})");
    }
    for suggestion in &report.suggestions {
        let _ = writeln!(text, "{}: {} {}", suggestion.triple, suggestion.requirement, suggestion.refined);
    }
    text
}

#[test]
fn examples_come_out_as_expected() {
    let jdk = Jdk::locate(None).unwrap();
    let mut folders: Vec<PathBuf> =
        fs::read_dir(repository().join("fixtures/watch")).unwrap().map(|it| it.unwrap().path()).collect();
    folders.sort();
    let mut wrong = Vec::new();
    for folder in folders {
        let classes = tempfile::tempdir().unwrap();
        let sources: Vec<PathBuf> = fs::read_dir(&folder)
            .unwrap()
            .map(|it| it.unwrap().path())
            .filter(|it| it.extension().is_some_and(|it| it == "java"))
            .collect();
        let javac = Command::new(jdk.javac_binary())
            .args(["-g", "--release", "17", "-d"])
            .arg(classes.path())
            .args(&sources)
            .output();
        let javac = javac.unwrap();
        assert!(javac.status.success(), "{}", String::from_utf8_lossy(&javac.stderr));
        let stem = sources[0].file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&sources[0]).unwrap();
        let package = text.strip_prefix("package ").and_then(|it| it.split(';').next());
        let main = package.map_or(stem.clone(), |package| format!("{package}.{stem}"));
        let class_path = ClassPath::open(classes.path().to_str().unwrap(), jdk.feature_version()).unwrap();
        let program = Arc::new(Program::new(jdk.clone(), class_path));
        let source =
            SpecificationSource::new("spec.tj", &fs::read_to_string(folder.join("spec.tj")).unwrap());
        let specification = cupping_contract::read(&source).unwrap_or_else(|it| panic!("{it}"));
        let specifications = vec![specification];
        let compiled =
            Compiler { program: &program }.compile(&specifications).unwrap_or_else(|it| panic!("{it}"));
        let mut coverage = CoverageMap::new();
        for entry in program.class_path().entries() {
            for name in entry.class_names().unwrap() {
                coverage.track(&program.require(&name).unwrap()).unwrap();
            }
        }
        let mut machine =
            Machine::boot(program.clone(), RunLimits { record_flows: true, ..RunLimits::default() }).unwrap();
        machine.track(&coverage);
        cupping_watch::define(&mut machine, &compiled).unwrap();
        let checked = cupping_watch::check(&mut machine, &compiled, &CheckOptions::default());
        assert!(checked.passed(), "{}: {:#?}", folder.display(), checked.results);
        let mut branches = branches(&compiled, &specifications, &checked);
        generalize(&compiled, &mut branches);
        let mut plain = Machine::boot(program.clone(), RunLimits::default()).unwrap();
        let ending = plain.launch(&main, &[]);
        let expected_output = output(&plain, &ending);
        let mut watched = Machine::boot(program, RunLimits::default()).unwrap();
        let watcher = Watcher::install(
            &mut watched,
            Rc::new(compiled),
            Rc::new(specifications),
            branches,
            Rc::new(coverage),
            WatchOptions::default(),
        );
        let watcher = watcher.unwrap();
        let ending = watched.launch(&main, &[]);
        assert_eq!(output(&watched, &ending), expected_output, "{}", folder.display());
        let found = short(&watcher.report(&watched));
        let expected = folder.join("expected.txt");
        if std::env::var_os("CUPPING_BLESS").is_some() {
            fs::write(&expected, &found).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", folder.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
