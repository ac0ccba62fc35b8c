//! Applies the user's claims to paths: compiled conditions are evaluated symbolically, outside of the path.

use super::evaluator::{self, Evaluator};
use super::path::PathEnd;
use super::sorts::{narrowed, sort_of, widened};
use super::state::{SymbolicState, THIS};
use crate::body::AnalysedBody;
use crate::claims::{CallClaim, LoopClaim};
use cupping_classfile::MethodDescriptor;
use cupping_contract::{BoundMethods, Order};
use cupping_machine::{Kind, MethodId};
use cupping_term::TermId;
use std::rc::Rc;

/// Instructions of a condition at most.
const MAX_STEPS: usize = 4_000;

/// A call that returned, for a triple about it.
pub(super) struct ReturnedCall<'a> {
    /// The state before it.
    pub before: &'a SymbolicState,
    /// Receiver, if any, and arguments.
    pub receiver: Option<TermId>,
    pub arguments: &'a [TermId],
    pub result: Option<TermId>,
}

impl Evaluator<'_> {
    /// Assumes the user's invariants at the head of a loop.
    pub(super) fn assume_invariants(
        &mut self,
        state: &mut SymbolicState,
        body: &Rc<AnalysedBody>,
        at: usize,
    ) -> Result<(), String> {
        let line = body.line(at);
        let class = self.machine.class(body.class).name.clone();
        let claims = self.claims;
        let is_meant = |claim: &&LoopClaim| {
            let invariant = &claim.invariant;
            invariant.method == *body.name
                && *claim.class == *class
                && invariant.line.is_none_or(|own| Some(own) == line)
        };
        for claim in claims.loops.iter().filter(is_meant) {
            let bad = |why: &str| format!("the invariant `{}` is not used: {why}", claim.invariant.text);
            let mut arguments = Vec::new();
            for name in &claim.names {
                let value = self.named(state, body, at, name);
                arguments.push(value.ok_or_else(|| bad(&format!("{name} has no value there")))?);
            }
            let condition = (&*claim.condition.0, &*claim.condition.1);
            let holds = self
                .truth(state, condition, &arguments)
                .ok_or_else(|| bad("it is not supported by symbolic evaluation"))?;
            state.condition.push(holds);
        }
        Ok(())
    }

    /// The value of a name at a position of a method.
    fn named(&mut self, state: &SymbolicState, body: &AnalysedBody, at: usize, name: &str) -> Option<TermId> {
        if name == "this" {
            return (!body.is_static).then(|| self.terms.int(THIS));
        }
        let pc = body.instructions[at].pc;
        let local = body.code.local_variables.iter().find(|v| {
            let start = u32::from(v.start);
            *v.name == *name && (start..start + u32::from(v.length)).contains(&pc)
        });
        if let Some(local) = local {
            return state.frames.last()?.slots.local(local.slot).copied();
        }
        let variable = self.flat.variables.iter().position(|v| *v.name == *name)?;
        state.values.get(variable).copied()
    }

    /// Assumes the user's triples after a call.
    pub(super) fn assume_triples(
        &mut self,
        state: &mut SymbolicState,
        method: MethodId,
        call: &ReturnedCall<'_>,
    ) {
        let claims = self.claims;
        if claims.calls.is_empty() {
            return;
        }
        let called = self.machine.method(method);
        let (name, descriptor, class) = (called.name.clone(), called.descriptor.clone(), called.class);
        let class = self.machine.class(class).name.clone();
        for claim in &claims.calls {
            let target = &claim.triple.target;
            if *target.name == *name && *target.descriptor == *descriptor && *target.class == *class {
                match self.triple(state, claim, call) {
                    Some(holds) => state.condition.push(holds),
                    None => self.open.push(format!("the condition on {name} is not supported")),
                }
            }
        }
    }

    /// The precondition of a triple implies its postcondition.
    fn triple(
        &mut self,
        state: &SymbolicState,
        claim: &CallClaim,
        call: &ReturnedCall<'_>,
    ) -> Option<TermId> {
        let triple = &claim.triple;
        let zero = self.terms.int(0);
        let mut variables = vec![zero; triple.seen];
        if let (Some(variable), Some(receiver)) = (triple.receiver, call.receiver) {
            variables[variable] = receiver;
        }
        for (variable, argument) in triple.arguments.iter().zip(call.arguments) {
            if let Some(variable) = variable {
                variables[*variable] = *argument;
            }
        }
        // Missing ones have no names; only their size matters.
        let pre = (&*claim.made, &*triple.pre);
        let variables = self.sized(pre, variables)?;
        let mut required = self.truth(call.before, pre, &variables)?;
        for (variable, bounds) in claim.bounds.iter().enumerate() {
            for within in bounds {
                let fits = self.within(call.before, &claim.made, within, &variables[..=variable])?;
                required = self.terms.and(required, fits);
            }
        }
        let mut arguments = variables.clone();
        arguments.extend(call.result);
        for old in &triple.old {
            arguments.push(self.value(call.before, (&claim.made, old), &variables)?);
        }
        let post = self.truth(state, (&claim.made, triple.post.as_deref()?), &arguments)?;
        let not = self.terms.not(required);
        Some(self.terms.or(not, post))
    }

    /// The values, with a zero of the right size where one is missing.
    fn sized(&mut self, (class, method): (&str, &str), mut values: Vec<TermId>) -> Option<Vec<TermId>> {
        let body = self.made_body(class, method)?;
        let types = MethodDescriptor::parse(&body.descriptor)?.parameters;
        let int = self.terms.int(0);
        for (value, ty) in values.iter_mut().zip(&types) {
            let kind = Kind::of_descriptor(ty.to_string().as_bytes().first().copied()?);
            if *value == int && matches!(kind, Kind::Long | Kind::Float | Kind::Double) {
                *value = self.terms.constant(sort_of(kind), 0);
            }
        }
        Some(values)
    }

    fn within(
        &mut self,
        state: &SymbolicState,
        class: &str,
        within: &BoundMethods,
        variables: &[TermId],
    ) -> Option<TermId> {
        let value = *variables.last()?;
        let end = |evaluator: &mut Self, method: &str| evaluator.value(state, (class, method), &[]);
        Some(match within {
            BoundMethods::Compare(order, method) => {
                let end = end(self, method)?;
                self.ordered(*order, value, end)?
            }
            BoundMethods::Range(low, high) => {
                let (low, high) = (end(self, low)?, end(self, high)?);
                let (above, below) =
                    (self.ordered(Order::AtLeast, value, low)?, self.ordered(Order::AtMost, value, high)?);
                self.terms.and(above, below)
            }
            BoundMethods::OneOf(methods) => {
                let mut any = self.terms.bool(false);
                for method in methods {
                    let one = end(self, method)?;
                    let equal = self.terms.eq(value, one);
                    any = self.terms.or(any, equal);
                }
                any
            }
            BoundMethods::Where(method) => self.truth(state, (class, method), variables)?,
        })
    }

    fn ordered(&mut self, order: Order, a: TermId, b: TermId) -> Option<TermId> {
        if self.terms.sort(a) != self.terms.sort(b) || !self.terms.sort(a).is_bv() {
            return None;
        }
        Some(match order {
            Order::Less => self.terms.slt(a, b),
            Order::AtMost => self.terms.sle(a, b),
            Order::Greater => self.terms.sgt(a, b),
            Order::AtLeast => self.terms.sge(a, b),
            Order::Not => self.terms.ne(a, b),
        })
    }

    fn made_body(&mut self, class: &str, method: &str) -> Option<Rc<AnalysedBody>> {
        let class = self.machine.load(class).ok()?;
        let found = self
            .machine
            .class(class)
            .methods
            .iter()
            .copied()
            .find(|m| &*self.machine.method(*m).name == method)?;
        self.body(found)
    }

    /// The condition under which a method compiled from a condition returns `true`.
    fn truth(&mut self, state: &SymbolicState, method: (&str, &str), arguments: &[TermId]) -> Option<TermId> {
        let mut any = self.terms.bool(false);
        for (condition, value) in self.aside(state, method, arguments)? {
            let zero = self.terms.int(0);
            let mut holds = self.terms.ne(value, zero);
            for conjunct in condition {
                holds = self.terms.and(conjunct, holds);
            }
            any = self.terms.or(any, holds);
        }
        Some(any)
    }

    /// The result of a method that was compiled from an expression.
    fn value(&mut self, state: &SymbolicState, method: (&str, &str), arguments: &[TermId]) -> Option<TermId> {
        let mut ends = self.aside(state, method, arguments)?.into_iter();
        let (_, mut value) = ends.next()?;
        for (condition, other) in ends {
            let mut is = self.terms.bool(true);
            for conjunct in condition {
                is = self.terms.and(is, conjunct);
            }
            value = self.terms.ite(is, other, value);
        }
        Some(value)
    }

    /// The ends of a method: condition and value. Empty if symbolic evaluation does not support it to its end.
    fn aside(
        &mut self,
        state: &SymbolicState,
        (class, method): (&str, &str),
        arguments: &[TermId],
    ) -> Option<Vec<(Vec<TermId>, TermId)>> {
        let body = self.made_body(class, method)?;
        let types = MethodDescriptor::parse(&body.descriptor)?.parameters;
        let mut inner = state.clone();
        inner.frames.clear();
        let known = inner.condition.len();
        let mut given = Vec::with_capacity(arguments.len());
        for (argument, ty) in arguments.iter().zip(&types) {
            let kind = Kind::of_descriptor(ty.to_string().as_bytes().first().copied()?);
            let value = narrowed(self.terms, kind, *argument);
            given.push(widened(self.terms, kind, value));
        }
        inner.enter(body, &given);
        let kept = (
            std::mem::take(&mut self.done),
            std::mem::take(&mut self.waiting),
            std::mem::take(&mut self.open),
        );
        self.waiting.push(inner);
        let mut steps = evaluator::MAX_STEPS - MAX_STEPS;
        while steps <= evaluator::MAX_STEPS
            && let Some(next) = self.waiting.pop()
        {
            self.run(next, &mut steps);
        }
        let is_whole = self.waiting.is_empty() && self.open.is_empty();
        let done = std::mem::take(&mut self.done);
        (self.done, self.waiting, self.open) = kept;
        if !is_whole {
            return None;
        }
        let mut ends = Vec::new();
        for end in done {
            match end.end {
                Some(PathEnd::Returned(Some(value))) => ends.push((end.condition[known..].to_vec(), value)),
                Some(PathEnd::Threw) => {}
                _ => return None,
            }
        }
        Some(ends)
    }
}
