//! Findings of all commands: as SARIF, accepted by a file, and suppressed in the code.

mod support;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Each class computes an index of its own that is too large after some calls. The second hides it behind a helper.
const QUEUE: &str = "package shop;

public class Queue {
    private final int[] cells = new int[2];
    private int size;

    public void add(int item) {
        cells[size] = item;
        size++;
    }

    public int size() {
        return size;
    }
}
";
const LABELS: &str = "package shop;

public class Labels {
    private final String[] all = {\"a\", \"b\", \"c\"};
    private int next;

    private String at(int place) {
        return all[place];
    }

    public String take() {
        return at(next++);
    }
}
";

/// A folder with these sources and their classes.
fn shop(name: &str, sources: &[(&str, &str)]) -> PathBuf {
    let folder = support::scratch(name);
    fs::create_dir_all(folder.join("src/shop")).expect("a folder");
    let files: Vec<PathBuf> = sources.iter().map(|(name, _)| folder.join("src/shop").join(name)).collect();
    for (file, (_, text)) in files.iter().zip(sources) {
        fs::write(file, text).expect("a source");
    }
    support::compile(&files, "", &folder.join("classes"));
    folder
}

/// The results in a log: rule, file, line, and identity.
fn results(file: &Path) -> Vec<(String, String, u64, String)> {
    let log: Value = serde_json::from_str(&fs::read_to_string(file).expect("a log")).expect("JSON");
    let run = &log["runs"][0];
    let rules: Vec<&Value> = run["tool"]["driver"]["rules"].as_array().expect("rules").iter().collect();
    let results = run["results"].as_array().expect("results").iter();
    results
        .map(|it| {
            let text = |value: &Value| value.as_str().expect("a text").to_owned();
            let place = &it["locations"][0]["physicalLocation"];
            assert!(rules.iter().any(|rule| rule["id"] == it["ruleId"]), "{it}");
            (
                text(&it["ruleId"]),
                text(&place["artifactLocation"]["uri"]),
                place["region"]["startLine"].as_u64().expect("a line"),
                text(&it["partialFingerprints"]["cupping/v1"]),
            )
        })
        .collect()
}

const GENERATE: [&str; 8] = ["generate", "-cp", "classes", "shop.*", "--work", "2s", "--sarif", "log.sarif"];

#[test]
fn likely_defects_are_findings_that_can_be_accepted() {
    let folder = shop("findings-generate", &[("Queue.java", QUEUE), ("Labels.java", LABELS)]);
    let log = folder.join("log.sarif");
    support::cupping(&folder, &GENERATE).expect(0);
    let found = results(&log);
    let places: Vec<(&str, u64)> = found.iter().map(|(_, file, line, _)| (file.as_str(), *line)).collect();
    // The places of the methods, below the current folder.
    assert_eq!(places, [("src/shop/Labels.java", 12), ("src/shop/Queue.java", 8)], "{found:?}");
    assert!(found.iter().all(|(rule, ..)| rule == "likely-defect"));

    // A file accepts what is there, and nothing that comes later.
    let accept = ["--accept", "known.json"];
    support::cupping(&folder, &[&GENERATE[..], &accept, &["--reason", "seen"]].concat()).expect(0);
    let run = support::cupping(&folder, &[&GENERATE[..], &accept].concat()).expect(0);
    assert!(run.stdout.contains("2 of 2 findings are accepted"), "{}", run.stdout);
    assert_eq!(results(&log), []);
    let damaged = folder.join("damaged.json");
    fs::write(&damaged, "{").expect("a file");
    let run = support::cupping(&folder, &[&GENERATE[..], &["--accept", "damaged.json"]].concat()).expect(2);
    assert!(run.stderr.contains("damaged.json") && run.stdout.is_empty(), "{run:?}");
}

#[test]
fn code_suppresses_its_findings_with_a_reason() {
    let method = QUEUE.replace(
        "    public void add",
        "    @SuppressWarnings(\"cupping:likely-defect callers ask size() first\")\n    public void add",
    );
    let class = LABELS.replace(
        "public class",
        "@SuppressWarnings({\"unused\", \"cupping:generate a draft\"})\npublic class",
    );
    let folder = shop("findings-suppressed", &[("Queue.java", &method), ("Labels.java", &class)]);
    let run = support::cupping(&folder, &GENERATE).expect(0);
    assert!(run.stdout.contains("2 of 2 findings are accepted"), "{}", run.stdout);
    assert_eq!(results(&folder.join("log.sarif")), []);
    // An annotation about another command is no reason.
    let other = QUEUE
        .replace("    public void add", "    @SuppressWarnings(\"cupping:mutants x\")\n    public void add");
    let folder = shop("findings-other", &[("Queue.java", &other)]);
    support::cupping(&folder, &GENERATE).expect(0);
    assert_eq!(results(&folder.join("log.sarif")).len(), 1);
}

#[test]
fn a_broken_specification_is_a_finding() {
    let folder = shop("findings-infer", &[("Queue.java", QUEUE)]);
    let infer = ["infer", "-cp", "classes", "shop.Queue", "--budget", "1s"];
    support::cupping(&folder, &[&infer[..], &["--write", "recorded"]].concat()).expect(0);
    fs::write(folder.join("src/shop/Queue.java"), QUEUE.replace("return size;", "return -size;"))
        .expect("a source");
    support::compile(&[folder.join("src/shop/Queue.java")], "", &folder.join("classes"));
    let check = [&infer[..], &["--check", "recorded", "--sarif", "log.sarif"]].concat();
    support::cupping(&folder, &check).expect(1);
    let found = results(&folder.join("log.sarif"));
    let is_of_size = |(rule, file, line, id): &(String, String, u64, String)| {
        rule == "broken-specification"
            && file == "src/shop/Queue.java"
            && *line == 13
            && id.contains("size()I")
    };
    assert!(found.iter().any(is_of_size), "{found:?}");
    // Accepted, they do not fail the run.
    let accept = [&check[..], &["--accept", "known.json"]].concat();
    support::cupping(&folder, &[&accept[..], &["--reason", "meant"]].concat()).expect(0);
    support::cupping(&folder, &accept).expect(0);
}

const LEVEL: &str = "package shop;

public class Level {
    int value;

    public void up() {
        value += 2;
    }
}
";

#[test]
fn a_counterexample_is_a_finding_at_the_method() {
    let folder = shop("findings-exhaust", &[("Level.java", LEVEL)]);
    let specification = "class shop.Level\nmethod up\nscope 0..3 int\npre { value <= 1 }\n\
                         post { value = add[value`, 1] }\n";
    fs::write(folder.join("up.spec"), specification).expect("a specification");
    let exhaust = ["exhaust", "up.spec", "-cp", "classes", "--sarif", "log.sarif"];
    support::cupping(&folder, &exhaust).expect(1);
    let found = results(&folder.join("log.sarif"));
    assert_eq!(found.len(), 1, "{found:?}");
    let (rule, file, line, _) = &found[0];
    assert_eq!((rule.as_str(), file.as_str(), *line), ("counterexample", "src/shop/Level.java", 7));
    let accept = [&exhaust[..], &["--accept", "known.json", "--reason", "a draft"]].concat();
    support::cupping(&folder, &accept).expect(0);
}
