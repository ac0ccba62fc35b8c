//! What the specification demands of an outcome, said in the simplest way that leaves no choice.

use super::allowed::Allowed;
use super::observers::observed;
use super::{Emitter, Left, Place, before};
use crate::check::{Cause, Example, Group};
use crate::error::Error;
use cupping_case::{Literal, MethodRef};

/// Values among which a test may leave the choice.
const MOST_CHOICES: usize = 4;

pub(super) enum Demand {
    /// The call returns.
    Returns,
    /// It throws an exception of this class.
    Throws(String),
    /// What it returns is this, or one of these.
    Result(Vec<Literal>),
    /// An observer shows this of the state.
    Observed(MethodRef, Literal),
    /// The state is one of these.
    State(Vec<String>),
    /// The state is not this one.
    NotState(String),
    /// The predicate holds.
    Predicate,
}

impl Demand {
    /// Whether it is about what the call returns.
    pub(super) fn reads_result(&self) -> bool {
        matches!(self, Demand::Result(_))
    }

    /// Whether it is about the state that the call leaves.
    pub(super) fn reads_state(&self) -> bool {
        matches!(self, Demand::State(_) | Demand::NotState(_))
    }
}

impl Emitter<'_> {
    pub(super) fn demand(
        &mut self,
        group: &Group,
        example: &Example,
        left: &Left,
    ) -> Result<Result<Demand, String>, Error> {
        match &group.cause {
            Cause::Threw(_) | Cause::Stopped(_) => return Ok(Ok(Demand::Returns)),
            Cause::Predicate(_) => return Ok(Ok(Demand::Predicate)),
            Cause::Fails(_) => {}
        }
        let observers = self.observers();
        let instance = before(example);
        let actual = self.observe_actual(&instance, &observers)?;
        let (allowed, is_complete) = self.allowed(example, &observers)?;
        if is_complete {
            if let Some(demand) = self.of_outcome(&allowed, left) {
                return Ok(Ok(demand));
            }
            if let Some(demand) = observed(&allowed, &observers, &actual) {
                return Ok(Ok(demand));
            }
        }
        // Where the state is as it may be, what goes with it.
        let same = self.with_the_state(example, left)?;
        if let Some(demand) = self.of_outcome(&same, left) {
            return Ok(Ok(demand));
        }
        Ok(self.of_state(&allowed, is_complete, left))
    }

    /// What all that is allowed throws or returns, where that is not what happened.
    fn of_outcome(&self, allowed: &[Allowed], left: &Left) -> Option<Demand> {
        let first = allowed.first()?;
        if allowed.iter().any(|it| it.threw != first.threw) {
            return None;
        }
        match (&first.threw, &left.threw) {
            (Some(class), threw) if threw.as_ref() != Some(class) => Some(Demand::Throws(class.clone())),
            (Some(_), _) => None,
            (None, Some(_)) => Some(Demand::Returns),
            (None, None) => self.of_result(allowed, left),
        }
    }

    fn of_result(&self, allowed: &[Allowed], left: &Left) -> Option<Demand> {
        let mut results: Vec<Literal> = Vec::new();
        for it in allowed {
            if it.shown == left.result {
                return None;
            }
            let literal = it.result.clone()?;
            if !results.contains(&literal) {
                results.push(literal);
            }
        }
        (results.len() <= MOST_CHOICES).then_some(Demand::Result(results))
    }

    fn of_state(&self, allowed: &[Allowed], is_complete: bool, left: &Left) -> Result<Demand, String> {
        let closed = match self.subject_class() {
            None => return Err("there is no object whose state a test could look at".into()),
            Some(class) => self.sources.is_of_jdk(&class),
        };
        if closed && !is_complete {
            return Err(
                "too many outcomes are allowed to look at all, and its fields are closed to tests".into()
            );
        }
        if closed {
            return Err("what is wrong with it shows in no result, and its fields are closed to tests".into());
        }
        let mut states: Vec<String> = allowed.iter().map(|it| it.state.clone()).collect();
        states.sort();
        states.dedup();
        let is_among = states.contains(&left.state);
        if is_among {
            return Err("its state and its result are each allowed, but not together".into());
        }
        match is_complete && !states.is_empty() && states.len() <= MOST_CHOICES {
            true => Ok(Demand::State(states)),
            false => Ok(Demand::NotState(left.state.clone())),
        }
    }

    fn subject_class(&self) -> Option<String> {
        let plan = &self.specification.plan;
        let of = |descriptor: &str| {
            descriptor.trim_start_matches('[').trim_start_matches('L').trim_end_matches(';').to_owned()
        };
        match self.subject_place()? {
            Place::Result => plan.result.as_ref().map(|it| of(&it.0)),
            Place::Argument(at) => match &plan.receiver {
                Some(receiver) => Some(receiver.clone()),
                None => plan.parameters.get(at).map(|it| of(&it.descriptor)),
            },
        }
        .map(|class| match class.len() {
            // Arrays of primitives are open to all.
            1 => plan
                .receiver
                .clone()
                .unwrap_or_else(|| self.specification.header.class.text.replace('.', "/")),
            _ => class,
        })
    }
}
