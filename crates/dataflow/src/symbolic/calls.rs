//! Calls: those on the object under test and short static ones are followed; the results of others are unknown.

use super::evaluator::Evaluator;
use super::state::{SymbolicState, THIS};
use super::step::StepResult;
use crate::body::AnalysedBody;
use cupping_classfile::{Action, Constant, Invocation, MethodDescriptor};
use cupping_machine::{Kind, MethodId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Methods in execution at most.
const MAX_FRAMES: usize = 8;
/// Limit on the instructions of a method of another class that is followed.
const SHORT: usize = 40;

impl Evaluator<'_> {
    pub(super) fn call(
        &mut self,
        state: &mut SymbolicState,
        body: &Rc<AnalysedBody>,
        at: usize,
    ) -> Option<StepResult> {
        let instruction = &body.instructions[at];
        let (class, name, descriptor) = match body.constant(at)? {
            Constant::Method { class, name, descriptor, .. } => {
                (class.into_owned(), name.into_owned(), descriptor.into_owned())
            }
            Constant::InvokeDynamic { descriptor, .. } => {
                (String::new(), "call site".to_owned(), descriptor.into_owned())
            }
            _ => return None,
        };
        let parsed = MethodDescriptor::parse(&descriptor)?;
        let Action::Invoke(how) = instruction.action() else { return None };
        let has_receiver = how.has_receiver();
        let (operands, _) = instruction.stack_types(&body.file)?;
        let arguments = state.pop_all(&operands)?;
        let this = self.terms.int(THIS);
        let is_own = has_receiver && arguments.first() == Some(&this);
        if let Some(callee) = self.followed(state, body, at, is_own, has_receiver)
            && let Some(code) = self.body(callee)
        {
            state.enter(code, &arguments);
            if let Some(frame) = state.frame() {
                frame.is_own = is_own || !has_receiver;
            }
            return Some(StepResult::On);
        }
        let before = (!self.claims.calls.is_empty()).then(|| state.clone());
        let is_harmless = cupping_generate::influence::is_harmless(&class);
        self.skip(state, body, at, is_own, arguments.contains(&this), is_harmless);
        let kind = parsed.result.as_ref().map_or(Kind::Void, |ty| {
            Kind::of_descriptor(ty.to_string().as_bytes().first().copied().unwrap_or(b'V'))
        });
        let mut result = None;
        if kind != Kind::Void {
            let of = if &*name == "<init>" { class.as_str() } else { name.as_str() };
            let known = self.known_result(state, &class, &name, &descriptor, &arguments);
            let value = known.unwrap_or_else(|| self.unknown(state, kind, &format!("{of}()")));
            state.push_kind(kind, value);
            result = Some(value);
        }
        if let Some(before) = before
            && let Some(method) = self.method_called(body, at)
        {
            let (receiver, given) = arguments.split_at(usize::from(has_receiver));
            let receiver = receiver.first().copied();
            let call = super::claims::ReturnedCall { before: &before, receiver, arguments: given, result };
            self.assume_triples(state, method, &call);
        }
        let mut states = Vec::new();
        let is_nothing = name == "<init>" && class == "java/lang/Object";
        if !is_nothing && self.is_caught(state, None) {
            let mut failing = state.clone();
            failing.is_exact = false;
            states = self.raise(failing, None, None);
        }
        let there = match has_receiver {
            true => self.is_there(state, arguments[0]),
            false => self.terms.bool(true),
        };
        let going = self.require(state, body, at, &[(there, "java/lang/NullPointerException")])?;
        if states.is_empty() {
            return Some(going);
        }
        match going {
            StepResult::On => states.insert(0, state.clone()),
            StepResult::Fork(more) => states.extend(more),
            StepResult::Ended(end) => {
                state.end = Some(end);
                self.done.push(state.clone());
            }
            StepResult::Dropped => {}
        }
        Some(StepResult::Fork(states))
    }

    /// The method that an instruction names.
    fn method_called(&mut self, body: &AnalysedBody, at: usize) -> Option<MethodId> {
        if let Some(own) = self.flat.callee(self.machine, body, at) {
            return Some(own);
        }
        let Constant::Method { class, name, descriptor, .. } = body.constant(at)? else { return None };
        let class = self.machine.load(&class).ok()?;
        self.machine.find_method(class, &name, &descriptor)
    }

    /// The method to follow, if the call is to be followed.
    fn followed(
        &mut self,
        state: &SymbolicState,
        body: &AnalysedBody,
        at: usize,
        is_own: bool,
        has_receiver: bool,
    ) -> Option<MethodId> {
        let is_dynamic = body.instructions[at].action() == Action::Invoke(Invocation::Dynamic);
        if state.frames.len() >= MAX_FRAMES || is_dynamic {
            return None;
        }
        let is_running = |m: MethodId| state.frames.iter().filter(|f| f.body.method == m).count() > 1;
        if (is_own || !has_receiver)
            && let Some(callee) = self.flat.callee(self.machine, body, at)
        {
            return (!is_running(callee)).then_some(callee);
        }
        if has_receiver {
            return None;
        }
        let Constant::Method { class, name, descriptor, .. } = body.constant(at)? else { return None };
        let class = self.machine.load(&class).ok()?;
        let method = self.machine.find_method(class, &name, &descriptor)?;
        let code = self.body(method)?;
        (code.instructions.len() <= SHORT && !is_running(method)).then_some(method)
    }

    /// Accounts for the possible effects of a call that is not followed.
    fn skip(
        &mut self,
        state: &mut SymbolicState,
        body: &AnalysedBody,
        at: usize,
        is_own: bool,
        is_handed: bool,
        is_harmless: bool,
    ) {
        let callee = self.flat.callee(self.machine, body, at);
        if let Some(callee) = callee
            && let Some(number) = self.flat.method(callee)
        {
            let mut all = self.accesses_through(number).to_vec();
            let mut defined = self.flat.defined_by(self.machine, callee);
            if self.flat.methods[number].is_constructor() && !is_own {
                // It creates another object. It affects this one only through static variables, or because it
                // received this one.
                let accesses = &self.accesses.all;
                all.retain(|id| {
                    !accesses[*id].on_this || self.flat.variables[accesses[*id].variable].is_static
                });
                let outside: BTreeSet<usize> = all.iter().map(|id| accesses[*id].variable).collect();
                defined.retain(|variable| outside.contains(variable));
            }
            state.may_access(&all);
            self.forget(state, &defined);
        }
        if callee.is_none() && self.flat.back.is_hook(body, at, is_handed) {
            let all = self.accesses_back();
            state.may_access(&all);
            self.forget(state, &self.flat.back.defined);
        }
        let nested = self.flat.defined_by_nested.clone();
        if !nested.is_empty() && !is_harmless {
            let by_nested: Vec<usize> = (0..self.accesses.all.len())
                .filter(|id| {
                    let access = &self.accesses.all[*id];
                    access.is_definition && nested.contains(&access.variable)
                })
                .collect();
            state.may_access(&by_nested);
            self.forget(state, &nested);
        }
    }

    /// Replaces the values of variables by unknowns.
    pub(crate) fn forget(&mut self, state: &mut SymbolicState, variables: &BTreeSet<usize>) {
        for variable in variables {
            let (kind, name) = {
                let variable = &self.flat.variables[*variable];
                (variable.kind, variable.name.clone())
            };
            state.values[*variable] = self.unknown(state, kind, &name);
        }
    }

    /// The accesses of what may be called back.
    pub(super) fn accesses_back(&mut self) -> Rc<[usize]> {
        if let Some(known) = &self.called_back {
            return known.clone();
        }
        let found: Rc<[usize]> = self.reached_from(self.flat.back.methods.iter().copied().collect()).into();
        self.called_back = Some(found.clone());
        found
    }

    /// The accesses of a method and of those of the class that it calls.
    pub(crate) fn accesses_through(&mut self, method: usize) -> Rc<[usize]> {
        if let Some(known) = self.through.get(&method) {
            return known.clone();
        }
        let found: Rc<[usize]> = self.reached_from(vec![method]).into();
        self.through.insert(method, found.clone());
        found
    }

    /// The accesses of methods and of those of the class that they call.
    fn reached_from(&mut self, mut open: Vec<usize>) -> Vec<usize> {
        let mut seen: BTreeSet<usize> = open.iter().copied().collect();
        let mut found = Vec::new();
        while let Some(next) = open.pop() {
            let body = self.flat.methods[next].clone();
            for at in 0..body.instructions.len() {
                found.extend_from_slice(self.accesses.at(next, at));
                let callee = self.flat.callee(self.machine, &body, at);
                let callee = callee.and_then(|m| self.flat.method(m));
                if callee.is_none() && self.flat.back.is_hook(&body, at, true) {
                    open.extend(self.flat.back.methods.iter().filter(|m| seen.insert(**m)));
                }
                open.extend(callee.filter(|m| seen.insert(*m)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
