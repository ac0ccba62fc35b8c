//! Solver queries at the end of a path, and the tests made from the answers.

use super::explorer::{Explorer, result_kind};
use super::literal::literal;
use crate::program_point::ProgramPoint;
use crate::sequence::{Arg, CallSequence, Construction, Invocation};
use crate::specification::{Clause, ThrowsClause};
use crate::symbolic_state::{FormulaStatus, SymbolicState, SymbolicValue};
use crate::term::Term;
use cupping_explore::{CompletedPath, Driver, DriverRequest, InvocationEnd};
use cupping_machine::{Addr, Kind, Machine, Value as Slot, term_of};
use cupping_solve::{Answer, Query, Solver};
use cupping_term::{Evaluator, Model, TermId, VarIndex};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The solver's work for one inquiry, in units of some microseconds.
const MOST_WORK: u64 = 800_000;
/// The largest number of questions about a class.
const MOST_QUESTIONS: usize = 3_000;

/// The result of the symbolic search.
#[derive(Clone, Debug, Default)]
pub struct SolverReport {
    /// For each clause, the number of calls up to which all sequences satisfy it; 0 if unknown.
    pub proved: Vec<usize>,
    /// For each clause, whether only tried values were used for some arguments: objects, or numbers with too many
    /// paths.
    pub tried: Vec<bool>,
    /// For throws clauses: [`SolverReport::proved`] and [`SolverReport::tried`].
    pub throws: Vec<(usize, bool)>,
    /// The number of paths that were followed.
    pub paths: usize,
    /// The number of questions to the solver.
    pub questions: usize,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(super) enum CallArgument {
    Symbol(Kind, VarIndex),
    Fixed(Arg),
}

#[derive(Clone, Debug)]
pub(super) struct InquiryStep {
    pub(super) method: usize,
    pub(super) given: Vec<CallArgument>,
}

#[derive(Clone)]
pub(super) struct OneCall {
    pub(super) arguments: Vec<(Kind, Slot)>,
    pub(super) ended: Option<InvocationEnd>,
}

impl Driver for OneCall {
    fn advance(&mut self, _: &mut Machine, ended: InvocationEnd) -> DriverRequest {
        self.ended = Some(ended);
        DriverRequest::Complete
    }

    fn adopt(&mut self, machine: &mut Machine, model: &Model) {
        let mut evaluator = Evaluator::new();
        for (_, slot) in &mut self.arguments {
            if let Some(term) = term_of(slot.shadow) {
                slot.bits = evaluator.eval(machine.terms(), model, term);
            }
        }
    }
}

/// The clauses in question, and what is known about them.
pub(super) struct Inquiry<'s> {
    pub(super) clauses: &'s [Clause],
    pub(super) throws: &'s [ThrowsClause],
    /// Whether each clause was left open at the end of some path.
    pub(super) open: Vec<bool>,
    /// The same of throws clauses.
    pub(super) open_throws: Vec<bool>,
    pub(super) solver: Solver,
    pub(super) tests: Vec<CallSequence>,
    pub(super) seen: FxHashSet<String>,
    pub(super) asked: SolverReport,
}

impl Inquiry<'_> {
    /// Whether the solver's budget is spent.
    pub(super) fn is_spent(&self) -> bool {
        self.solver.work() >= MOST_WORK
    }
}

