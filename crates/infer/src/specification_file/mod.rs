//! Recorded specifications: what a later run is held against.
//!
//! JSON, as formulas are data; `serde_json` since the reports use it.

use crate::explore::Exploration;
use crate::formula::Formula;
use crate::inference::Specification;
use crate::output::text;
use crate::recorder::Recording;
use crate::rounds::violation_of_throws;
use crate::sequence::Test;
use crate::subject::Subject;
use crate::trace::{Ending, Execution};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The version of the format.
const VERSION: u32 = 1;

/// A recorded specification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedSpecification {
    /// The version of the format.
    pub version: u32,
    /// Internal name of the class.
    pub class: String,
    /// What was inferred.
    pub specification: Specification,
    /// Exceptions that methods were seen to throw, by method.
    pub thrown: BTreeSet<(String, String)>,
}

/// Where code no longer does what was recorded.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What was recorded.
    pub recorded: String,
    /// A test that shows it.
    pub test: Option<Rc<Test>>,
}

impl RecordedSpecification {
    /// What is to be recorded of a class.
    pub fn new(
        subject: &Subject,
        specification: &Specification,
        executions: &[&Execution],
    ) -> RecordedSpecification {
        let mut thrown = BTreeSet::new();
        for execution in executions {
            if let Ending::Threw { class, .. } = &execution.ending {
                thrown.insert((subject.key(execution.method), class.to_string()));
            }
        }
        RecordedSpecification {
            version: VERSION,
            class: subject.name.to_string(),
            specification: specification.clone(),
            thrown,
        }
    }

    /// As text.
    pub fn write(&self) -> String {
        serde_json::to_string_pretty(self).map_or_else(|_| String::new(), |text| text + "\n")
    }

    /// Reads what [`RecordedSpecification::write`] wrote.
    ///
    /// # Errors
    /// Text that is none, with the place.
    pub fn read(text: &str) -> Result<RecordedSpecification, String> {
        let kept: RecordedSpecification = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if kept.version == VERSION {
            Ok(kept)
        } else {
            Err(format!(
                "it has version {}, and {VERSION} is known; record it again with --write",
                kept.version
            ))
        }
    }

    /// What is said now and was not, and the other way round, as lines.
    pub fn changes(&self, old: &RecordedSpecification) -> Vec<String> {
        let said = |kept: &RecordedSpecification| -> BTreeSet<String> {
            let clauses = kept.specification.clauses.iter().map(|it| {
                let point = it.point.method().unwrap_or("invariant");
                let word = match &it.point {
                    crate::table::ProgramPoint::Class => "",
                    crate::table::ProgramPoint::Entry(_) => " requires",
                    crate::table::ProgramPoint::Exit(_) => " ensures",
                };
                format!("{point}{word} {}", text::formula(&it.formula))
            });
            let throws = kept.specification.throws.iter().map(|it| {
                format!(
                    "{} throws {} when {}",
                    it.method,
                    it.class.replace('/', "."),
                    text::formula(&it.condition)
                )
            });
            clauses.chain(throws).collect()
        };
        let (new, old) = (said(self), said(old));
        let gone = old.difference(&new).map(|it| format!("- {it}"));
        gone.chain(new.difference(&old).map(|it| format!("+ {it}"))).collect()
    }

    /// Holds executions against it.
    pub fn check(&self, subject: &Subject, recorded: &Recording, explored: &Exploration) -> Vec<Violation> {
        let all: Vec<&Execution> = explored.executions.iter().chain(&recorded.executions).collect();
        let mut broken = Vec::new();
        for clause in &self.specification.clauses {
            let when = clause.point.when();
            let is_gone = clause.point.method().is_some_and(|it| subject.find(it).is_none());
            let what = |formula: &Formula| match clause.point.method() {
                None => format!("invariant {}", text::formula(formula)),
                Some(method) => {
                    let word = if when == crate::term::Phase::Before { "requires" } else { "ensures" };
                    format!("{method} {word} {}", text::formula(formula))
                }
            };
            if is_gone {
                broken.push(Violation {
                    recorded: format!("{}: there is no such method", what(&clause.formula)),
                    test: None,
                });
                continue;
            }
            let violating = all.iter().find(|it| {
                clause.point.samples(subject, it) && clause.formula.holds(it, when) == Some(false)
            });
            if let Some(execution) = violating {
                broken.push(Violation { recorded: what(&clause.formula), test: execution.test.clone() });
            }
        }
        for throws in &self.specification.throws {
            if let Some(at) = violation_of_throws(subject, throws, &all) {
                let when = if throws.exact { "exactly when" } else { "when" };
                let recorded = format!(
                    "{} throws {} {when} {}",
                    throws.method,
                    throws.class.replace('/', "."),
                    text::formula(&throws.condition)
                );
                broken.push(Violation { recorded, test: all[at].test.clone() });
            }
        }
        let mut told: BTreeSet<(String, String)> = BTreeSet::new();
        for execution in &all {
            let Ending::Threw { class, .. } = &execution.ending else { continue };
            let thrown = (subject.key(execution.method), class.to_string());
            if !self.thrown.contains(&thrown) && told.insert(thrown.clone()) {
                let recorded = format!("{} does not throw {}", thrown.0, thrown.1.replace('/', "."));
                broken.push(Violation { recorded, test: execution.test.clone() });
            }
        }
        broken
    }
}
