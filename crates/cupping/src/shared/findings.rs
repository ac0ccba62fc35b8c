//! `--sarif`, `--accept` and `--reason`: what a command found in the user's code, for forges and for baselines.
//!
//! A command makes a [`FindingSet`]. Findings are accepted by a file ([`accepted_findings`]) or by an annotation in
//! the source ([`cupping_report::suppressions`]); the rest is written as SARIF, with paths that a forge knows.
//!
//! [`accepted_findings`]: crate::shared::accepted_findings

use crate::process::console;
use crate::process::exit::Status;
use crate::shared::accepted_findings::{AcceptArgs, AcceptableFinding};
use crate::shared::changed_lines::path_of;
use crate::shared::sources::SourceArgs;
use crate::shared::write;
use clap::Args;
use cupping_classfile::Program;
use cupping_report::suppressions::{Suppression, suppressions};
use cupping_view::sarif::{Finding, Rule, SourceLine, sarif};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Arguments of commands that have findings in classes.
#[derive(Clone, Debug, Default, Args)]
pub struct FindingArgs {
    /// Also write the findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub sarif: Option<PathBuf>,

    #[command(flatten)]
    pub accept: AcceptArgs,
}

/// What a command found.
#[derive(Debug, Default)]
pub struct FindingSet {
    /// The kinds of findings that the command knows.
    pub rules: Vec<Rule>,
    /// The findings.
    pub findings: Vec<Finding>,
}

/// Findings after a baseline was applied.
#[derive(Clone, Debug, Default)]
pub struct ReportedFindings {
    /// The kinds of findings that the command knows.
    pub rules: Vec<Rule>,
    /// Those that are not accepted.
    pub open: Vec<Finding>,
    /// The number of accepted ones.
    pub accepted: usize,
}

/// The folders of sources in which findings are placed.
#[derive(Debug)]
pub struct SourceFolders(Vec<PathBuf>);

impl SourceFolders {
    /// The named ones; without them, those beside the folders of a class path.
    pub fn of(sources: &SourceArgs, class_path: &[PathBuf]) -> SourceFolders {
        // Entries that cannot be opened have been reported.
        SourceFolders(sources.open().0.folders(class_path))
    }

    /// The source of this name, such as `a/b/C.java`, and its suppressions.
    fn source(&self, name: &str) -> Option<(PathBuf, Vec<Suppression>)> {
        let path = self.0.iter().map(|folder| folder.join(name)).find(|it| it.is_file())?;
        let text = std::fs::read(&path).ok()?;
        Some((path, suppressions(&String::from_utf8_lossy(&text))))
    }
}

impl FindingArgs {
    /// Checks the file of accepted findings, before the command does anything.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn check(&self) -> Result<(), String> {
        self.accept.read().map(drop)
    }

    /// Places the findings in the sources and applies the baseline. If the baseline cannot be read or written, the
    /// error is printed and all findings without a suppression are open.
    pub fn apply(
        &self,
        command: &str,
        set: FindingSet,
        folders: &SourceFolders,
    ) -> (ReportedFindings, Status) {
        let FindingSet { rules, findings } = set;
        let mut known: BTreeMap<String, Option<(PathBuf, Vec<Suppression>)>> = BTreeMap::new();
        let mut placed = Vec::new();
        for mut finding in unique(findings) {
            let name = finding.place.file.clone();
            let source = known.entry(name).or_insert_with_key(|name| folders.source(name));
            let mut reason = None;
            if let Some((path, found)) = source {
                let line = usize::try_from(finding.place.line).unwrap_or(usize::MAX);
                let suppression = found.iter().find(|it| it.is_about(command, &finding.rule, line));
                reason = suppression.map(|it| it.reason.clone());
                finding.place.file = shown(path);
            }
            placed.push((finding, reason));
        }
        let status = match self.apply_baseline(&mut placed) {
            Ok(()) => Status::DONE,
            Err(error) => console::bad_input(&error),
        };
        let all = placed.len();
        let open: Vec<Finding> =
            placed.into_iter().filter(|(_, reason)| reason.is_none()).map(|(finding, _)| finding).collect();
        (ReportedFindings { rules, accepted: all - open.len(), open }, status)
    }

    /// Enters the reasons of accepted findings.
    fn apply_baseline(&self, placed: &mut [(Finding, Option<String>)]) -> Result<(), String> {
        let Some(mut baseline) = self.accept.read()? else { return Ok(()) };
        let rows = placed.iter_mut().map(|(finding, accepted)| AcceptableFinding {
            id: &finding.identity,
            method: &finding.method,
            old: "",
            new: finding.message.lines().next().unwrap_or_default(),
            accepted,
        });
        baseline.apply(self.accept.reason.as_deref(), rows)
    }

    /// Writes the open findings, if the user wants them.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, command: &str, reported: &ReportedFindings) -> Result<(), String> {
        let Some(file) = &self.sarif else { return Ok(()) };
        let text = sarif(command, &reported.rules, &reported.open);
        write::file(file, text.as_bytes(), "name another file with --sarif")
    }
}

