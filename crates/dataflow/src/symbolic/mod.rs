//! Symbolic execution of single methods (§5): for each path its precondition, the values of the variables after it, and
//! the definitions and uses along it, in order.
//!
//! The object is open: nothing is known of its variables before. References are numbers, 0 for `null`; what they refer
//! to is known for `this` alone, and the length of arrays. What is read elsewhere, and what methods of other classes
//! give, are *unknowns* of their own, so that the paths found together are at least all that there are. A loop is run
//! a few times as it is; then what it changes is unknown, which stands for every further time round.

mod calls;
mod claims;
mod loops;
mod state;
mod step;
mod values;

use state::LENGTH;
pub use state::{END_OF_UNKNOWN, StateVariables, SymbolicState};

use crate::accesses::Accesses;
use crate::body::Body;
use crate::claims::Claims;
use crate::flattened_class::FlatClass;
use cupping_generate::Parameter;
use cupping_machine::{Kind, Machine, MethodId};
use cupping_solve::{Answer, Query, Solver};
use cupping_term::{Sort, TermId, Terms, VarIndex};
use loops::Loops;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A definition or use along a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The accesses: one that takes place, or several of which any may, any number of times.
    pub accesses: Rc<[usize]>,
    /// Whether it is one that takes place.
    pub is_certain: bool,
    /// Conjuncts of the path's condition so far.
    pub conditions: usize,
}

/// How a path ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The method returns.
    Returned(Option<TermId>),
    /// It throws.
    Threw,
    /// Its end is unknown: too many paths.
    Open,
}

/// One path through a method.
#[derive(Clone, Debug)]
pub struct Path {
    /// The conjuncts under which it is taken.
    pub condition: Vec<TermId>,
    /// SymbolicState variables with a new value, and the value.
    pub after: Vec<(VarIndex, TermId)>,
    /// Definitions and uses, in order.
    pub events: Vec<Event>,
    /// How it ends.
    pub end: End,
    /// Whether nothing on it was left unknown.
    pub is_exact: bool,
}

/// What is known of a method that a sequence may call.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The method.
    pub method: MethodId,
    /// The variable of each parameter; of arrays, that of the length too.
    pub parameters: Vec<(VarIndex, Option<VarIndex>)>,
    /// Its paths.
    pub paths: Vec<Path>,
    /// What was not followed to its end, for people.
    pub open: Vec<String>,
}

/// Paths of one method at most.
const MAX_PATHS: usize = 96;
/// Instructions executed for one method at most.
const MAX_STEPS: usize = 60_000;

