//! Recorded specifications: what a later run is held against.
//!
//! JSON, as formulas are data; `serde_json` since the reports use it.

use crate::explore::Explored;
use crate::formula::Formula;
use crate::likely::Specification;
use crate::output::text;
use crate::record::Recorded;
use crate::rounds::violation_of_throws;
use crate::sequence::Test;
use crate::subject::Subject;
use crate::trace::{Ended, Execution};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The version of the format.
const VERSION: u32 = 1;

/// A recorded specification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
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
pub struct Broken {
    /// What was recorded.
    pub recorded: String,
    /// A test that shows it.
    pub test: Option<Rc<Test>>,
}

impl Kept {
    /// What is to be recorded of a class.
    pub fn new(subject: &Subject, specification: &Specification, executions: &[&Execution]) -> Kept {
        let mut thrown = BTreeSet::new();
        for execution in executions {
            if let Ended::Threw { class, .. } = &execution.ended {
                thrown.insert((subject.key(execution.method), class.to_string()));
            }
        }
        Kept {
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

    /// Reads what [`Kept::write`] wrote.
    ///
    /// # Errors
    /// Text that is none, with the place.
    pub fn read(text: &str) -> Result<Kept, String> {
        let kept: Kept = serde_json::from_str(text).map_err(|error| error.to_string())?;
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
    pub fn changes(&self, old: &Kept) -> Vec<String> {
        let said = |kept: &Kept| -> BTreeSet<String> {
            let likely = kept.specification.likely.iter().map(|it| {
                let place = it.place.method().unwrap_or("invariant");
                let word = match &it.place {
                    crate::table::Place::Class => "",
                    crate::table::Place::Entry(_) => " requires",
                    crate::table::Place::Exit(_) => " ensures",
                };
                format!("{place}{word} {}", text::formula(&it.formula))
            });
            let throws = kept.specification.throws.iter().map(|it| {
                format!(
                    "{} throws {} when {}",
                    it.method,
                    it.class.replace('/', "."),
                    text::formula(&it.condition)
                )
            });
            likely.chain(throws).collect()
        };
        let (new, old) = (said(self), said(old));
        let gone = old.difference(&new).map(|it| format!("- {it}"));
        gone.chain(new.difference(&old).map(|it| format!("+ {it}"))).collect()
    }

    /// Holds executions against it.
    pub fn check(&self, subject: &Subject, recorded: &Recorded, explored: &Explored) -> Vec<Broken> {
        let all: Vec<&Execution> = explored.executions.iter().chain(&recorded.executions).collect();
        let mut broken = Vec::new();
        for likely in &self.specification.likely {
            let when = likely.place.when();
            let is_gone = likely.place.method().is_some_and(|it| subject.find(it).is_none());
            let what = |formula: &Formula| match likely.place.method() {
                None => format!("invariant {}", text::formula(formula)),
                Some(method) => {
                    let word = if when == crate::term::When::Before { "requires" } else { "ensures" };
                    format!("{method} {word} {}", text::formula(formula))
                }
            };
            if is_gone {
                broken.push(Broken {
                    recorded: format!("{}: there is no such method", what(&likely.formula)),
                    test: None,
                });
                continue;
            }
            let violating = all.iter().find(|it| {
                likely.place.samples(subject, it) && likely.formula.holds(it, when) == Some(false)
            });
            if let Some(execution) = violating {
                broken.push(Broken { recorded: what(&likely.formula), test: execution.test.clone() });
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
                broken.push(Broken { recorded, test: all[at].test.clone() });
            }
        }
        let mut told: BTreeSet<(String, String)> = BTreeSet::new();
        for execution in &all {
            let Ended::Threw { class, .. } = &execution.ended else { continue };
            let thrown = (subject.key(execution.method), class.to_string());
            if !self.thrown.contains(&thrown) && told.insert(thrown.clone()) {
                let recorded = format!("{} does not throw {}", thrown.0, thrown.1.replace('/', "."));
                broken.push(Broken { recorded, test: execution.test.clone() });
            }
        }
        broken
    }
}