impl Explorer<'_> {
    /// At the end of a path: turns it into a test and asks the solver. Returns whether the call ended.
    pub(super) fn at_end(
        &mut self,
        steps: &[InquiryStep],
        object: Addr,
        old: &[(Term, SymbolicValue)],
        done: &CompletedPath<OneCall>,
        inquiry: &mut Inquiry<'_>,
    ) -> bool {
        self.note(steps, &done.model, inquiry);
        let Some(InvocationEnd::Returned(value)) = done.driver.ended else {
            return matches!(done.driver.ended, Some(InvocationEnd::Threw(_)));
        };
        let Some(step) = steps.last() else { return true };
        let invokable = self.subject.methods[step.method].clone();
        let result = result_kind(&invokable);
        let key = self.subject.key(step.method);
        for (at, clause) in inquiry.clauses.iter().enumerate() {
            let is_here = match &clause.point {
                ProgramPoint::Class => !invokable.is_static,
                ProgramPoint::Exit(of) => *of == key,
                ProgramPoint::Entry(_) => {
                    inquiry.open[at] = true;
                    false
                }
            };
            if !is_here || inquiry.open[at] {
                continue;
            }
            // A call without effect matters only as the last one, and only to formulas about its method.
            let is_last_told = clause.point != ProgramPoint::Class;
            let counts = |at: usize, it: &InquiryStep| {
                at == 0 || self.moved[it.method] || is_last_told && at + 1 == steps.len()
            };
            let mut counted = steps.iter().enumerate().filter(|it| counts(it.0, it.1));
            inquiry.asked.tried[at] |= counted.any(|it| is_tried(it.1));
            let mut moment = SymbolicState {
                machine: self.machine,
                this: if invokable.is_static { 0 } else { object },
                arguments: &done.driver.arguments,
                result: (result != Kind::Void).then_some((result, value)),
                old,
            };
            let wrong: TermId = match moment.holds(&clause.formula) {
                FormulaStatus::Absent => continue,
                FormulaStatus::Unknown => {
                    inquiry.open[at] = true;
                    continue;
                }
                FormulaStatus::If(term) => self.machine.terms_mut().not(term),
            };
            inquiry.open[at] |= self.is_possible(steps, wrong, done, inquiry);
        }
        true
    }

    /// At the end of a path: asks for arguments with which an exception is thrown although no condition of it holds,
    /// or is not thrown although one holds.
    pub(super) fn throws_at_end(
        &mut self,
        steps: &[InquiryStep],
        conditions: &[(usize, FormulaStatus)],
        done: &CompletedPath<OneCall>,
        inquiry: &mut Inquiry<'_>,
    ) {
        let thrown = match done.driver.ended {
            Some(InvocationEnd::Threw(exception)) => Some(self.machine.class_name_of(exception).to_owned()),
            Some(InvocationEnd::Returned(_)) => None,
            _ => return,
        };
        for (at, status) in conditions {
            let throws = &inquiry.throws[*at];
            let is_thrown = thrown.as_deref() == Some(&*throws.class);
            let counts =
                |at: usize, it: &InquiryStep| at == 0 || self.moved[it.method] || at + 1 == steps.len();
            let mut counted = steps.iter().enumerate().filter(|it| counts(it.0, it.1));
            inquiry.asked.throws[*at].1 |= counted.any(|it| is_tried(it.1));
            if is_thrown && !throws.exact || inquiry.open_throws[*at] {
                continue;
            }
            let wrong = match status {
                FormulaStatus::Absent => continue,
                FormulaStatus::Unknown => {
                    inquiry.open_throws[*at] = true;
                    continue;
                }
                FormulaStatus::If(holds) if is_thrown => self.machine.terms_mut().not(*holds),
                FormulaStatus::If(holds) => *holds,
            };
            inquiry.open_throws[*at] |= self.is_possible(steps, wrong, done, inquiry);
        }
    }

    /// Whether some arguments that take the path make a term true. If so, they become a test.
    fn is_possible(
        &mut self,
        steps: &[InquiryStep],
        wrong: TermId,
        done: &CompletedPath<OneCall>,
        inquiry: &mut Inquiry<'_>,
    ) -> bool {
        if self.machine.terms().as_constant(wrong) == Some(0) {
            return false;
        }
        if inquiry.asked.questions >= MOST_QUESTIONS || inquiry.is_spent() {
            return true;
        }
        inquiry.asked.questions += 1;
        let mut assertions = done.path.condition();
        assertions.push(wrong);
        let query = Query { assertions: &assertions, hint: Some(&done.model) };
        match inquiry.solver.solve(self.machine.terms_mut(), &query) {
            Answer::Unsat { .. } => false,
            Answer::Unknown(_) => true,
            Answer::Sat(model) => {
                self.note(steps, &model, inquiry);
                true
            }
        }
    }

    /// The test that the steps are under a model.
    fn note(&self, steps: &[InquiryStep], model: &Model, inquiry: &mut Inquiry<'_>) {
        let call = |step: &InquiryStep| Invocation {
            invokable: self.subject.methods[step.method].clone(),
            arguments: step
                .given
                .iter()
                .map(|it| match it {
                    CallArgument::Fixed(arg) => arg.clone(),
                    CallArgument::Symbol(kind, symbol) => Arg::Literal(literal(*kind, model.get(*symbol))),
                })
                .collect(),
        };
        let Some((last, before)) = steps.split_last() else { return };
        let mut before = before.iter().map(call);
        let receiver = before
            .next()
            .map(|maker| Rc::new(Construction { then: before.collect(), ..Construction::new(maker) }));
        let test = CallSequence { receiver, call: call(last) };
        if inquiry.seen.insert(test.to_string()) {
            inquiry.tests.push(test);
        }
    }
}

/// Whether some argument of a call stands only for itself rather than for all values of its type.
fn is_tried(step: &InquiryStep) -> bool {
    step.given.iter().any(|it| matches!(it, CallArgument::Fixed(_)))
}