/// What the solver may do for the methods of a class, in microseconds as deduction counts them. After that
/// both sides of each branch are taken to be possible.
const WORK: u64 = 5_000_000;

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
    bodies: FxHashMap<MethodId, Option<Rc<Body>>>,
    loops: FxHashMap<MethodId, Rc<Loops>>,
    done: Vec<SymbolicState>,
    waiting: Vec<SymbolicState>,
    open: Vec<String>,
    unknowns: u32,
    is_spent: bool,
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
            is_spent: false,
        }
    }

    /// All paths of a method of the class.
    pub fn summarize(&mut self, method: MethodId, parameters: &[Parameter]) -> Summary {
        let mut summary = Summary { method, parameters: Vec::new(), paths: Vec::new(), open: Vec::new() };
        let Some(body) = self.body(method) else {
            summary.open.push("it has no code that could be followed".to_owned());
            return summary;
        };
        let mut state = self.start();
        let mut arguments = Vec::new();
        if !body.is_static {
            arguments.push(self.terms.int(state::THIS));
        }
        if body.is_constructor() {
            state.forget_object(self.terms, self.flat);
        }
        for parameter in parameters {
            let (variable, value) = self.variable(parameter.kind, &parameter.name);
            let mut length = None;
            if parameter.ty.descriptor().starts_with('[') {
                let (of, term) = self.variable(Kind::Int, &format!("{}{LENGTH}", parameter.name));
                state.lengths.insert(value, term);
                length = Some(of);
            }
            summary.parameters.push((variable, length));
            arguments.push(value);
        }
        if parameters.first().is_some_and(|p| p.is_outer) {
            // No enclosing object, no inner one.
            let zero = self.terms.int(0);
            let outer = self.terms.ne(arguments[1], zero);
            state.condition.push(outer);
        }
        let before = state.clone();
        state.enter(body.clone(), &arguments);
        if let Some(frame) = state.frame() {
            frame.is_own = true;
        }
        self.waiting.push(state);
        let mut steps = 0;
        while let Some(state) = self.waiting.pop() {
            if self.done.len() >= MAX_PATHS || steps > MAX_STEPS {
                self.open.push("it has more paths than are followed".to_owned());
                let rest = self.anything(method);
                self.waiting.clear();
                self.done.push(rest);
                break;
            }
            self.run(state, &mut steps);
        }
        let mut done = std::mem::take(&mut self.done);
        for state in done.iter_mut().filter(|state| !state.is_exact) {
            let Some(End::Returned(result)) = state.end else { continue };
            let (receiver, given) = arguments.split_at(usize::from(!body.is_static));
            let receiver = receiver.first().copied();
            let call = claims::Returned { before: &before, receiver, arguments: given, result };
            self.assume_triples(state, method, &call);
        }
        summary.paths = done.into_iter().map(|state| self.finish(state)).collect();
        let never = self.terms.bool(false);
        summary.paths.retain(|path| !path.condition.contains(&never));
        summary.open = std::mem::take(&mut self.open);
        if self.is_spent {
            summary.open.push("the budget of the class was spent on its paths".to_owned());
        }
        summary.open.sort_unstable();
        summary.open.dedup();
        summary
    }

    /// A static method that makes an object whose constructor no sequence can call: nothing is known of the object.
    pub fn summarize_factory(&mut self, method: MethodId, parameters: &[Parameter]) -> Summary {
        let mut state = self.start();
        let instance =
            (0..self.flat.variables.len()).filter(|v| !self.flat.variables[*v].is_static).collect();
        self.forget(&mut state, &instance);
        let mut all = Vec::new();
        for number in 0..self.flat.methods.len() {
            if self.flat.methods[number].is_constructor() {
                all.extend(self.accesses_through(number));
            }
        }
        if let Some(number) = self.flat.method(method) {
            let defined = self.flat.defined_by(self.machine, method);
            let statics = defined.into_iter().filter(|v| self.flat.variables[*v].is_static).collect();
            self.forget(&mut state, &statics);
            all.extend(self.accesses_through(number));
        }
        all.sort_unstable();
        all.dedup();
        state.may_access(&all);
        state.end = Some(End::Returned(None));
        let parameters = parameters.iter().map(|p| (self.variable(p.kind, &p.name).0, None)).collect();
        let open = vec!["what the object holds that it makes is not followed".to_owned()];
        Summary { method, parameters, paths: vec![self.finish(state)], open }
    }

    /// The state before a method.
    fn start(&mut self) -> SymbolicState {
        let mut state = SymbolicState::new(self.variables);
        state.begin(self.terms, self.flat, self.variables);
        state
    }

    /// A path that stands for all that were not followed.
    fn anything(&mut self, method: MethodId) -> SymbolicState {
        let mut state = self.start();
        let number = self.flat.method(method);
        let all = number.map(|m| self.accesses_through(m)).unwrap_or_default();
        let defined = self.flat.defined_by(self.machine, method);
        self.forget(&mut state, &defined);
        let nested = self.flat.defined_by_nested.clone();
        self.forget(&mut state, &nested);
        state.may_access(&all);
        state.is_exact = false;
        state.end = Some(End::Open);
        state
    }

    /// Runs a state to the next fork, or to its end.
    fn run(&mut self, mut state: SymbolicState, steps: &mut usize) {
        loop {
            *steps += 1;
            if *steps > MAX_STEPS {
                self.waiting.push(state);
                return;
            }
            match self.step(&mut state) {
                step::StepResult::On => {}
                step::StepResult::Fork(others) => {
                    // The first side is followed first.
                    self.waiting.extend(others.into_iter().rev());
                    return;
                }
                step::StepResult::Ended(end) => {
                    state.end = Some(end);
                    self.done.push(state);
                    return;
                }
                step::StepResult::Dropped => return,
            }
        }
    }

    /// The path of a state at its end.
    fn finish(&mut self, state: SymbolicState) -> Path {
        let after = state.changes(self.terms, self.flat, self.variables);
        let end = state.end.clone().unwrap_or(End::Open);
        let mut condition = state.condition;
        // Whoever looks at the variables later knows that objects made here are there.
        for (_, value) in &after {
            if state.made.contains(value) {
                let zero = self.terms.int(0);
                let there = self.terms.ne(*value, zero);
                condition.push(there);
            }
        }
        Path { condition, after, events: state.events, end, is_exact: state.is_exact }
    }

    /// Whether conditions can hold; where the solver cannot tell, they may.
    pub(crate) fn may_hold(&mut self, condition: &[TermId]) -> bool {
        if crate::deduce::work(self.solver) > WORK {
            self.is_spent = true;
            return true;
        }
        let assertions = with_lengths(self.terms, condition);
        let query = Query { assertions: &assertions, hint: None };
        !matches!(self.solver.solve(self.terms, &query), Answer::Unsat { .. })
    }

    /// A new variable of a kind, and its value as a slot holds it.
    pub(crate) fn variable(&mut self, kind: Kind, name: &str) -> (VarIndex, TermId) {
        let variable = self.terms.new_variable(name, sort_of(kind));
        let index = self.terms.as_variable(variable).unwrap_or(VarIndex(0));
        (index, widened(self.terms, kind, variable))
    }

    /// A value that nothing is known of.
    pub(crate) fn unknown(&mut self, state: &mut SymbolicState, kind: Kind, of: &str) -> TermId {
        state.is_exact = false;
        self.unknowns += 1;
        let name = format!("{of}{END_OF_UNKNOWN}{}", self.unknowns);
        self.variable(kind, &name).1
    }

    /// A reference to something new.
    pub(crate) fn made(&mut self, state: &mut SymbolicState, what: &str) -> TermId {
        self.unknowns += 1;
        let name = format!("new {what}{END_OF_UNKNOWN}{}", self.unknowns);
        let made = self.variable(Kind::Reference, &name).1;
        state.made.push(made);
        made
    }

    pub(crate) fn body(&mut self, method: MethodId) -> Option<Rc<Body>> {
        if let Some(number) = self.flat.method(method) {
            return Some(self.flat.methods[number].clone());
        }
        if let Some(known) = self.bodies.get(&method) {
            return known.clone();
        }
        let body = Body::of(self.machine, method).map(Rc::new);
        self.bodies.insert(method, body.clone());
        body
    }
}

