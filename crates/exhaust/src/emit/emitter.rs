//! The state that all parts of the emission share, and runs of the method under test on the machine.

use super::call_sequence::Sequences;
use super::source::Sources;
use super::state_text;
use crate::check::Example;
use crate::concretize::{Input, concretize};
use crate::error::{Error, other};
use crate::specification::Specification;
use crate::world::{RunEnd, World};
use cupping_machine::{Addr, Value};
use cupping_relation::{FieldId, Instance, SigId};
use std::rc::Rc;

pub(super) struct Emitter<'a> {
    pub(super) specification: &'a Specification,
    pub(super) world: &'a mut World,
    pub(super) sources: Sources<'a>,
    pub(super) classes: Vec<(SigId, String)>,
    pub(super) predicate: Option<&'a str>,
    pub(super) sequences: Sequences,
}

/// The outcome of a run on the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunOutcome {
    /// The class of the exception, if one was thrown.
    pub(super) threw: Option<String>,
    /// The result as text.
    pub(super) result: String,
    /// The state of the test's subject.
    pub(super) state: String,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum SubjectPlace {
    Argument(usize),
    Result,
}

impl Emitter<'_> {
    /// Runs the method on an instance and captures the outcome.
    pub(super) fn run(&mut self, instance: &Instance) -> Result<RunOutcome, Error> {
        let input = self.write(instance)?;
        let ended = self.world.run(&input.arguments);
        Ok(self.left(&input.arguments, &ended))
    }

    pub(super) fn write(&mut self, instance: &Instance) -> Result<Input, Error> {
        self.world.rewind();
        concretize(self.world, self.specification, &self.classes, instance)
            .map_err(|trap| other(self.world.machine.describe_trap(&trap)))
    }

    pub(super) fn left(&mut self, arguments: &[Value], ended: &RunEnd) -> RunOutcome {
        let machine = &self.world.machine;
        let (threw, bits) = match ended {
            RunEnd::Returned(bits) => (None, *bits),
            RunEnd::Threw(thrown) => (Some(machine.class_name_of(*thrown).to_owned()), 0),
            RunEnd::Stopped(why) => (Some(why.clone()), 0),
        };
        let result = self.result_text(bits);
        let subject = self.subject(arguments, bits);
        let state = state_text::state(self.world, &self.sources.fields, subject);
        RunOutcome { threw, result, state }
    }

    /// The subject of a test: the receiver, else an object result, else the first argument that is an object.
    pub(super) fn subject(&self, arguments: &[Value], result: u64) -> Addr {
        match self.subject_place() {
            Some(SubjectPlace::Argument(at)) => arguments.get(at).map_or(0, |it| it.as_ref()),
            Some(SubjectPlace::Result) => result as Addr,
            None => 0,
        }
    }

    pub(super) fn subject_place(&self) -> Option<SubjectPlace> {
        let plan = &self.specification.plan;
        let is_object = |descriptor: &str| {
            descriptor.starts_with('[')
                || descriptor.starts_with('L')
                    && plan.classes.classes.contains_key(&descriptor[1..descriptor.len() - 1])
        };
        if plan.receiver.is_some() {
            return Some(SubjectPlace::Argument(0));
        }
        if plan.result.as_ref().is_some_and(|(descriptor, _)| is_object(descriptor)) {
            return Some(SubjectPlace::Result);
        }
        plan.parameters.iter().position(|it| is_object(&it.descriptor)).map(SubjectPlace::Argument)
    }

    pub(super) fn result_text(&self, bits: u64) -> String {
        match &self.specification.plan.result {
            Some((descriptor, _)) => state_text::value(self.world, &self.sources.fields, bits, descriptor),
            None => String::new(),
        }
    }

    /// The atom of a field of the call or its outcome.
    pub(super) fn value_of(instance: &Instance, field: Option<FieldId>) -> Option<u32> {
        instance.tuples(field?).first().map(|it| it[1])
    }
}

/// The initial state as an instance.
pub(super) fn before(example: &Example) -> Instance {
    let universe = Rc::new(example.pair.universe.clone());
    Instance { universe, structure: example.pair.before.clone() }
}
