//! Values of types of the JDK that stand for a value: dates and decimal numbers.

use super::{Pool, is_accepted};
use crate::argument_type::ArgumentType;
use crate::sequence::{Arg, Construction, Invocation};
use crate::subject::Subject;
use cupping_generate::{TypicalArgument, TypicalValue, typical_values};
use cupping_machine::Machine;
use std::rc::Rc;

/// The largest number of values for each maker of a type.
const MOST_LISTS: usize = 4;

impl Pool {
    /// Typical values of a type; none if it does not stand for a value.
    pub(super) fn typical(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        name: &str,
        depth: usize,
    ) -> Vec<Arg> {
        let mut found: Vec<Arg> = Vec::new();
        for value in typical_values(machine, name) {
            let columns = self.columns(machine, subject, &value, depth);
            let lists = if columns.iter().any(|it| it.len() > 1) { MOST_LISTS } else { 1 };
            // Free arguments differ from one another: a day is not its month.
            let list = |at: usize| -> Option<Vec<Arg>> {
                let argument =
                    |(rank, all): (usize, &Vec<Arg>)| all.get((at + rank) % all.len().max(1)).cloned();
                columns.iter().enumerate().map(argument).collect()
            };
            let made = |arguments: Vec<Arg>| {
                Construction::new(Invocation { invokable: value.maker.clone(), arguments })
            };
            for made in (0..lists).filter_map(list).map(made) {
                let argument = Arg::Make(Rc::new(made.clone()));
                if !found.contains(&argument) && is_accepted(machine, &made) {
                    found.push(argument);
                }
            }
        }
        found
    }

    /// The arguments of a typical value, each with the values that it can have.
    fn columns(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        value: &TypicalValue,
        depth: usize,
    ) -> Vec<Vec<Arg>> {
        let parameters = value.maker.parameters.iter().zip(&value.arguments);
        let column = parameters.map(|(parameter, argument)| match argument {
            TypicalArgument::Free => self.values(machine, subject, ArgumentType::of(parameter), depth + 1),
            TypicalArgument::Literal(literal) => vec![Arg::Literal(literal.clone())],
            TypicalArgument::Value(inner) => {
                let columns = self.columns(machine, subject, inner, depth);
                let arguments = columns.iter().filter_map(|it| it.first().cloned()).collect();
                let maker = Invocation { invokable: inner.maker.clone(), arguments };
                vec![Arg::Make(Rc::new(Construction::new(maker)))]
            }
        });
        column.collect()
    }
}
