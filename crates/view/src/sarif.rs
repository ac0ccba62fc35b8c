//! Findings as SARIF 2.1.0, which forges show next to the changed lines.
//!
//! The format is written here for all commands, so that all findings have the same vocabulary: a rule, a level, a
//! place, and an identity by which a forge recognises a finding when lines have moved.

use serde_json::{Value, json};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Likely a fault.
    Warning,
    /// A fault.
    Error,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// A kind of finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name by which findings refer to it.
    pub id: String,
    /// Its meaning, for people.
    pub title: String,
    /// The remedy.
    pub help: String,
    /// The severity of its findings.
    pub level: Level,
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file, relative to a folder of sources.
    pub file: String,
    /// The line in it; 1 if it is not known.
    pub line: u64,
}

/// Something that a command found in a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's name.
    pub rule: String,
    /// The severity.
    pub level: Level,
    /// The message.
    pub message: String,
    /// The location.
    pub place: SourceLine,
    /// The method.
    pub method: String,
    /// Other places that it concerns, each with its relation to the finding.
    pub related: Vec<(SourceLine, String)>,
    /// Its identity from run to run, without line numbers and varying values.
    pub identity: String,
    /// Further data of the command, as a JSON object.
    pub properties: Value,
}

/// The log of a command, with a final newline. The same findings give the same bytes.
pub fn sarif(command: &str, rules: &[Rule], findings: &[Finding]) -> String {
    let rules: Vec<Value> = rules
        .iter()
        .map(|it| {
            json!({
                "id": it.id,
                "name": it.id,
                "shortDescription": { "text": it.title },
                "fullDescription": { "text": format!("{} {}", it.title, it.help) },
                "help": { "text": it.help },
                "defaultConfiguration": { "level": it.level.name() },
            })
        })
        .collect();
    let results: Vec<Value> = findings.iter().map(result).collect();
    let driver =
        json!({ "name": format!("cupping {command}"), "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }],
    });
    format!("{log:#}\n")
}

fn result(finding: &Finding) -> Value {
    let related: Vec<Value> = (0..)
        .zip(&finding.related)
        .map(|(id, (place, message))| {
            json!({ "id": id, "physicalLocation": physical(place), "message": { "text": message } })
        })
        .collect();
    json!({
        "ruleId": finding.rule,
        "level": finding.level.name(),
        "message": { "text": finding.message },
        "locations": [{
            "physicalLocation": physical(&finding.place),
            "logicalLocations": [{ "fullyQualifiedName": finding.method, "kind": "function" }],
        }],
        "relatedLocations": related,
        "partialFingerprints": { "cupping/v1": finding.identity },
        "properties": finding.properties,
    })
}

fn physical(place: &SourceLine) -> Value {
    // SARIF counts lines from 1.
    json!({ "artifactLocation": { "uri": place.file }, "region": { "startLine": place.line.max(1) } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(line: u64, identity: &str) -> Finding {
        Finding {
            rule: "failed-test".into(),
            level: Level::Error,
            message: "a.B.f: the result is 3".into(),
            place: SourceLine { file: "a/B.java".into(), line },
            method: "a.B.f".into(),
            related: vec![(SourceLine { file: "a/C.java".into(), line: 3 }, "called by a.C.g".into())],
            identity: identity.into(),
            properties: json!({ "triple": "T1" }),
        }
    }

    fn log(findings: &[Finding]) -> Value {
        let rules = [Rule {
            id: "failed-test".into(),
            title: "A test failed.".into(),
            help: "Compare the objects.".into(),
            level: Level::Error,
        }];
        serde_json::from_str(&sarif("watch", &rules, findings)).expect("JSON")
    }

    #[test]
    fn a_result_names_its_rule_and_its_place() {
        let log = log(&[finding(7, "failed-test a.B.f")]);
        let run = &log["runs"][0];
        assert_eq!(log["version"], "2.1.0");
        assert_eq!(run["tool"]["driver"]["name"], "cupping watch");
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], run["results"][0]["ruleId"]);
        let place = &run["results"][0]["locations"][0];
        assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "a/B.java");
        assert_eq!(place["physicalLocation"]["region"]["startLine"], 7);
        assert_eq!(run["results"][0]["relatedLocations"][0]["message"]["text"], "called by a.C.g");
        assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], "a.B.f");
    }

    #[test]
    fn a_finding_that_moves_keeps_its_identity() {
        let log = log(&[finding(7, "same"), finding(0, "same")]);
        let results = log["runs"][0]["results"].as_array().expect("two results");
        assert_eq!(results[0]["partialFingerprints"], results[1]["partialFingerprints"]);
        assert_eq!(results[1]["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
    }
}
