//! Suites are printed as in the expected files, and these compile and pass.
//!
//! `CUPPING_BLESS=1 cargo test -p cupping-report` rewrites the expected files.

mod support;

use cupping_case::Suite;
use cupping_report::facts::ClassFacts;
use cupping_report::junit::{Framework, JunitClass, test_classes};
use cupping_report::withheld_tests;

use std::collections::BTreeSet;
use std::path::PathBuf;
use support::suites;

/// The facts that the fixtures' class files would give.
struct FixtureFacts;

impl ClassFacts for FixtureFacts {
    fn is_accessible(&self, class: &str, package: &str) -> Option<bool> {
        Some(class != "hidden/Secret$HiddenException" || package == "hidden")
    }
}

fn all() -> Vec<Suite> {
    vec![suites::coin_box(), suites::kinds(), suites::scribe()]
}

fn check(version: Framework, folder: &str) {
    let classes: Vec<JunitClass> =
        all().iter().flat_map(|suite| test_classes(suite, version, &FixtureFacts)).collect();
    let verdict = support::certifier(version).certify(classes.clone()).unwrap();
    assert_eq!(verdict.divergences, []);
    let tests = |classes: &[JunitClass]| classes.iter().map(|it| it.methods.len()).sum::<usize>();
    assert_eq!(tests(&verdict.classes), tests(&classes));
    for class in verdict.classes {
        support::check_file(&format!("{folder}/{}", class.path()), &class.source().text);
    }
}

#[test]
fn junit_5_source_is_as_expected_and_passes() {
    check(Framework::Junit5, "junit5");
}

#[test]
fn junit_4_source_is_as_expected_and_passes() {
    check(Framework::Junit4, "junit4");
}

/// TestNG is a Debian package, which `./x test` installs.
#[test]
fn testng_source_is_as_expected_and_passes() {
    check(Framework::TestNg, "testng");
}

#[test]
fn printing_is_deterministic() {
    let print = || -> Vec<String> {
        let classes =
            all().into_iter().flat_map(|suite| test_classes(&suite, Framework::Junit5, &FixtureFacts));
        classes.map(|class| class.source().text).collect()
    };
    assert_eq!(print(), print());
}

#[test]
fn every_expected_file_is_printed() {
    let frameworks =
        [(Framework::Junit5, "junit5"), (Framework::Junit4, "junit4"), (Framework::TestNg, "testng")];
    for (version, folder) in frameworks {
        let folder = support::fixtures().join("expected").join(folder);
        let classes = all().into_iter().flat_map(|suite| test_classes(&suite, version, &FixtureFacts));
        let printed: BTreeSet<PathBuf> = classes.map(|class| folder.join(class.path())).collect();
        let files: BTreeSet<PathBuf> = support::java_files(&folder).into_iter().collect();
        assert_eq!(files, printed);
    }
}

#[test]
fn what_is_dangerous_is_withheld_and_told() {
    let suite = suites::scribe();
    for version in [Framework::Junit4, Framework::Junit5] {
        for class in test_classes(&suite, version, &FixtureFacts) {
            assert!(!class.failing, "the only failing case is dangerous");
            assert!(!class.source().text.contains("harm"), "{}", class.source().text);
            let cases: Vec<usize> = class.methods.iter().map(|it| it.case).collect();
            assert_eq!(cases, [1, 2], "places in the suite stay what they are");
        }
    }
    let text = withheld_tests::text("desk.Scribe", &withheld_tests::of_suite(&suite));
    let expected = "desk.Scribe: 2 tests are withheld: unsafe to run, or with results that differ between computers\n  \
                    harm: diary in the home folder deleted (2 tests)\n";
    assert_eq!(text, expected);
}
