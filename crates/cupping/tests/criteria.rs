//! `--criterion` and `--all-paths`: met, unmet and infeasible goals (`fixtures/criteria`), in tests that hold on the
//! JDK.

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::{compile, cupping, files, methods, repository, scratch};

/// The fixture, compiled into `classes`.
fn compiled(name: &str) -> PathBuf {
    let folder = scratch(name);
    fs::create_dir(folder.join("classes")).unwrap();
    compile(&files(&repository().join("fixtures/criteria/app")), "", &folder.join("classes"));
    folder
}

/// The report on a class.
fn generated(folder: &Path, class: &str, options: &[&str]) -> Value {
    generated_with(0, folder, class, options)
}

/// The same of a run that ends with this code.
fn generated_with(code: i32, folder: &Path, class: &str, options: &[&str]) -> Value {
    let args =
        ["generate", "-cp", "classes", class, "--out", "tests", "--json", "report.json", "--work", "5s"];
    cupping(folder, &[&args[..], options].concat()).expect(code);
    let text = fs::read_to_string(folder.join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    report["results"]["classes"][0].clone()
}

#[test]
fn criteria_are_met_as_far_as_inputs_can() {
    let folder = compiled("criteria");
    let expected = fs::read_to_string(repository().join("fixtures/criteria/EXPECTED")).unwrap();
    let rows = expected.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' '));
    let mut by_class: BTreeMap<&str, Vec<[&str; 4]>> = BTreeMap::new();
    for mut row in rows {
        let class = row.next().unwrap();
        let figures: Vec<&str> = row.collect();
        by_class.entry(class).or_default().push(figures.try_into().unwrap());
    }
    let mut wrong = String::new();
    for (class, rows) in by_class {
        // All that is asked of a class, in one run.
        let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
        let found = generated(&folder, class, &["--criterion", &names.join(",")]);
        assert_eq!(found["divergences"].as_array().unwrap().len(), 0, "{found:#}");
        for [name, met, unmet, infeasible] in rows {
            let results = found["criteria"].as_array().unwrap();
            let result = results.iter().find(|it| it["criterion"] == name).unwrap();
            let figures = ["met", "unmet", "infeasible"].map(|key| result[key].to_string());
            if figures != [met, unmet, infeasible] {
                wrong += &format!(
                    "{class} {name}: {figures:?}, not {met} {unmet} {infeasible}: {:#}\n",
                    result["open"]
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn both_sides_of_an_edge_are_in_the_tests() {
    let folder = compiled("criteria-edge");
    let args = ["--criterion", "boundary", "--method", "longs"];
    generated(&folder, "app.Edges", &args);
    let source = fs::read_to_string(folder.join("tests/app/EdgesTest.java")).unwrap();
    // x < y: equal, and x one below.
    let calls: Vec<[i64; 2]> = source
        .lines()
        .filter_map(|line| line.split("longs(").nth(1)?.split(')').next())
        .map(|args| {
            let numbers = args.split(", ").map(|it| it.trim_end_matches('L').parse().unwrap());
            numbers.collect::<Vec<i64>>().try_into().unwrap()
        })
        .collect();
    assert_eq!(calls.len(), 2, "{source}");
    assert!(calls.iter().any(|[x, y]| x == y) && calls.iter().any(|[x, y]| x + 1 == *y), "{source}");
}

#[test]
fn all_paths_keeps_a_test_for_each_path() {
    let folder = compiled("criteria-paths");
    let tests = |options: &[&str]| {
        generated(&folder, "app.Paths", options);
        methods(&fs::read_to_string(folder.join("tests/app/PathsTest.java")).unwrap()).len()
    };
    let few = tests(&[]);
    assert!(few < 6, "{few}");
    assert_eq!(tests(&["--all-paths"]), 6);
}

#[test]
fn unmet_goals_are_reported_with_their_place() {
    let folder = compiled("criteria-open");
    let found = generated(&folder, "app.Edges", &["--criterion", "boundary", "--html", "pages"]);
    let open = &found["criteria"][0]["open"][0];
    assert_eq!(open["place"], "Edges.nested", "{open:#}");
    assert_eq!(open["goal"], "x == 9", "{open:#}");
    assert_eq!(open["standing"], "infeasible", "{open:#}");
    let page = fs::read_to_string(folder.join("pages/app.Edges.html")).unwrap();
    assert!(page.contains("x == 9") && page.contains("infeasible"), "{page}");
}

#[test]
fn without_criteria_none_is_reported() {
    let folder = compiled("criteria-none");
    assert_eq!(generated(&folder, "app.Sums", &[])["criteria"], Value::Array(Vec::new()));
}

#[test]
fn private_members_are_called_by_reflection_where_that_is_asked_for() {
    let folder = scratch("access");
    fs::create_dir(folder.join("classes")).unwrap();
    compile(&files(&repository().join("fixtures/access/app")), "", &folder.join("classes"));
    // Code 3: there is nothing to write.
    let found = generated_with(3, &folder, "app.Hidden", &[]);
    assert_eq!(found["coverage"]["branches"]["covered"], 0, "{found:#}");
    let found = generated(&folder, "app.Hidden", &["--access", "private"]);
    assert_eq!(found["divergences"].as_array().unwrap().len(), 0, "{found:#}");
    let branches = &found["coverage"]["branches"];
    assert_eq!(branches["covered"], branches["total"], "{found:#}");
    let source = fs::read_to_string(folder.join("tests/app/HiddenTest.java")).unwrap();
    assert!(source.contains("callPrivate(Hidden.class, \"sign\", new Class<?>[] {long.class}"), "{source}");
    assert!(source.contains("assertThrows(IOException.class"), "{source}");
}
