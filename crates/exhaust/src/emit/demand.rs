//! Chooses what a test demands of an outcome: the simplest statement that follows from the specification.

use super::allowed_outcomes::AllowedOutcomes;
use super::emitter::{Emitter, RunOutcome, SubjectPlace, before};
use crate::check::{Cause, Example, Group};
use crate::error::Error;
use cupping_case::{Literal, MethodRef};
use cupping_classfile::descriptor::element_class;
use cupping_machine::MethodId;

/// Number of alternative values that a test may accept.
const MOST_CHOICES: usize = 4;

pub(super) enum Demand {
    /// The call returns.
    Returns,
    /// The call throws an exception of this class.
    Throws(String),
    /// The call returns one of these values.
    Result(Vec<Literal>),
    /// An observer returns this value.
    Observed(MethodRef, Literal),
    /// The final state is one of these.
    State(Vec<String>),
    /// The final state is not this one.
    NotState(String),
    /// The predicate holds.
    Predicate,
}

impl Demand {
    /// Whether it concerns the call's result.
    pub(super) fn reads_result(&self) -> bool {
        matches!(self, Demand::Result(_))
    }

    /// Whether it concerns the final state.
    pub(super) fn reads_state(&self) -> bool {
        matches!(self, Demand::State(_) | Demand::NotState(_))
    }
}

impl Emitter<'_> {
    pub(super) fn demand(
        &mut self,
        group: &Group,
        example: &Example,
        left: &RunOutcome,
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
        // If the state is allowed, look at the outcomes that go with it.
        let same = self.with_the_state(example, left)?;
        if let Some(demand) = self.of_outcome(&same, left) {
            return Ok(Ok(demand));
        }
        Ok(self.of_state(&allowed, is_complete, left))
    }

    /// A result or exception that all allowed outcomes share and the actual one does not.
    fn of_outcome(&self, allowed: &[AllowedOutcomes], left: &RunOutcome) -> Option<Demand> {
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

    fn of_result(&self, allowed: &[AllowedOutcomes], left: &RunOutcome) -> Option<Demand> {
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

    fn of_state(
        &self,
        allowed: &[AllowedOutcomes],
        is_complete: bool,
        left: &RunOutcome,
    ) -> Result<Demand, String> {
        let closed = match self.subject_class() {
            None => return Err("a test has no object whose state it could inspect".into()),
            Some(class) => self.sources.is_of_jdk(&class),
        };
        if closed && !is_complete {
            return Err(
                "the specification allows too many outcomes to enumerate, and tests cannot access the fields"
                    .into(),
            );
        }
        if closed {
            return Err("no result shows the violation, and tests cannot access the fields".into());
        }
        let mut states: Vec<String> = allowed.iter().map(|it| it.state.clone()).collect();
        states.sort();
        states.dedup();
        let is_among = states.contains(&left.state);
        if is_among {
            return Err("state and result are each allowed, but not together".into());
        }
        match is_complete && !states.is_empty() && states.len() <= MOST_CHOICES {
            true => Ok(Demand::State(states)),
            false => Ok(Demand::NotState(left.state.clone())),
        }
    }

    fn subject_class(&self) -> Option<String> {
        let plan = &self.specification.plan;
        let of = |descriptor: &str| element_class(descriptor).unwrap_or(descriptor).to_owned();
        match self.subject_place()? {
            SubjectPlace::Result => plan.result.as_ref().map(|it| of(&it.0)),
            SubjectPlace::Argument(at) => match &plan.receiver {
                Some(receiver) => Some(receiver.clone()),
                None => plan.parameters.get(at).map(|it| of(&it.descriptor)),
            },
        }
        .map(|class| match class.len() {
            // Tests can access arrays of primitives.
            1 => plan
                .receiver
                .clone()
                .unwrap_or_else(|| self.specification.header.class.text.replace('.', "/")),
            _ => class,
        })
    }
}

/// A value that an observer has in every allowed outcome but not in the actual one. Outcomes that throw are
/// not observed.
fn observed(
    allowed: &[AllowedOutcomes],
    observers: &[(MethodRef, MethodId)],
    actual: &[Option<Literal>],
) -> Option<Demand> {
    observers.iter().enumerate().find_map(|(at, (method, _))| {
        let first = allowed.first()?.observed[at].clone()?;
        let is_demanded =
            allowed.iter().all(|it| it.threw.is_none() && it.observed[at].as_ref() == Some(&first));
        (is_demanded && actual[at].as_ref() != Some(&first))
            .then(|| Demand::Observed(method.clone(), first.clone()))
    })
}
