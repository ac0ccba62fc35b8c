//! A question is a run of a Cupping command, whose JSON report is read.

use super::arguments::Arguments;
use cupping_confine::{EndedProgram, OwnProgram};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Seconds for an answer, unless the question sets them.
const USUAL_SECONDS: u32 = 60;
/// The part of the time that is the search's budget; the rest is for the JVM that certifies.
const PART_OF_SEARCH: (u32, u32) = (2, 5);
/// Limit on the characters of a message that are shown.
const MOST_CHARACTERS: usize = 4000;

/// Puts questions.
pub struct Questions {
    args: &'static Arguments,
    folder: PathBuf,
    is_closed: AtomicBool,
}

/// A command line, and where its report is.
#[derive(Debug)]
pub struct Question {
    /// The command and what is special to the question.
    pub words: Vec<String>,
    /// The class path, if the question has one.
    pub classpath: Option<String>,
    /// Seconds for the answer.
    pub seconds: Option<u32>,
    /// Whether the command prints the report; otherwise it is in a file.
    pub is_printed: bool,
}

/// The report of a command.
#[derive(Debug)]
pub struct QuestionReport {
    /// The JSON report.
    pub report: Value,
    /// Whether all that was asked for was done.
    pub is_complete: bool,
    /// Remarks to add.
    pub remarks: Vec<String>,
}

impl Questions {
    /// Runs the command with these arguments in a folder.
    pub fn new(args: &'static Arguments, folder: PathBuf) -> Questions {
        Questions { args, folder, is_closed: AtomicBool::new(false) }
    }

    /// Ends the runs that are under way.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Answers a question.
    ///
    /// # Errors
    /// There is no report; the text says why.
    pub fn ask(&self, question: Question, is_wanted: impl Fn() -> bool) -> Result<QuestionReport, String> {
        let seconds = question.seconds.unwrap_or(USUAL_SECONDS).clamp(1, self.args.max_seconds);
        let budget = (seconds * PART_OF_SEARCH.0 / PART_OF_SEARCH.1).max(1);
        let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        let file = folder.path().join("report.json");
        let mut words = question.words;
        words.extend(["--budget".to_owned(), format!("{budget}s"), "--quiet".to_owned()]);
        if !question.is_printed {
            words.extend(["--json".to_owned(), file.display().to_string()]);
        }
        if let Some(path) = question.classpath.or_else(|| self.args.classpath.clone()) {
            words.push(format!("--classpath={path}"));
        }
        if let Some(jdk) = &self.args.jdk.jdk {
            words.push(format!("--jdk={}", jdk.display()));
        }
        let program = OwnProgram::new(&self.folder).map_err(|error| error.to_string())?.args(words);
        let is_wanted = || !self.is_closed.load(Ordering::Relaxed) && is_wanted();
        let ended = program.run(Duration::from_secs(seconds.into()), is_wanted);
        let ended = ended.map_err(|error| error.to_string())?;
        let text = if question.is_printed {
            ended.stdout.clone()
        } else {
            std::fs::read_to_string(&file).unwrap_or_default()
        };
        read(&text, &ended, seconds)
    }
}

/// The report of a run.
fn read(text: &str, ended: &EndedProgram, seconds: u32) -> Result<QuestionReport, String> {
    let late = format!("it did not finish within {seconds} seconds; ask again with more `seconds`");
    let Ok(report) = serde_json::from_str::<Value>(text) else {
        let said = shortened(ended.stderr.trim());
        return Err(match (ended.was_stopped, said.is_empty()) {
            (true, _) => late,
            (false, false) => said,
            (false, true) => format!("it exited with code {:?} and without a report", ended.code),
        });
    };
    let status = report["status"].as_str().unwrap_or_default().to_owned();
    let errors = report["errors"].as_array().into_iter().flatten();
    let mut remarks: Vec<String> = errors.filter_map(|it| it["message"].as_str()).map(shortened).collect();
    if status == "failed" {
        return Err(if remarks.is_empty() { shortened(ended.stderr.trim()) } else { remarks.join("; ") });
    }
    if ended.was_stopped {
        remarks.push(late);
    }
    Ok(QuestionReport { report, is_complete: status == "complete" && !ended.was_stopped, remarks })
}

fn shortened(text: &str) -> String {
    text.chars().take(MOST_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(stderr: &str, was_stopped: bool) -> EndedProgram {
        EndedProgram { code: Some(2), was_stopped, stdout: String::new(), stderr: stderr.to_owned() }
    }

    #[test]
    fn failed_runs_are_answered_with_their_errors() {
        let failed = r#"{"status": "failed", "errors": [{"message": "no class A"}]}"#;
        assert_eq!(read(failed, &ended("", false), 9).unwrap_err(), "no class A");
        assert_eq!(read("", &ended("error: no JDK\n", false), 9).unwrap_err(), "error: no JDK");
        assert!(read("", &ended("", true), 9).unwrap_err().contains("within 9 seconds"));
        let partial = r#"{"status": "interrupted", "errors": []}"#;
        let answered = read(partial, &ended("", true), 9).unwrap();
        assert!(!answered.is_complete && answered.remarks.len() == 1, "{answered:?}");
    }
}
