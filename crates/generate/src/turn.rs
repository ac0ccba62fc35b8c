//! Turns: a sequence goes on with another object. Objects of the class that calls took or returned are under test as
//! well (`a.join(b)`, then `b.leave()`), and so are its [views](crate::view).

use crate::continuation::{Continuation, SequenceState, abstraction};
use crate::invokable::kind_of;
use crate::plan::{PlanStep, Var};
use crate::view::{View, views};
use crate::workbench::{Hint, PlannedCall, Workbench};
use cupping_explore::InvocationEnd;
use cupping_machine::{Kind, Value};
use std::rc::Rc;

/// Limit on the objects that a sequence has turned from and can come back to.
const MOST_OTHERS: usize = 2;

impl Workbench<'_> {
    /// The views of the class.
    pub fn views(&mut self) -> Rc<Vec<View>> {
        if self.views.is_none() {
            let methods = self.invokables();
            let (class, package) = (self.subject.class, self.subject.package.clone());
            let found = views(self.session.machine(), class, &methods, &package);
            self.views = Some(Rc::new(found));
        }
        self.views.clone().unwrap_or_default()
    }

    /// The same state with each other object that the last call took or returned to go on with.
    pub fn turns_of_last_call(&mut self, from: &SequenceState) -> Vec<Continuation> {
        self.turns_since(from, from.driver.next.saturating_sub(1))
    }

    /// The same state with each other object of the sequence to go on with.
    pub fn turns(&mut self, from: &SequenceState) -> Vec<Continuation> {
        self.turns_since(from, 0)
    }

    /// The same state with each other object that a step took or returned, from this one on.
    fn turns_since(&mut self, from: &SequenceState, first: usize) -> Vec<Continuation> {
        let Some(object) = from.object else { return Vec::new() };
        let views = self.views();
        let subject = self.subject.class;
        let driver = &from.driver;
        let address = |var: Var| driver.object(var).unwrap_or(0);
        let machine = self.session.machine();
        machine.restore(&from.snapshot);
        let mut seen = vec![address(object), 0];
        let mut found = Vec::new();
        // Latest objects first.
        for step in driver.plan.steps[first..driver.next].iter().rev() {
            let PlanStep::Call { invokable, arguments, result, .. } = step else { continue };
            let is_object = invokable.is_constructor() || kind_of(&invokable.result) == Kind::Reference;
            let own = usize::from(invokable.has_receiver());
            let taken = arguments.iter().enumerate().filter(|(at, _)| {
                at.checked_sub(own).is_none_or(|at| invokable.parameters[at].kind == Kind::Reference)
            });
            for var in result.iter().filter(|_| is_object).chain(taken.map(|(_, var)| var)) {
                let of = address(*var);
                if seen.contains(&of) {
                    continue;
                }
                seen.push(of);
                let its = machine.class_of(of);
                let class = if machine.is_subtype(its, subject) {
                    subject
                } else if let Some(view) = views.iter().find(|it| machine.is_subtype(its, it.class))
                    && *result == Some(*var)
                {
                    view.class
                } else {
                    continue;
                };
                let mut others = vec![object];
                others.extend(from.others.iter().filter(|it| address(**it) != of));
                others.truncate(MOST_OTHERS);
                found.push((*var, class, others));
            }
        }
        let mut turned = Vec::new();
        for (var, class, others) in found {
            let state = SequenceState {
                driver: driver.clone(),
                model: from.model.clone(),
                snapshot: from.snapshot.clone(),
                object: Some(var),
                class,
                others,
                calls: from.calls,
                has_thrown: from.has_thrown,
            };
            turned.push(self.turned(state));
        }
        turned
    }

    /// The state as a continuation without a call.
    fn turned(&mut self, state: SequenceState) -> Continuation {
        let machine = self.session.machine();
        let (key, values) = abstraction(machine, &state);
        let defined = state.alive(machine);
        let registers = machine.registers();
        let (hits, pairs) = (registers.coverage.clone(), registers.pairs.clone());
        let plan = state.driver.plan.clone();
        let ended = InvocationEnd::Returned(Value::concrete(0));
        self.charge(0, 1);
        Continuation {
            is_call: false,
            state,
            goes_on: true,
            key,
            values,
            defined,
            pairs,
            hits,
            plan,
            ended,
            thrown: None,
        }
    }

    /// Passes an object to every parameter of a call that can take it; `None` if none can.
    pub(crate) fn pass(&mut self, from: &SequenceState, var: Var, call: &mut PlannedCall) -> Option<()> {
        let machine = self.session.machine();
        let its = machine.class_of(from.driver.object(var)?);
        let mut takes = false;
        for (hint, parameter) in call.arguments.iter_mut().zip(&call.invokable.parameters) {
            let fits = parameter.kind == Kind::Reference
                && machine
                    .load_descriptor(&parameter.ty.descriptor())
                    .is_ok_and(|it| machine.is_subtype(its, it));
            if fits {
                (*hint, takes) = (Hint::Variable(var), true);
            }
        }
        takes.then_some(())
    }
}
