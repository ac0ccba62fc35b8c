//! Knowledge of people is used: a set-up, and existing tests (`fixtures/guidance`).

mod support;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use support::{compile, cupping, repository, scratch};

/// The libraries of people's suites.
const JUNIT: &str = "/usr/share/java/junit-jupiter-api.jar:/usr/share/java/opentest4j.jar:/usr/share/java/apiguardian-api.jar";

/// The fixture, compiled into `classes` and `tests`.
fn compiled(name: &str) -> PathBuf {
    let folder = scratch(name);
    let fixture = repository().join("fixtures/guidance");
    let (classes, tests) = (folder.join("classes"), folder.join("suite"));
    fs::create_dir(&classes).unwrap();
    fs::create_dir(&tests).unwrap();
    compile(
        &["Vault", "VaultFactory", "Catalog", "Basket"].map(|it| fixture.join(format!("app/{it}.java"))),
        "",
        &classes,
    );
    let library = format!("{}:{}", classes.display(), JUNIT);
    compile(&[fixture.join("VaultTest.java"), fixture.join("BasketTest.java")], &library, &tests);
    folder
}

/// The source of the tests of the vault, and the number of its branches that they cover.
fn generated(name: &str, options: &[&str]) -> (String, u64) {
    let folder = compiled(name);
    let args = [
        "generate",
        "-cp",
        "classes",
        "app.Vault",
        "--out",
        "tests",
        "--json",
        "report.json",
        "--budget",
        "5s",
    ];
    cupping(&folder, &[&args[..], options].concat()).expect(0);
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    let covered = report["results"]["classes"][0]["coverage"]["branches"]["covered"].as_u64().unwrap();
    (fs::read_to_string(folder.join("tests/app/VaultTest.java")).unwrap_or_default(), covered)
}

#[test]
fn without_guidance_the_password_is_not_found() {
    let (source, covered) = generated("guidance-none", &[]);
    assert!(!source.contains("sesame"), "{source}");
    assert!(covered < 4, "{covered}: {source}");
}

#[test]
fn factories_and_strings_of_existing_tests_are_used() {
    let (source, covered) = generated("guidance-suite", &["--suite", "suite"]);
    assert!(source.contains("VaultFactory.vault()"), "{source}");
    assert!(source.contains("open(\"open-sesame-5731\")"), "{source}");
    assert_eq!(covered, 4, "{source}");
}

#[test]
fn every_object_begins_with_the_setup() {
    let (source, _) = generated("guidance-setup", &["--setup", "app.VaultFactory.vault"]);
    let opened = source.matches(".open(").count();
    assert!(opened > 0, "{source}");
    assert_eq!(source.matches("VaultFactory.vault()").count(), opened, "{source}");
}

#[test]
fn a_setup_is_a_class_and_a_method() {
    let folder = compiled("guidance-wrong");
    let args = ["generate", "-cp", "classes", "app.Vault", "--setup", "vault"];
    let run = cupping(&folder, &args).expect(2);
    assert!(run.stderr.contains("CLASS.METHOD"), "{}", run.stderr);
}

#[test]
fn every_object_begins_as_in_a_test_class() {
    let folder = compiled("guidance-before");
    let args = ["generate", "-cp", "classes", "app.Basket", "--suite", "suite", "--work", "3s"];
    cupping(&folder, &[&args[..], &["--setup", "app.BasketTest", "--json", "report.json"]].concat())
        .expect(0);
    let source = fs::read_to_string(folder.join("cupping-tests/app/BasketTest.java")).unwrap();
    // Its loop, its method and its superclass have become plain calls.
    for step in ["price(\"water\", 1)", "price(\"tea\", 10)", "price(\"bread\", 30)", ".open()"] {
        assert!(source.contains(step), "{step} in {source}");
    }
    let (adds, opens) = (source.matches(".add(").count(), source.matches(".open();").count());
    assert!(adds > 0 && opens >= source.matches(".price(\"milk\", 20)").count(), "{source}");
    assert!(!source.contains("IllegalStateException"), "{source}");
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    // All but the way into a basket that is shut.
    let branches = &report["results"]["classes"][0]["coverage"]["branches"];
    assert_eq!((branches["covered"].as_u64(), branches["total"].as_u64()), (Some(5), Some(6)), "{source}");
}

#[test]
fn a_method_of_a_test_class_can_be_a_setup() {
    let folder = compiled("guidance-method");
    let args = ["generate", "-cp", "classes:suite", "app.Catalog", "--setup", "app.WithCatalog.newCatalog"];
    cupping(&folder, &args).expect(0);
    let source = fs::read_to_string(folder.join("cupping-tests/app/CatalogTest.java")).unwrap();
    let objects = source.matches("new Catalog()").count();
    assert!(objects > 1, "{source}");
    // Except in the test of the constructor, if there is one.
    assert!(objects - source.matches("price(\"water\", 1)").count() <= 1, "{source}");
}

#[test]
fn a_setup_that_depends_on_a_run_is_refused_with_its_place() {
    let folder = compiled("guidance-chance");
    let args =
        ["generate", "-cp", "classes:suite", "app.Basket", "--setup", "app.ChanceTest", "--work", "1s"];
    let run = cupping(&folder, &args).expect(2);
    assert!(run.stderr.contains("app.ChanceTest.perhaps:48"), "{}", run.stderr);
    assert!(run.stderr.contains("depends on a run"), "{}", run.stderr);
}
