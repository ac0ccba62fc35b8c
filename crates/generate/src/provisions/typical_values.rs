//! Typical values of JDK types, for callers that choose the free arguments themselves.

use super::values::{Argument, EXAMPLES, Example};
use crate::invokable::{Invokable, Parameter};
use cupping_case::Literal;
use cupping_machine::Machine;
use std::rc::Rc;

/// A typical value of a type of the JDK that stands for a value.
#[derive(Clone, Debug)]
pub struct TypicalValue {
    /// The constructor or factory that makes it.
    pub maker: Rc<Invokable>,
    /// Its arguments.
    pub arguments: Vec<TypicalArgument>,
}

/// An argument of the maker of a typical value.
#[derive(Clone, Debug)]
pub enum TypicalArgument {
    /// Any value.
    Free,
    /// This value.
    Literal(Literal),
    /// Another typical value.
    Value(TypicalValue),
}

/// Typical values of a type of the JDK, by its internal name; none if it does not stand for a value.
pub fn typical_values(machine: &mut Machine, name: &str) -> Vec<TypicalValue> {
    EXAMPLES.iter().filter(|it| it.ty == name).filter_map(|it| typical_value(machine, it)).collect()
}

fn typical_value(machine: &mut Machine, example: &Example) -> Option<TypicalValue> {
    let maker = example.maker(machine)?;
    let arguments = maker.parameters.iter().zip(example.arguments);
    let arguments: Option<Vec<TypicalArgument>> =
        arguments.map(|(parameter, it)| typical_argument(machine, parameter, it)).collect();
    Some(TypicalValue { arguments: arguments?, maker })
}

fn typical_argument(
    machine: &mut Machine,
    parameter: &Parameter,
    argument: &Argument,
) -> Option<TypicalArgument> {
    let descriptor = parameter.ty.descriptor();
    let literal = match argument {
        Argument::Free => return Some(TypicalArgument::Free),
        Argument::Number(number) if descriptor == "J" => Literal::Long(i64::from(*number)),
        Argument::Number(number) => Literal::Int(*number),
        Argument::Text(text) => Literal::String(text.encode_utf16().collect()),
        Argument::Field(class, field) => {
            Literal::Constant { class: Box::from(*class), field: Box::from(*field) }
        }
        Argument::Value(rank) => {
            let name = descriptor.strip_prefix('L')?.strip_suffix(';')?;
            let values = typical_values(machine, name);
            return values.into_iter().nth(*rank).map(TypicalArgument::Value);
        }
    };
    Some(TypicalArgument::Literal(literal))
}
