//! The report as SARIF 2.1.0, which forges show beside the lines of a change.

use super::findings::{Differences, Kind};
use serde_json::{Value, json};

/// One result for each difference that is not accepted.
pub fn sarif(all: &Differences) -> String {
    let rule = |kind: &Kind| {
        let text = json!({ "text": kind.title() });
        json!({ "id": kind.name(), "name": kind.name(), "shortDescription": text })
    };
    let rules: Vec<Value> = Kind::ALL.iter().map(rule).collect();
    let results = all.open().map(|(cause, example)| {
        let level = match example.kind {
            Kind::NewFailure | Kind::Endless | Kind::Contract => "error",
            Kind::OtherException | Kind::OtherResult => "warning",
            Kind::OtherText | Kind::FailureMended => "note",
        };
        let message = format!(
            "{}: {}\n{}\nold: {}\nnew: {}",
            example.method,
            example.kind.title(),
            example.calls.join("\n"),
            example.old,
            example.new
        );
        let region = json!({ "startLine": cause.line.unwrap_or(1).max(1) });
        json!({
            "ruleId": example.kind.name(),
            "level": level,
            "message": { "text": message },
            "locations": [{
                "physicalLocation": { "artifactLocation": { "uri": cause.file }, "region": region },
                "logicalLocations": [{ "fullyQualifiedName": cause.changed.first() }],
            }],
            "partialFingerprints": { "cupping/v1": example.id },
            "properties": { "when": example.when, "confirmed": example.confirmed },
        })
    });
    let results: Vec<Value> = results.collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": { "name": "cupping diff", "rules": rules } }, "results": results }],
    });
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}
