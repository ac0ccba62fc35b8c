use super::*;
use crate::process::progress::Line;
use crate::shared::findings::FindingArgs;
use crate::shared::output::ConsoleArgs;
use crate::shared::selection::SelectedClass;
use crate::shared::sources::SourceArgs;
use cupping_view::{Index, Unit};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A command that records the session in which each class is done. Classes with certain names panic, fail, or take
/// long.
struct Fake {
    boots: AtomicUsize,
    does_boot: bool,
}

impl Work for Fake {
    type Session = usize;
    type Findings = (usize, String);

    fn boot(&self) -> Result<usize, Failure> {
        if !self.does_boot {
            return Err(Failure::Boot("no class library".into()));
        }
        Ok(self.boots.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn work(&self, session: &mut usize, class: &str, _: Share, _: &Line) -> Result<(usize, String), Failure> {
        match class {
            "p/Panics" => panic!("half of it"),
            "p/Fails" => return Err(Failure::Input("p.Fails: it fails".into())),
            "p/Slow" => std::thread::sleep(Duration::from_millis(30)),
            _ => {}
        }
        Ok((*session, class.to_owned()))
    }
}

/// Keeps the order in which classes are concluded.
#[derive(Default)]
struct RecordedOrder {
    order: Vec<String>,
    sessions: Vec<usize>,
}

impl Conclude<(usize, String)> for RecordedOrder {
    type Row = String;

    fn conclude(&mut self, class: &str, (session, found): (usize, String)) -> ClassConclusion<String> {
        assert_ne!(class, "p/Inconclusive", "a panic of the conclusion");
        self.order.push(found.clone());
        self.sessions.push(session);
        let status = if class == "p/Wrong" { Status::WRONG } else { Status::DONE };
        ClassConclusion { status, ..ClassConclusion::new(found) }
    }
}

/// Lists the classes.
struct List;

impl Report<String> for List {
    fn absent(&self, class: &str, error: &str) -> String {
        format!("{class}: {error}")
    }

    fn json(
        &self,
        entries: &[LedgerEntry<String>],
        outcome: documents::CommandOutcome,
    ) -> Result<String, serde_json::Error> {
        outcome.json(&entries.iter().map(|it| it.row.clone()).collect::<Vec<_>>())
    }

    fn index(&self, entries: &[LedgerEntry<String>]) -> String {
        let unit = |it: &LedgerEntry<String>| Unit { name: it.class.clone(), ..Unit::default() };
        Index::of_classes("generate", &[], entries.iter().map(unit).collect()).render()
    }
}

/// Runs the fake in this folder; returns its exit code, its conclusions, and the JSON report.
fn run(
    folder: &Path,
    names: &[&str],
    jobs: usize,
    change: impl FnOnce(&mut CommandRun),
) -> (u8, RecordedOrder, String) {
    panics::install();
    let class = |name: &&str| SelectedClass {
        name: (*name).to_owned(),
        error: name.ends_with("Missing").then(|| format!("{name}: no such class")),
    };
    let console = ConsoleArgs { quiet: true, verbose: false, color: console::Colour::Never };
    let json = folder.join("report.json");
    let report = Box::leak(Box::new(ReportArgs {
        json: Some(json.clone()),
        html: Some(folder.join("pages")),
        findings: FindingArgs::default(),
        sources: SourceArgs::default(),
        console,
    }));
    let selection = Selection { classes: names.iter().map(class).collect(), ..Selection::default() };
    let mut run = CommandRun {
        command: "generate",
        selection: Arc::new(selection),
        report,
        class_path: Vec::new(),
        module: None,
        answers_in_json: false,
        jobs: NonZeroUsize::new(jobs).unwrap(),
        budget: Budget::Each(Duration::from_secs(1)),
        reproduction: "cupping test".into(),
        out: Some(folder.to_owned()),
        interrupted: || false,
        keeping: None,
    };
    change(&mut run);
    let fake = Fake { boots: AtomicUsize::new(0), does_boot: run.command != "unbootable" };
    let mut kept = RecordedOrder::default();
    let status = run.conduct(&fake, &mut kept, Arc::new(List));
    (status.code(), kept, fs::read_to_string(json).unwrap())
}

#[test]
fn a_panic_costs_one_class_and_each_class_has_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["p/A", "p/Panics", "p/B", "p/C"];
    let (code, kept, _) = run(folder.path(), &names, 1, |_| ());
    assert_eq!((code, kept.sessions), (1, vec![1, 3, 4]));
    let report = folder.path().join("cupping-internal-errors/p.Panics-1.txt");
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("panic: half of it"), "{report}");
    assert!(report.ends_with("cupping test 'p.Panics'\n"), "{report}");
}

