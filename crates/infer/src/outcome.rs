//! The result of inference for a class: the specification with its evidence, and the rounds that led to it.

use crate::axioms::{self, Axiom};
use crate::confidence::confidence;
use crate::explore::{Exploration, SolverReport};
use crate::sequence::CallSequence;
use crate::specification::Specification;
use crate::subject::Subject;
use std::rc::Rc;

/// The classification of a violating test (slide 15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Classification {
    /// The input is illegal: a precondition is missing.
    IllegalInput,
    /// The code fails on a legal input.
    Fault,
    /// The code does what no test has shown so far.
    NewBehaviour,
}

impl Classification {
    /// As text.
    pub fn text(self) -> &'static str {
        match self {
            Classification::IllegalInput => "illegal input",
            Classification::Fault => "fault",
            Classification::NewBehaviour => "new behaviour",
        }
    }
}

/// A test that violates the specification.
#[derive(Clone, Debug)]
pub struct SelectedTest {
    /// The test.
    pub test: Rc<CallSequence>,
    /// Its index among the explored executions.
    pub execution: usize,
    /// What it violates, in words.
    pub violates: Vec<String>,
    /// Its classification.
    pub kind: Classification,
    /// Whether it meets all inferred preconditions, so that the basic technique finds it, too.
    pub is_guarded: bool,
}

/// A round of the loop.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// The number of clauses before it.
    pub clauses: usize,
    /// The selected tests.
    pub selected: Vec<SelectedTest>,
    /// The number of preconditions that returning calls proved to be too strict.
    pub relaxed: usize,
}

/// The evidence for a clause.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The number of executions of which it held.
    pub held: usize,
    /// The number of executions and random calls that could have broken it: those with a value for each of its
    /// terms, and for which the condition of an implication held.
    pub tried: usize,
    /// The test that came closest to violating it: with the most extreme arguments, then the shortest.
    pub test: Option<Rc<CallSequence>>,
    /// The number of calls up to which all sequences were tried.
    pub calls: usize,
    /// Whether the tried values lead to no further states.
    pub closed: bool,
    /// The number of calls up to which the solver found no violating arguments; 0 if unknown.
    pub proved: usize,
    /// Whether this covers only tried values for some arguments: objects, or sizes with too many paths.
    pub is_tried: bool,
}

impl Evidence {
    /// The minimum share of calls that uphold the clause, with 95 % certainty; 1 if it is proved.
    pub fn confidence(&self) -> f64 {
        if self.proved > 0 && !self.is_tried { 1.0 } else { confidence(self.tried) }
    }

    /// As text.
    pub fn text(&self) -> String {
        let test = self.test.as_ref().map_or(String::new(), |it| format!(", not broken by {it}"));
        let proved = match self.proved {
            0 => String::new(),
            calls if self.is_tried => {
                format!(
                    ", and the solver found no violation within {calls} calls with the objects and sizes tried"
                )
            }
            calls => format!(", proved up to {calls} calls"),
        };
        // Rounded down: nothing that was only tried is certain.
        let percent = (self.confidence() * 1_000.0).floor() / 10.0;
        format!("{} executions, {percent} %{test}{proved}", self.held)
    }
}

/// The result of inference for a class.
#[derive(Debug, Default)]
pub struct InferenceOutcome {
    /// Whether the axiomatic loop ran.
    pub axiomatic: bool,
    /// The specification inferred from tests alone, before anything was generated.
    pub first: Specification,
    /// The final specification.
    pub specification: Specification,
    /// The evidence for each of its clauses.
    pub evidence: Vec<Evidence>,
    /// The evidence for each of its throws clauses.
    pub throws_evidence: Vec<Evidence>,
    /// The rounds.
    pub rounds: Vec<Round>,
    /// Whether the last round selected nothing.
    pub fixed_point: bool,
    /// Axioms, if they were asked for.
    pub axioms: Option<Vec<Axiom>>,
    /// Rounds of the algebraic loop.
    pub algebraic: Vec<axioms::Round>,
    /// Whether output includes everything that holds, even if it says little.
    pub is_whole: bool,
    /// The methods without any observed call: no value could be made for some parameter.
    pub uncalled: Vec<usize>,
    /// The methods of which an argument was null in every call, and of which nothing is said for that.
    pub called_with_null: Vec<usize>,
    /// The number of recorded executions.
    pub recorded: usize,
    /// What was explored.
    pub explored: Exploration,
    /// The results of the solver.
    pub asked: SolverReport,
}

impl InferenceOutcome {
    /// Drops clauses that concern none of these methods, given by name and descriptor. Invariants stay.
    pub fn retain(&mut self, subject: &Subject, is_wanted: impl Fn(&str) -> bool) {
        let stays: Vec<bool> = self
            .specification
            .clauses
            .iter()
            .map(|clause| clause.point.method().is_none_or(&is_wanted))
            .collect();
        keep(&mut self.specification.clauses, &stays);
        keep(&mut self.evidence, &stays);
        let stays: Vec<bool> = self.specification.throws.iter().map(|it| is_wanted(&it.method)).collect();
        keep(&mut self.specification.throws, &stays);
        keep(&mut self.throws_evidence, &stays);
        let concerns = |it: &Axiom| {
            let mut methods = std::iter::once(it.first).chain(it.second);
            methods.any(|method| is_wanted(&subject.key(method)))
        };
        self.axioms.iter_mut().for_each(|axioms| axioms.retain(concerns));
        self.uncalled.retain(|method| is_wanted(&subject.key(*method)));
        self.called_with_null.retain(|method| is_wanted(&subject.key(*method)));
    }

    /// The axioms to show. Unless everything is requested, axioms that leave a side open are omitted, and axioms
    /// about a single call that postconditions also state.
    pub fn shown_axioms(&self) -> impl Iterator<Item = &Axiom> {
        let is_said = |it: &Axiom| it.is_open() || self.axiomatic && it.second.is_none();
        self.axioms.iter().flatten().filter(move |it| self.is_whole || !is_said(it))
    }
}

/// Keeps the elements whose flag is true; elements without a flag stay.
fn keep<T>(all: &mut Vec<T>, stays: &[bool]) {
    let mut stays = stays.iter();
    all.retain(|_| stays.next() != Some(&false));
}
