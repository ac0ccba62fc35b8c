//! Collections and maps as arguments.

use super::{Makers, Pool};
use crate::argument_type::ArgumentType;
use crate::random::Random;
use crate::sequence::{Arg, Construction, Invocation};
use crate::subject::Subject;
use cupping_generate::Invokable;
use cupping_machine::Machine;
use std::rc::Rc;

/// The largest number of elements of a random collection.
const MOST_ELEMENTS: usize = 5;

impl Pool {
    /// Collections and maps with no element, one element, and four of which two are equal.
    pub(super) fn filled(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        makers: &Makers,
        wanted: ArgumentType<'_>,
        depth: usize,
    ) -> Option<Vec<Arg>> {
        let plain = makers.makers.iter().find(|it| it.is_constructor() && it.parameters.is_empty())?;
        let fill = makers.under_test.iter().find(|it| is_filling(it))?;
        let columns: Vec<Vec<Arg>> = (0..fill.parameters.len())
            .map(|rank| {
                let (ty, generic) = wanted.argument(rank);
                self.values(machine, subject, ArgumentType { ty: &ty, generic }, depth + 1)
            })
            .collect();
        let maker = Invocation { invokable: plain.clone(), arguments: Vec::new() };
        let with = |which: &[usize]| {
            let call = |at: &usize| {
                let argument = |it: &Vec<Arg>| it.get(*at).or(it.first()).cloned();
                let arguments = columns.iter().map(argument).collect::<Option<_>>()?;
                Some(Invocation { invokable: fill.clone(), arguments })
            };
            let then = which.iter().filter_map(call).collect();
            Arg::Make(Rc::new(Construction { then, ..Construction::new(maker.clone()) }))
        };
        Some(vec![with(&[0]), with(&[]), with(&[1, 0, 1, 3])])
    }

    /// A collection like a known one, with random elements; `None` if this is no filled collection.
    pub(super) fn random_collection(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        known: &Construction,
        wanted: ArgumentType<'_>,
        random: &mut Random,
    ) -> Option<Construction> {
        let fill = known.then.first().map(|it| it.invokable.clone()).filter(is_filling)?;
        let mut then = Vec::new();
        for _ in 0..random.below(MOST_ELEMENTS) {
            let element = |rank: usize| {
                let (ty, generic) = wanted.argument(rank);
                self.any(machine, subject, ArgumentType { ty: &ty, generic }, (None, 0), random)
            };
            let arguments = (0..fill.parameters.len()).map(element).collect::<Option<_>>()?;
            then.push(Invocation { invokable: fill.clone(), arguments });
        }
        Some(Construction { then, ..known.clone() })
    }
}

/// Whether a method puts elements into a collection or map.
fn is_filling(invokable: &Rc<Invokable>) -> bool {
    let types: String = invokable.parameters.iter().map(|it| it.ty.descriptor()).collect();
    let object = "Ljava/lang/Object;";
    &*invokable.reference.name == "add" && types == object
        || &*invokable.reference.name == "put" && types == object.repeat(2)
}