#[test]
fn a_panic_of_the_conclusion_costs_one_class() {
    let folder = tempfile::tempdir().unwrap();
    let (code, kept, _) = run(folder.path(), &["p/Inconclusive", "p/B"], 1, |_| ());
    assert_eq!((code, kept.order), (1, vec!["p/B".to_owned()]));
}

#[test]
fn results_are_in_the_order_of_the_classes() {
    let names = ["p/Slow", "p/Fails", "p/A", "p/Missing", "p/Wrong", "p/Panics", "p/B"];
    let folders = [1, 2, 7].map(|jobs| {
        let folder = tempfile::tempdir().unwrap();
        let (code, _, json) = run(folder.path(), &names, jobs, |_| ());
        assert_eq!(code, 2, "{jobs} jobs");
        // The report names the file of the internal error, which is in a folder of this run.
        let json = json.replace(&folder.path().display().to_string(), "FOLDER");
        (json, fs::read_to_string(folder.path().join("pages/index.html")).unwrap())
    });
    assert_eq!(folders[0], folders[1]);
    assert_eq!(folders[0], folders[2]);
    let (json, index) = &folders[0];
    let places: Vec<_> = ["p/Slow", "p/A", "p/Wrong", "p/B"].iter().map(|it| json.rfind(it)).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{json}");
    assert!(json.contains("\"status\": \"partial\"") && json.contains("\"subject\": \"p.Fails\""), "{json}");
    assert!(index.contains("<h1>7 classes</h1>"), "{index}");
}

#[test]
fn the_exit_code_is_that_of_the_least_complete_class() {
    let code = |names: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), names, 2, |_| ()).0
    };
    assert_eq!(code(&[]), 0);
    assert_eq!(code(&["p/A", "p/B"]), 0);
    assert_eq!(code(&["p/A", "p/Wrong"]), 1);
    assert_eq!(code(&["p/Fails", "p/Wrong"]), 2);
    assert_eq!(code(&["p/Missing", "p/A"]), 2);
}

#[test]
fn an_interruption_is_told_and_what_is_missing_is_in_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let (code, kept, json) = run(folder.path(), &["p/A", "p/B"], 2, |run| run.interrupted = || true);
    assert_eq!((code, kept.order.len()), (130, 0));
    assert!(json.contains("\"status\": \"interrupted\""), "{json}");
    assert_eq!(json.matches("interrupted before it finished").count(), 2, "{json}");
}

#[test]
fn a_machine_that_does_not_start_is_reproduced_once() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, json) = run(folder.path(), &["p/A", "p/B"], 1, |run| run.command = "unbootable");
    assert_eq!(code, 1);
    assert!(json.contains("p.A-1.txt") && !json.contains("p.B-1.txt"), "{json}");
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("pages"), "taken").unwrap();
    let report = |run: &mut CommandRun| {
        let console = ConsoleArgs { quiet: true, verbose: false, color: console::Colour::Never };
        run.report = Box::leak(Box::new(ReportArgs {
            json: Some(folder.path().join("report.json")),
            html: Some(folder.path().join("pages")),
            findings: FindingArgs::default(),
            sources: SourceArgs::default(),
            console,
        }));
    };
    assert_eq!(run(folder.path(), &["p/A"], 1, report).0, 2);
}
