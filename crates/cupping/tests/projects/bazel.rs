//! A workspace of Bazel. Debian has Bazel 4, without the compiler of Java that it downloads; the workspace has another
//! (`fixtures/projects/bazel/tools`).

use crate::support::Run;
use crate::{Copy, change};
use std::fs;

/// The server of Bazel for a workspace, which ends with the test.
struct Server<'a>(&'a Copy);

impl Drop for Server<'_> {
    fn drop(&mut self) {
        self.0.command("bazel", "", &["shutdown"]);
    }
}

/// Packages are modules, their classes are jars, and a module without tests gets the framework of the other. Bazel is
/// asked again only if a file has changed.
#[test]
fn tests_for_a_workspace_of_bazel_pass_in_its_build() {
    let project = Copy::of("bazel");
    let _server = Server(&project);
    project.cupping("", &["generate", "--budget", "5s"]).expect(0);
    assert!(project.read("core/src/test/java/parcel/core/ParcelTest.java").contains("keepsItsWeight"));
    let rates = project.read("service/src/test/java/parcel/service/RatesTest.java");
    assert!(rates.contains("org.junit.Test") && rates.contains("parcel.core"), "{rates}");
    let printed = project.build("bazel", &["test", "//..."]);
    for test in [
        "core:parcel.core.ParcelTest",
        "core:parcel.core.ParcelCuppingTest",
        "service:parcel.service.RatesTest",
    ] {
        let passed = printed.lines().any(|it| it.starts_with(&format!("//{test} ")) && it.contains("PASSED"));
        assert!(passed, "{test}: {printed}");
    }

    let is_asked = |run: &Run| run.stderr.contains("Bazel compiles the project");
    let known = project.cupping("core/src", &["project", "--verbose"]).expect(0);
    assert!(is_asked(&known), "the tests are new sources: {}", known.stderr);
    let known = project.cupping("core/src", &["project", "--verbose"]).expect(0);
    assert!(!is_asked(&known), "{}", known.stderr);
    for part in
        ["(Bazel)\n", "module   core\n", "module   service\n", "uses     JUnit 4, ", "/core/libcore.jar"]
    {
        assert!(known.stdout.contains(part), "{part}: {}", known.stdout);
    }
    // A class by its name, in a jar of one of the modules; the project's own tests as a suite.
    let one =
        project.cupping("", &["generate", "parcel.service.Rates", "--out", "one", "--verbose"]).expect(0);
    assert!(!is_asked(&one) && !one.stdout.contains("Parcel"), "{}{}", one.stderr, one.stdout);
    let survivors = project.cupping("service", &["mutants", "parcel.core.Parcel"]).expect(0);
    assert!(survivors.stdout.contains("suite 1: "), "{}", survivors.stdout);

    // Classes of which only the tests do not compile are still used.
    let source = project.folder.join("service/src/main/java/parcel/service/Rates.java");
    let before = fs::read_to_string(&source).unwrap();
    change(&source, &before.replace("int of(", "int cents("));
    let run = project.cupping("", &["check", "service"]).expect(1);
    let warning = "the tests of the project do not compile, so they are left out: ";
    assert!(run.stderr.contains(warning) && run.stderr.contains("RatesTest.java:"), "{}", run.stderr);
    assert!(run.stdout.contains("code is gone: parcel.service.RatesTest."), "{}", run.stdout);
    change(&source, &before.replace("int of(", "int of(Nothing it, "));
    let run = project.cupping("", &["generate"]).expect(2);
    assert!(run.stderr.contains("bazel build failed in") && run.stderr.contains("Nothing"), "{}", run.stderr);
}
