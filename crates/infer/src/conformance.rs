//! Checks code against a recorded specification: violated claims, and changes.

use crate::explore::{Exploration, Explorer, ExplorerLimits};
use crate::formula::Formula;
use crate::program_point::ProgramPoint;
use crate::recorder::Recording;
use crate::refutation::{breaks, is_broken, thrown, violation_of_throws};
use crate::sequence::CallSequence;
use crate::specification_file::RecordedSpecification;
use crate::subject::Subject;
use crate::term::Phase;
use crate::trace::{CallOutcome, Execution};
use cupping_machine::Machine;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A claim of a recorded specification that the code no longer meets.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The claim, in words.
    pub recorded: String,
    /// A test that shows it.
    pub test: Option<Rc<CallSequence>>,
}

impl RecordedSpecification {
    /// What this specification adds to another (`+`) and lacks (`-`), as lines.
    pub fn changes(&self, old: &RecordedSpecification) -> Vec<String> {
        let lines = |of: &RecordedSpecification| -> BTreeSet<String> {
            let clauses = of.specification.clauses.iter().map(|it| {
                let point = it.point.method().unwrap_or("invariant");
                let word = match &it.point {
                    ProgramPoint::Class => "",
                    ProgramPoint::Entry(_) => " requires",
                    ProgramPoint::Exit(_) => " ensures",
                };
                format!("{point}{word} {}", it.formula)
            });
            let throws = of.specification.throws.iter().map(|it| {
                format!("{} throws {} when {}", it.method, it.class.replace('/', "."), it.condition)
            });
            clauses.chain(throws).collect()
        };
        let (new, old) = (lines(self), lines(old));
        let lost = old.difference(&new).map(|it| format!("- {it}"));
        lost.chain(new.difference(&old).map(|it| format!("+ {it}"))).collect()
    }

    /// Explores a class in search of violations of this specification: exploration, random calls, calls at the
    /// boundaries of the code, and the solver, which is asked for arguments on which code and specification differ.
    pub fn explored(
        &self,
        machine: &mut Machine,
        subject: &Subject,
        recorded: &Recording,
        limits: ExplorerLimits,
    ) -> Exploration {
        let mut explorer = Explorer::new(machine, subject, recorded, limits);
        explorer.explore(recorded);
        let is_new = |it: &Execution| {
            let class = thrown(it);
            class.is_some_and(|class| !self.thrown.contains(&(subject.key(it.method), class.to_string())))
        };
        let mut is_broken = |it: &Execution| is_new(it) || breaks(subject, &self.specification, it);
        explorer.challenge(limits.challenges, 0, &[], &mut is_broken);
        if limits.challenges > 0 {
            let own = (0..subject.methods.len()).filter(|it| subject.methods[*it].has_receiver());
            explorer.compose_at_boundaries(&own.map(|it| (it, it)).collect::<Vec<_>>());
        }
        if limits.paths > 0 {
            explorer.ask(&self.specification);
        }
        explorer.finish()
    }

    /// The recorded claims that executions violate, and exceptions that were not thrown when it was recorded.
    pub fn check(&self, subject: &Subject, recorded: &Recording, explored: &Exploration) -> Vec<Violation> {
        let all: Vec<&Execution> = explored.executions.iter().chain(&recorded.executions).collect();
        let mut violations = self.violated(subject, &all);
        let mut reported: BTreeSet<(String, String)> = BTreeSet::new();
        for execution in &all {
            let CallOutcome::Threw { class, .. } = &execution.ending else { continue };
            let thrown = (subject.key(execution.method), class.to_string());
            if !self.thrown.contains(&thrown) && reported.insert(thrown.clone()) {
                let recorded = format!("{} does not throw {}", thrown.0, thrown.1.replace('/', "."));
                violations.push(Violation { recorded, test: execution.test.clone() });
            }
        }
        violations
    }

    /// The invariants, postconditions and conditions of exceptions that executions violate.
    pub fn violated(&self, subject: &Subject, all: &[&Execution]) -> Vec<Violation> {
        let mut violations = Vec::new();
        for clause in &self.specification.clauses {
            let when = clause.point.phase();
            let is_missing = clause.point.method().is_some_and(|it| subject.find(it).is_none());
            let what = |formula: &Formula| match clause.point.method() {
                None => format!("invariant {formula}"),
                Some(method) => {
                    let word = if when == Phase::Before { "requires" } else { "ensures" };
                    format!("{method} {word} {formula}")
                }
            };
            if is_missing {
                violations.push(Violation {
                    recorded: format!("{}: the method is missing", what(&clause.formula)),
                    test: None,
                });
                continue;
            }
            let violating = all.iter().find(|it| is_broken(subject, clause, it));
            if let Some(execution) = violating {
                violations.push(Violation { recorded: what(&clause.formula), test: execution.test.clone() });
            }
        }
        for throws in &self.specification.throws {
            if let Some(at) = violation_of_throws(subject, throws, all) {
                let when = if throws.exact { "exactly when" } else { "when" };
                let recorded = format!(
                    "{} throws {} {when} {}",
                    throws.method,
                    throws.class.replace('/', "."),
                    throws.condition
                );
                violations.push(Violation { recorded, test: all[at].test.clone() });
            }
        }
        violations
    }
}
