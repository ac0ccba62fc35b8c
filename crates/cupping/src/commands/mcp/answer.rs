//! Answers of tools: the relevant part of a report, in the same form for all tools.

use super::question::QuestionReport;
use rmcp::schemars;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The answer of every tool.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Answer {
    /// The answer in a sentence.
    pub summary: String,
    /// Whether everything requested was done; otherwise remarks say what is missing.
    pub complete: bool,
    /// The findings, most important first; docs/mcp.md describes them for each tool.
    pub findings: Vec<Map<String, Value>>,
    /// Files with the tests among the findings. They have been compiled and run; none has been written.
    pub files: Vec<SourceFile>,
    /// Further remarks: warnings, or why nothing was found.
    pub remarks: Vec<String>,
}

/// A file that would be added.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SourceFile {
    /// Its intended location, as a URI.
    pub uri: String,
    /// Its text.
    pub text: String,
}

/// The content of a report on generated tests.
pub struct TestReport {
    answered: QuestionReport,
    files: Vec<SourceFile>,
}

impl TestReport {
    /// The report in an answer.
    ///
    /// # Errors
    ///
    /// There was no class to make tests for; the text says why.
    pub fn of(answered: QuestionReport) -> Result<TestReport, String> {
        if answered.report["results"]["classes"].as_array().is_none_or(Vec::is_empty) {
            return Err(answered.remarks.join("; "));
        }
        let changes = answered.report["results"]["edit"]["documentChanges"].as_array();
        let file = |change: &Value| {
            let text = change["edits"][0]["newText"].as_str()?.to_owned();
            Some(SourceFile { uri: change["textDocument"]["uri"].as_str()?.to_owned(), text })
        };
        let files = changes.into_iter().flatten().filter_map(file).collect();
        Ok(TestReport { answered, files })
    }

    /// The entries of the classes under a key.
    fn of_classes(&self, key: &str) -> Vec<Map<String, Value>> {
        let classes = self.answered.report["results"]["classes"].as_array();
        let entries = classes.into_iter().flatten().filter_map(|it| it[key].as_array()).flatten();
        entries.filter_map(Value::as_object).cloned().collect()
    }

    /// Tests with the lines of Java that they are.
    fn tests(&self, key: &str) -> Vec<Map<String, Value>> {
        let mut tests = self.of_classes(key);
        for test in &mut tests {
            let source = self.file(test).and_then(|it| method(&it.text, test["name"].as_str()?));
            test.insert("source".into(), source.into());
        }
        tests
    }

    fn file(&self, test: &Map<String, Value>) -> Option<&SourceFile> {
        let path = format!("/{}.java", test.get("class")?.as_str()?.replace('.', "/"));
        self.files.iter().find(|it| it.uri.ends_with(&path))
    }

    /// The answer with these findings and the files that contain them.
    fn answer(self, summary: String, findings: Vec<Map<String, Value>>) -> Answer {
        let is_needed = |file: &&SourceFile| {
            let of = |it: &Map<String, Value>| self.file(it).is_some_and(|found| found == *file);
            findings.iter().any(|it| of(it) || tests_of(it).any(|it| it.as_object().is_some_and(of)))
        };
        let files = self.files.iter().filter(is_needed).cloned().collect();
        let QuestionReport { is_complete, remarks, .. } = self.answered;
        Answer { summary, complete: is_complete, findings, files, remarks }
    }

    /// Why methods are not covered.
    fn note_unreached(&mut self) {
        for it in self.of_classes("unreached") {
            let text = |key: &str| it.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (name, why, detail) = (text("name"), text("cause"), text("detail"));
            let detail = if detail.is_empty() { detail } else { format!(" ({detail})") };
            self.answered
                .remarks
                .push(format!("{}.{name} is not covered in full: {why}{detail}", text("class")));
        }
    }

    /// The inputs on which the code fails.
    pub fn failing_inputs(self) -> Answer {
        let failing = self.tests("failing");
        let summary = match failing.len() {
            0 => "no input was found on which the code throws an undeclared exception".to_owned(),
            1 => "an input was found on which the code throws an undeclared exception".to_owned(),
            count => format!("{count} inputs on which the code throws an undeclared exception"),
        };
        self.answer(summary, failing)
    }

    /// The tests that run lines.
    pub fn tests_of_lines(mut self) -> Answer {
        let tests: Vec<_> = self.tests("tests").into_iter().chain(self.tests("failing")).collect();
        if tests.is_empty() {
            self.note_unreached();
        }
        self.answer(format!("tests that run these lines: {}", tests.len()), tests)
    }

    /// The shortest test that runs a line.
    pub fn sequence(mut self) -> Answer {
        let all = self.tests("tests").into_iter().chain(self.tests("failing"));
        let shortest = all.min_by_key(|it| it.get("length").and_then(Value::as_u64));
        let summary = match &shortest {
            Some(it) => format!("{} steps lead to the line", it["length"]),
            None => {
                self.note_unreached();
                "no sequence was found that leads to the line".to_owned()
            }
        };
        self.answer(summary, shortest.into_iter().collect())
    }

