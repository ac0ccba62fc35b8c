//! Objects of the class under test that are made for one call.
//!
//! Objects in states that were reached are few, and hardly ever fit the receiver: matrices of the same size, amounts
//! of the same currency. So some arguments are made by the call that made the receiver, with the same arguments or with
//! related ones.

use super::{Pool, is_accepted};
use crate::argument_type::ArgumentType;
use crate::random::Random;
use crate::sequence::{Arg, Construction, Invocation};
use crate::subject::Subject;
use cupping_case::Literal;
use cupping_machine::Machine;
use std::rc::Rc;

/// How often an object is tried to be made.
const TRIES: usize = 3;
/// The largest number of calls on a new object.
const MOST_CALLS: usize = 4;

impl Pool {
    /// A new object of the class under test; `None` if none is accepted.
    pub(super) fn fresh_object(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        random: &mut Random,
    ) -> Option<Arg> {
        let own: Vec<usize> =
            (0..subject.methods.len()).filter(|it| subject.methods[*it].has_receiver()).collect();
        for _ in 0..TRIES {
            let maker = self.maker(machine, subject, random)?;
            let mut made = Construction::new(maker);
            for _ in 0..random.below(MOST_CALLS) {
                let Some(method) = random.one(&own) else { break };
                let invokable = subject.methods[*method].clone();
                let Some(arguments) = self.simple_arguments(machine, subject, *method, random) else { break };
                made = made.and(Invocation { invokable, arguments });
            }
            if is_accepted(machine, &made) {
                return Some(Arg::Make(Rc::new(made)));
            }
        }
        None
    }

    /// A call that makes an object: that of the receiver, with the same arguments or related ones, or any.
    fn maker(&mut self, machine: &mut Machine, subject: &Subject, random: &mut Random) -> Option<Invocation> {
        if let Some(kin) = self.kin.clone() {
            match random.below(4) {
                0 | 1 => return Some(kin),
                2 => {
                    let arguments = kin.arguments.iter().map(|it| related(it, random)).collect();
                    return Some(Invocation { arguments, ..kin });
                }
                _ => {}
            }
        }
        let method = *random.one(&subject.makers)?;
        let arguments = self.simple_arguments(machine, subject, method, random)?;
        Some(Invocation { invokable: subject.methods[method].clone(), arguments })
    }

    /// Random arguments, without new objects of the class.
    fn simple_arguments(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        method: usize,
        random: &mut Random,
    ) -> Option<Vec<Arg>> {
        let parameters = subject.methods[method].parameters.clone();
        let value = |it| self.any(machine, subject, ArgumentType::of(it), (None, 1), random);
        parameters.iter().map(value).collect()
    }
}

/// A value that is related to another: the same, its negation, a neighbour; of an array also its reverse, a part, and
/// one with another element.
pub(super) fn related(of: &Arg, random: &mut Random) -> Arg {
    match of {
        Arg::Literal(literal) => Arg::Literal(related_literal(literal, random)),
        Arg::Array(ty, elements) => {
            let mut elements = elements.clone();
            match random.below(5) {
                0 => elements.reverse(),
                1 => drop(elements.pop()),
                2 => {
                    let at = random.below(elements.len());
                    if let Some(element) = elements.get_mut(at) {
                        *element = related(element, random);
                    }
                }
                3 => elements.iter_mut().for_each(|it| *it = negated(it)),
                _ => elements.extend(elements.first().cloned()),
            }
            Arg::Array(ty.clone(), elements)
        }
        Arg::Make(made) => {
            let arguments = made.maker.arguments.iter().map(|it| related(it, random)).collect();
            let maker = Invocation { invokable: made.maker.invokable.clone(), arguments };
            Arg::Make(Rc::new(Construction { maker, ..(**made).clone() }))
        }
        other => other.clone(),
    }
}

fn related_literal(of: &Literal, random: &mut Random) -> Literal {
    let add = random.below(3) as i64 - 1;
    match of {
        _ if random.below(3) == 0 => of.clone(),
        Literal::Boolean(it) => Literal::Boolean(!it),
        Literal::Int(it) if add == 0 => Literal::Int(it.wrapping_neg()),
        Literal::Int(it) => Literal::Int(it.wrapping_add(add as i32)),
        Literal::Long(it) if add == 0 => Literal::Long(it.wrapping_neg()),
        Literal::Long(it) => Literal::Long(it.wrapping_add(add)),
        Literal::Double(it) => Literal::Double(-it),
        Literal::Float(it) => Literal::Float(-it),
        other => other.clone(),
    }
}

fn negated(of: &Arg) -> Arg {
    Arg::Literal(match of {
        Arg::Literal(Literal::Int(it)) => Literal::Int(it.wrapping_neg()),
        Arg::Literal(Literal::Long(it)) => Literal::Long(it.wrapping_neg()),
        Arg::Literal(Literal::Short(it)) => Literal::Short(it.wrapping_neg()),
        Arg::Literal(Literal::Byte(it)) => Literal::Byte(it.wrapping_neg()),
        Arg::Literal(Literal::Double(it)) => Literal::Double(-it),
        Arg::Literal(Literal::Float(it)) => Literal::Float(-it),
        other => return other.clone(),
    })
}