/// A condition with what holds of the lengths of arrays in it: they are not negative.
pub(crate) fn with_lengths(terms: &mut Terms, condition: &[TermId]) -> Vec<TermId> {
    let mut lengths: Vec<VarIndex> = Vec::new();
    for conjunct in condition {
        let of = terms.variables(*conjunct).iter().copied();
        lengths.extend(of.filter(|v| terms.variable(*v).name.contains(LENGTH)));
    }
    lengths.sort_unstable();
    lengths.dedup();
    let mut all = condition.to_vec();
    let zero = terms.int(0);
    for length in lengths {
        let length = terms.variable(length).term;
        let fits = terms.sle(zero, length);
        if !all.contains(&fits) {
            all.push(fits);
        }
    }
    all
}

/// The sort in which a variable of a kind is kept.
pub fn sort_of(kind: Kind) -> Sort {
    match kind {
        Kind::Boolean => Sort::Bool,
        Kind::Byte => Sort::Bv8,
        Kind::Char | Kind::Short => Sort::Bv16,
        Kind::Long => Sort::Bv64,
        Kind::Float => Sort::F32,
        Kind::Double => Sort::F64,
        Kind::Int | Kind::Reference | Kind::Void => Sort::Bv32,
    }
}

/// A variable's value as a slot holds it.
pub fn widened(terms: &mut Terms, kind: Kind, value: TermId) -> TermId {
    match kind {
        Kind::Boolean => terms.bool_to_int(value),
        Kind::Byte | Kind::Short => terms.sext(Sort::Bv32, value),
        Kind::Char => terms.zext(Sort::Bv32, value),
        _ => value,
    }
}

/// A slot's value as a variable of a kind keeps it.
pub fn narrowed(terms: &mut Terms, kind: Kind, value: TermId) -> TermId {
    match kind {
        Kind::Boolean => terms.truncate(Sort::Bool, value),
        Kind::Byte => terms.truncate(Sort::Bv8, value),
        Kind::Char | Kind::Short => terms.truncate(Sort::Bv16, value),
        _ => value,
    }
}
