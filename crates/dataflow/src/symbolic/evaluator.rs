//! The evaluator of methods, with its caches and limits.

use super::natural_loops::Loops;
use super::sorts::{sort_of, widened, with_lengths};
use super::state::{END_OF_UNKNOWN, FIRST_CONSTANT, StateVariables, SymbolicState};
use crate::accesses::Accesses;
use crate::account::Stop;
use crate::body::AnalysedBody;
use crate::claims::Claims;
use crate::flattened_class::FlatClass;
use cupping_machine::{Kind, Machine, MethodId};
use cupping_solve::{Answer, Query, Solver};
use cupping_term::{TermId, Terms, VarIndex};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Work of one instruction, in microseconds.
const PER_STEP: u64 = 2;
/// Steps between two looks at the clock.
const BETWEEN_LOOKS: u64 = 256;

/// Paths of one method at most.
pub(super) const MAX_PATHS: usize = 96;
/// Instructions executed for one method at most.
pub(super) const MAX_STEPS: usize = 60_000;

/// Executes methods symbolically.
pub struct Evaluator<'a> {
    /// For loading and looking up.
    pub machine: &'a mut Machine,
    /// The class.
    pub flat: &'a FlatClass,
    /// Its definitions and uses.
    pub accesses: &'a Accesses,
    /// The arena of all terms.
    pub terms: &'a mut Terms,
    /// Says which sides of a branch can be.
    pub solver: &'a mut Solver,
    /// The variables of the object before a method.
    pub variables: &'a StateVariables,
    /// What the user says.
    pub claims: &'a Claims,
    pub(super) bodies: FxHashMap<MethodId, Option<Rc<AnalysedBody>>>,
    pub(super) loops: FxHashMap<MethodId, Rc<Loops>>,
    pub(super) done: Vec<SymbolicState>,
    pub(super) waiting: Vec<SymbolicState>,
    pub(super) open: Vec<String>,
    pub(super) unknowns: u32,
    /// Instructions executed.
    steps: u64,
    /// Work after which a method's paths are no longer followed.
    limit: u64,
    stop: Option<Stop>,
    /// Constant texts and classes of the code, in the order of their numbers.
    constants: Vec<String>,
    /// Tables of `switch` statements over enums: pairs of an ordinal and the number of its case.
    pub(super) switch_tables: FxHashMap<TermId, Vec<(i32, i32)>>,
    pub(super) is_spent: bool,
    /// The accesses of a method and of what it calls, by its number.
    pub(super) through: FxHashMap<usize, Rc<[usize]>>,
    /// The accesses of what may be called back.
    pub(super) called_back: Option<Rc<[usize]>>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator for the methods of a class.
    pub fn new(
        machine: &'a mut Machine,
        flat: &'a FlatClass,
        accesses: &'a Accesses,
        terms: &'a mut Terms,
        solver: &'a mut Solver,
        variables: &'a StateVariables,
        claims: &'a Claims,
    ) -> Evaluator<'a> {
        Evaluator {
            machine,
            flat,
            accesses,
            terms,
            solver,
            variables,
            claims,
            bodies: FxHashMap::default(),
            loops: FxHashMap::default(),
            done: Vec::new(),
            waiting: Vec::new(),
            open: Vec::new(),
            unknowns: 0,
            steps: 0,
            limit: u64::MAX,
            stop: None,
            constants: Vec::new(),
            switch_tables: FxHashMap::default(),
            is_spent: false,
            through: FxHashMap::default(),
            called_back: None,
        }
    }

    /// Limits the work on all methods: in microseconds, and by the clock.
    pub fn limit(&mut self, work: u64, stop: Stop) {
        (self.limit, self.stop) = (self.work() + work, Some(stop));
    }

    /// The work so far, in microseconds of a reference machine.
    pub fn work(&self) -> u64 {
        self.solver.work() + self.steps * PER_STEP
    }

    /// Counts an instruction; returns whether the budget is spent.
    pub(super) fn count_step(&mut self) -> bool {
        self.steps += 1;
        if !self.is_spent && self.steps.is_multiple_of(BETWEEN_LOOKS) {
            self.is_spent = self.work() > self.limit || self.stop.is_some_and(|stop| stop.is_due());
        }
        self.is_spent
    }

    /// Whether conditions may hold; true if the solver cannot decide.
    pub(crate) fn may_hold(&mut self, condition: &[TermId]) -> bool {
        if self.is_spent {
            return true;
        }
        let assertions = with_lengths(self.terms, condition);
        let query = Query { assertions: &assertions, hint: None };
        !matches!(self.solver.solve(self.terms, &query), Answer::Unsat { .. })
    }

    /// A new variable of a kind, and its value as it appears in a slot.
    pub(crate) fn variable(&mut self, kind: Kind, name: &str) -> (VarIndex, TermId) {
        let variable = self.terms.new_variable(name, sort_of(kind));
        let index = self.terms.as_variable(variable).unwrap_or(VarIndex(0));
        (index, widened(self.terms, kind, variable))
    }

    /// An unknown value.
    pub(crate) fn unknown(&mut self, state: &mut SymbolicState, kind: Kind, of: &str) -> TermId {
        state.is_exact = false;
        self.unknowns += 1;
        let name = format!("{of}{END_OF_UNKNOWN}{}", self.unknowns);
        self.variable(kind, &name).1
    }

    /// The reference to a constant text or class of the code.
    pub(crate) fn constant(&mut self, name: &str) -> TermId {
        let number = self.constants.iter().position(|known| known == name).unwrap_or_else(|| {
            self.constants.push(name.to_owned());
            self.constants.len() - 1
        });
        self.terms.int(FIRST_CONSTANT.saturating_add(number as i32))
    }

    /// The names of the constants, in the order of their numbers.
    pub fn into_constants(self) -> Vec<String> {
        self.constants
    }

    /// A reference to something new.
    pub(crate) fn made(&mut self, state: &mut SymbolicState, what: &str) -> TermId {
        self.unknowns += 1;
        let name = format!("new {what}{END_OF_UNKNOWN}{}", self.unknowns);
        let made = self.variable(Kind::Reference, &name).1;
        state.made.push(made);
        made
    }

    /// The body of a method, if it has code.
    pub(crate) fn body(&mut self, method: MethodId) -> Option<Rc<AnalysedBody>> {
        if let Some(number) = self.flat.method(method) {
            return Some(self.flat.methods[number].clone());
        }
        if let Some(known) = self.bodies.get(&method) {
            return known.clone();
        }
        let body = AnalysedBody::of(self.machine, method).map(Rc::new);
        self.bodies.insert(method, body.clone());
        body
    }
}