    /// Which tests detect the mutants of lines; only mutants whose text contains `wanted`.
    pub fn mutants(self, wanted: &str, is_in: impl Fn(u64) -> bool) -> Answer {
        let is_meant = |it: &Map<String, Value>, what: &str| {
            let text = it.get(what).and_then(Value::as_str).unwrap_or_default();
            it.get("line").and_then(Value::as_u64).is_some_and(&is_in) && text.contains(wanted)
        };
        let mut findings: Vec<Map<String, Value>> = Vec::new();
        for test in self.tests("tests") {
            let noticed = test.get("notices").and_then(Value::as_array).cloned().unwrap_or_default();
            for mutant in noticed.iter().filter_map(Value::as_object).filter(|it| is_meant(it, "what")) {
                let mut shown = test.clone();
                shown.remove("notices");
                let mut mutant = mutant.clone();
                mutant.insert("noticed".into(), true.into());
                mutant.insert("by".into(), json!([shown]));
                findings.push(mutant);
            }
        }
        let noticed = findings.len();
        let criteria = self.of_classes("criteria").into_iter().filter(|it| it["criterion"] == "mutation");
        for criterion in criteria {
            let open = criterion["open"].as_array().into_iter().flatten().filter_map(Value::as_object);
            findings.extend(open.filter(|it| is_meant(it, "goal")).map(|it| {
                let mutant = json!({
                    "place": it["place"], "line": it["line"], "what": it["goal"], "noticed": false,
                    "is_equivalent": it["standing"] == "infeasible", "why": it["why"],
                });
                mutant.as_object().cloned().unwrap_or_default()
            }));
        }
        let summary = format!("{noticed} of {} mutants are detected by these tests", findings.len());
        self.answer(summary, findings)
    }
}

/// The tests in a finding.
fn tests_of(finding: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    finding.get("by").and_then(Value::as_array).into_iter().flatten()
}

/// The differences between two versions.
pub fn differences(answered: QuestionReport) -> Answer {
    let results = &answered.report["results"];
    let all = |key: &'static str, name: &str| -> Vec<Map<String, Value>> {
        let entries = results[key].as_array().into_iter().flatten();
        entries.map(|it| Map::from_iter([(name.to_owned(), it.clone())])).collect()
    };
    let (causes, changed) = (all("causes", "difference"), all("changed", "changed_method"));
    let summary = format!("differences in behaviour: {}; changed methods: {}", causes.len(), changed.len());
    let findings = [causes, changed, all("api", "api_change")].concat();
    Answer { summary, complete: answered.is_complete, findings, files: Vec::new(), remarks: answered.remarks }
}

/// The likely specification of classes.
///
/// # Errors
///
/// It was not finished; the text says why.
pub fn specification(answered: QuestionReport) -> Result<Answer, String> {
    let classes = answered.report["results"]["classes"].as_array();
    let findings: Vec<Map<String, Value>> = classes
        .into_iter()
        .flatten()
        .filter(|it| it["error"].is_null())
        .map(|it| {
            let class = json!({
                "class": it["class"], "specification": it["specification"],
                "executions": it["executions"], "fixed_point": it["fixed_point"],
            });
            class.as_object().cloned().unwrap_or_default()
        })
        .collect();
    if findings.is_empty() && !answered.is_complete {
        return Err(answered.remarks.join("; "));
    }
    let lines: usize = findings.iter().filter_map(|it| it["specification"].as_array()).map(Vec::len).sum();
    let summary = format!("{lines} lines of likely specification");
    let QuestionReport { is_complete, remarks, .. } = answered;
    Ok(Answer { summary, complete: is_complete, findings, files: Vec::new(), remarks })
}

/// The lines of a test method in a source that Cupping printed.
fn method(text: &str, name: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let head = format!("void {name}(");
    let at = lines.iter().position(|line| line.contains(&head))?;
    let before =
        lines[..at].iter().rposition(|line| !line.starts_with("    ")).map_or(0, |outside| outside + 1);
    let end = lines[at..].iter().position(|line| *line == "    }")? + at;
    let lines = lines[before..=end].iter().map(|line| line.strip_prefix("    ").unwrap_or(line));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::method;

    #[test]
    fn a_method_is_cut_out() {
        let text = "class T {\n    @Test\n    void a() {\n        x();\n    }\n\n    @Test\n    void ab() {\n    }\n}\n";
        assert_eq!(method(text, "a").unwrap(), "@Test\nvoid a() {\n    x();\n}");
        assert_eq!(method(text, "ab").unwrap(), "@Test\nvoid ab() {\n}");
        assert_eq!(method(text, "b"), None);
    }
}
