//! Symbolic execution of single methods (§5): for each path its precondition, the values of the variables after it,
//! and the definitions and uses along it, in order.
//!
//! The object is open: its variables have unknown values before the method. References are numbers, 0 for `null`;
//! their targets are known only for `this`, and for the lengths of arrays. Values read elsewhere, and results of
//! methods of other classes, are separate *unknowns*, so that the paths found together include all real ones. A loop
//! is executed individually a few times; then the variables that it changes become unknown, which represents every
//! further iteration.

mod calls;
mod claims;
mod constants;
mod deferred;
mod evaluator;
mod loops;
mod natural_loops;
mod path;
mod sorts;
mod state;
mod step;
mod values;

pub use evaluator::Evaluator;
pub use path::{Event, MethodSummary, Path, PathEnd};
pub(crate) use sorts::{LENGTH, with_lengths};
pub use sorts::{narrowed, sort_of, widened};
pub use state::{END_OF_UNKNOWN, FIRST_CONSTANT, StateVariables, SymbolicState};

use crate::body::AnalysedBody;
use cupping_generate::Parameter;
use cupping_machine::{Kind, MethodId};
use evaluator::{MAX_PATHS, MAX_STEPS};
use state::THIS;

impl Evaluator<'_> {
    /// All paths of a method of the class.
    pub fn summarize(&mut self, method: MethodId, parameters: &[Parameter]) -> MethodSummary {
        let mut summary = MethodSummary {
            method,
            parameters: Vec::new(),
            paths: Vec::new(),
            open: Vec::new(),
            is_deferred: false,
        };
        let Some(body) = self.body(method) else {
            summary.open.push("it has no code that can be evaluated".to_owned());
            return summary;
        };
        let mut state = self.start();
        let mut arguments = Vec::new();
        if !body.is_static {
            arguments.push(self.terms.int(THIS));
        }
        if body.is_constructor() {
            state.forget_object(self.terms, self.flat);
        }
        for parameter in parameters {
            let name = self.parameter_name(&body, &parameter.name);
            let (variable, value) = self.variable(parameter.kind, &name);
            let mut length = None;
            if parameter.ty.descriptor().starts_with('[') {
                let (of, term) = self.variable(Kind::Int, &format!("{name}{LENGTH}"));
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
            if self.done.len() >= MAX_PATHS || steps > MAX_STEPS || self.is_spent {
                let spent = "the budget of the class was spent on its paths";
                let why = if self.is_spent { spent } else { "it has more paths than are evaluated" };
                self.open.push(why.to_owned());
                let rest = self.anything(method);
                self.waiting.clear();
                self.done.push(rest);
                break;
            }
            self.run(state, &mut steps);
        }
        let mut done = std::mem::take(&mut self.done);
        for state in done.iter_mut().filter(|state| !state.is_exact) {
            let Some(PathEnd::Returned(result)) = state.end else { continue };
            let (receiver, given) = arguments.split_at(usize::from(!body.is_static));
            let receiver = receiver.first().copied();
            let call = claims::ReturnedCall { before: &before, receiver, arguments: given, result };
            self.assume_triples(state, method, &call);
        }
        summary.paths = done.into_iter().map(|state| self.finish(state)).collect();
        let never = self.terms.bool(false);
        summary.paths.retain(|path| !path.condition.contains(&never));
        summary.open = std::mem::take(&mut self.open);
        summary.open.sort_unstable();
        summary.open.dedup();
        summary
    }

    /// A parameter's name in conditions, prefixed by its method if a variable of the class has the same name.
    fn parameter_name(&self, body: &AnalysedBody, name: &str) -> String {
        if !self.flat.variables.iter().any(|variable| &*variable.name == name) {
            return name.to_owned();
        }
        let class = &self.machine.class(body.class).name;
        let of = if body.is_constructor() {
            class.rsplit(['/', '$']).next().unwrap_or(class)
        } else {
            &*body.name
        };
        format!("{of}:{name}")
    }

    /// Summarises a static method that creates an object whose constructor no sequence can call: nothing is known
    /// about the object.
    pub fn summarize_factory(&mut self, method: MethodId, parameters: &[Parameter]) -> MethodSummary {
        let mut state = self.start();
        let instance =
            (0..self.flat.variables.len()).filter(|v| !self.flat.variables[*v].is_static).collect();
        self.forget(&mut state, &instance);
        let mut all = Vec::new();
        for number in 0..self.flat.methods.len() {
            if self.flat.methods[number].is_constructor() {
                all.extend_from_slice(&self.accesses_through(number));
            }
        }
        if let Some(number) = self.flat.method(method) {
            let defined = self.flat.defined_by(self.machine, method);
            let statics = defined.into_iter().filter(|v| self.flat.variables[*v].is_static).collect();
            self.forget(&mut state, &statics);
            all.extend_from_slice(&self.accesses_through(number));
        }
        all.sort_unstable();
        all.dedup();
        state.may_access(&all);
        state.end = Some(PathEnd::Returned(None));
        let parameters = parameters.iter().map(|p| (self.variable(p.kind, &p.name).0, None)).collect();
        let open = vec!["the contents of the object that it creates are unknown".to_owned()];
        MethodSummary { method, parameters, paths: vec![self.finish(state)], open, is_deferred: false }
    }

    /// The state before a method.
    fn start(&mut self) -> SymbolicState {
        let mut state = SymbolicState::new(self.variables);
        state.begin(self.terms, self.flat, self.variables);
        state
    }

    /// A path that represents all paths that were not followed.
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
        state.end = Some(PathEnd::Open);
        state
    }

    /// Runs a state to the next fork, or to its end.
    fn run(&mut self, mut state: SymbolicState, steps: &mut usize) {
        loop {
            *steps += 1;
            if self.count_step() || *steps > MAX_STEPS {
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
        let end = state.end.clone().unwrap_or(PathEnd::Open);
        let mut condition = state.condition;
        // Code that reads the variables later knows that objects created here exist.
        for (_, value) in &after {
            if state.made.contains(value) {
                let zero = self.terms.int(0);
                let there = self.terms.ne(*value, zero);
                condition.push(there);
            }
        }
        Path { condition, after, events: state.events, end, is_exact: state.is_exact }
    }
}
