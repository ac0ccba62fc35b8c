//! Cases record the effects of their runs outside of the heap; pure computations have none.

use cupping_case::{Action, Case, Probe};
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_generate::{GenerateOptions, Session};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

fn sources(folders: &[&str]) -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let files =
        folders.iter().flat_map(|it| std::fs::read_dir(fixtures.join(it)).expect("the fixtures are there"));
    let mut files: Vec<PathBuf> = files.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|it| it == "java"));
    files.sort();
    files
}

/// The cases for each public class of these folders, including failing and withheld ones. Nothing runs on a
/// JVM.
fn cases(folders: &[&str]) -> Vec<(String, Vec<Case>)> {
    let jdk = Jdk::locate(None).expect("the tests need a JDK");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let sources = sources(folders);
    let output = Command::new(jdk.javac_binary())
        .args(["-g", "-nowarn", "-proc:none", "--release", "11", "-d"])
        .arg(folder.path())
        .args(&sources)
        .output()
        .expect("javac can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let class_path =
        ClassPath::open(&folder.path().to_string_lossy(), jdk.feature_version()).expect("a folder");
    let mut session = Session::new(Arc::new(Program::new(jdk, class_path))).expect("the JDK boots");
    let options = GenerateOptions { budget: Duration::from_secs(20), ..GenerateOptions::default() };
    let named = sources.iter().map(|path| {
        let package = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
        format!("{package}/{}", path.file_stem().expect("a name").to_string_lossy())
    });
    named
        .map(|name| {
            let outcome = session.generate(&name, &options, &mut |_| true).expect("it can be analysed");
            let suite = outcome.suite;
            let withheld = suite.withheld.into_iter().map(|it| it.case);
            (name, suite.cases.into_iter().chain(suite.failing).chain(withheld).collect())
        })
        .collect()
}

#[test]
fn programs_that_only_compute_have_no_effects() {
    for (class, cases) in cases(&["papers/papers", "steps/steps"]) {
        assert!(!cases.is_empty(), "{class}");
        for case in cases {
            assert!(case.effects.is_empty(), "{class}: {:?} of {:?}", case.effects, case.steps);
        }
    }
}

#[test]
fn each_case_has_the_effects_of_its_run() {
    let found = cases(&["effects/touching"]);
    let of = |class: &str| &found.iter().find(|it| it.0 == format!("touching/{class}")).expect("a class").1;
    let told = |case: &Case| case.effects.iter().map(ToString::to_string).collect::<Vec<_>>();

    let cleaning = of("Victim").iter().filter(|case| &*case.under_test.name == "clean");
    let mut victim: Vec<_> = cleaning.map(told).collect();
    victim.sort();
    assert_eq!(victim, [vec![], vec!["/some/victim deleted".to_owned()]]);

    assert!(!of("Initialized").is_empty());
    assert!(of("Initialized").iter().all(|case| told(case) == ["/some/folder created as a folder"]));

    assert!(of("Warm").len() >= 2, "{:#?}", of("Warm"));
    assert!(of("Warm").iter().all(|case| told(case) == ["system property table.ready set"]));

    let observers = |case: &Case| {
        let probes = case.assertions.iter().filter_map(|it| match &it.probe {
            Probe::Observer { method, .. } => Some(method.name.to_string()),
            Probe::Var(_)
            | Probe::Elements(_)
            | Probe::Chain { .. }
            | Probe::Printed
            | Probe::PrintedToKept
            | Probe::Cause
            | Probe::State { .. }
            | Probe::Calls { .. }
            | Probe::Captured { .. }
            | Probe::File { .. } => None,
        });
        probes.collect::<Vec<_>>()
    };
    let observed = of("Observed");
    assert!(observed.iter().any(|case| observers(case) == ["getSize"]), "{observed:#?}");
    let asks = observed.iter().filter(|case| case.under_test.name.as_ref() == "isThere");
    assert!(asks.clone().count() > 0);
    // A call before the one under test counts too.
    let calls = |case: &Case, name: &str| {
        case.steps
            .iter()
            .any(|step| matches!(&step.action, Action::Invoke { method, .. } if *method.name == *name))
    };
    for case in observed {
        let expected = if calls(case, "isThere") { vec!["/some/place inspected".to_owned()] } else { vec![] };
        assert_eq!(told(case), expected);
        // File system queries are only asserted if the run has already made them.
        assert!(!expected.is_empty() || !observers(case).contains(&"isThere".to_owned()));
    }
}