impl ReportedFindings {
    /// Adds the findings in another module.
    pub fn append(&mut self, other: ReportedFindings) {
        self.rules = other.rules;
        self.open.extend(other.open);
        self.accepted += other.accepted;
    }

    /// What is said of accepted findings; nothing if there are none.
    pub fn remark(&self) -> Option<String> {
        let all = self.accepted + self.open.len();
        (self.accepted > 0).then(|| match all {
            1 => "the finding is accepted\n".to_owned(),
            _ => format!("{} of {all} findings are accepted\n", self.accepted),
        })
    }
}

/// Gives findings of the same identity numbers: a forge takes equal ones for one.
fn unique(findings: Vec<Finding>) -> Vec<Finding> {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    let number = |mut finding: Finding| {
        let count = count.entry(finding.identity.clone()).or_default();
        *count += 1;
        if *count > 1 {
            finding.identity += &format!(" #{count}");
        }
        finding
    };
    findings.into_iter().map(number).collect()
}

/// A path as a forge knows it: relative to the current folder, with slashes.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let relative = |from: &PathBuf| path.strip_prefix(from).ok().map(Path::to_owned);
    let path = here.as_ref().and_then(relative).unwrap_or_else(|| path.to_owned());
    path.to_string_lossy().replace('\\', "/")
}

/// The first line of a method, or of the first method of a class, given by internal name. Without debug information,
/// line 1 of the file that the class is usually in.
pub fn place_of(program: &Program, class: &str, method: Option<&str>) -> SourceLine {
    let found = program.find(class).ok().flatten();
    let outer = class.split('$').next().unwrap_or(class);
    let file = found.as_ref().and_then(|it| path_of(it)).unwrap_or_else(|| format!("{outer}.java"));
    let is_it = |name: &str, descriptor: &str| {
        method
            .is_none_or(|it| it.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest == descriptor))
    };
    let lines = found.iter().flat_map(|file| {
        let methods = file.methods.iter().filter(|it| is_it(&it.name, &it.descriptor));
        methods.filter_map(|it| file.code(it).ok().flatten()?.line_at(0))
    });
    SourceLine { file, line: lines.min().map_or(1, u64::from) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cupping_view::sarif::Level;
    use std::fs;

    fn finding(file: &str, line: u64, identity: &str) -> Finding {
        Finding {
            rule: "likely-defect".into(),
            level: Level::Warning,
            message: format!("{identity}\nmore"),
            place: SourceLine { file: file.into(), line },
            method: "a.A.f".into(),
            related: Vec::new(),
            identity: identity.into(),
            properties: serde_json::Value::Null,
        }
    }

    #[test]
    fn findings_are_accepted_by_file_and_by_annotation() {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = folder.path().join("sources");
        fs::create_dir_all(sources.join("a")).expect("a folder");
        let text =
            "package a;\nclass A {\n@SuppressWarnings(\"cupping:likely-defect known\")\nvoid f() {\n}\n}\n";
        fs::write(sources.join("a/A.java"), text).expect("a source");
        let named = SourceArgs { source_path: sources.to_str().map(str::to_owned) };
        let folders = SourceFolders::of(&named, &[]);
        let set = |findings| FindingSet { rules: Vec::new(), findings };
        let accept =
            AcceptArgs { accept: Some(folder.path().join("known.json")), reason: Some("old".into()) };
        let args = FindingArgs { sarif: None, accept };
        let first = vec![finding("a/A.java", 4, "one"), finding("a/A.java", 6, "two")];
        assert_eq!(args.apply("generate", set(first), &folders).0.open, []);

        let accept = AcceptArgs { reason: None, ..args.accept };
        let args = FindingArgs { sarif: Some(folder.path().join("log.sarif")), accept };
        let second = vec![
            finding("a/A.java", 4, "three"),
            finding("a/A.java", 6, "two"),
            finding("a/A.java", 6, "two"),
            finding("b/B.java", 1, "four"),
        ];
        let (reported, status) = args.apply("generate", set(second), &folders);
        assert_eq!(status, Status::DONE);
        let open: Vec<(&str, &str)> =
            reported.open.iter().map(|it| (it.identity.as_str(), it.place.file.as_str())).collect();
        let found = sources.join("a/A.java").to_string_lossy().into_owned();
        assert_eq!(open, [("two #2", found.as_str()), ("four", "b/B.java")]);
        assert_eq!(reported.remark().as_deref(), Some("2 of 4 findings are accepted\n"));
        args.write("generate", &reported).expect("it is written");
        let kept = fs::read_to_string(folder.path().join("known.json")).expect("a file");
        assert!(kept.contains("two") && !kept.contains("one"), "{kept}");
        let log = fs::read_to_string(folder.path().join("log.sarif")).expect("a log");
        assert!(log.contains("two #2") && !log.contains("three"), "{log}");

        // A damaged baseline hides nothing.
        fs::write(folder.path().join("known.json"), "{").expect("a file");
        let (reported, status) = args.apply("generate", set(vec![finding("a/A.java", 6, "two")]), &folders);
        assert_eq!((reported.open.len(), status), (1, Status::BAD_INPUT));
    }
}
