//! Random values of all types.

use super::{Pool, is_accepted};
use crate::random::Random;
use crate::sequence::{Arg, Construction, Invocation};
use crate::subject::Subject;
use cupping_case::{JavaType, Literal};
use cupping_machine::Machine;
use std::rc::Rc;

/// The number of argument lists that are drawn for the constructor of an argument until one is accepted.
const MOST_DRAWN: usize = 4;
/// How deep objects are made of objects with other arguments than the usual ones: a class may need itself.
const DEPTH: usize = 2;
/// The longest random string and array.
const LONGEST: usize = 5;

/// Creates objects of the class under test.
type OwnObjects<'a> = &'a dyn Fn(&mut Random) -> Arg;

impl Pool {
    /// A random value of a type; `own` creates objects of the class under test. `None` if no value is known.
    pub fn random(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        ty: &JavaType,
        own: Option<OwnObjects<'_>>,
        random: &mut Random,
    ) -> Option<Arg> {
        if self.few.is_none() {
            return self.any(machine, subject, ty, (own, DEPTH), random);
        }
        let descriptor = ty.descriptor();
        if let Some(known) = self.few.as_ref().and_then(|it| it.known(&descriptor, random)) {
            return Some(known);
        }
        let value = self.any(machine, subject, ty, (own, DEPTH), random)?;
        if let Some(few) = &mut self.few {
            few.keep(descriptor, &value);
        }
        Some(value)
    }

    /// Any random value of a type, with objects of other classes down to a depth.
    fn any(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        ty: &JavaType,
        (own, depth): (Option<OwnObjects<'_>>, usize),
        random: &mut Random,
    ) -> Option<Arg> {
        let is_object = matches!(ty, JavaType::Class(name) if &**name == "java/lang/Object");
        let is_own = *ty == JavaType::class(&subject.name);
        if let Some(own) = own
            && random.below(8) < if is_own { 7 } else { usize::from(is_object) * 2 }
        {
            return Some(own(random));
        }
        if let JavaType::Array(element) = ty
            && random.below(8) > 0
        {
            let length = random.below(LONGEST);
            let elements = (0..length).map(|_| self.any(machine, subject, element, (own, depth), random));
            return Some(Arg::Array((**element).clone(), elements.collect::<Option<_>>()?));
        }
        if ty.is_string() && random.below(2) == 0 {
            return Some(Arg::Literal(Literal::String(self.random_text(random))));
        }
        if let Some(literal) = self.random_number(ty, random) {
            return Some(Arg::Literal(literal));
        }
        let values = self.values(machine, subject, ty, usize::from(is_own && own.is_none()));
        let value = random.one(&values).cloned()?;
        let is_last = is_own || depth == 0;
        Some(if is_last { value } else { self.varied(machine, subject, value, depth - 1, random) })
    }

    /// An object of another class, often constructed with other arguments: the usual ones are one or two.
    fn varied(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        value: Arg,
        depth: usize,
        random: &mut Random,
    ) -> Arg {
        let Arg::Make(made) = &value else { return value };
        let parameters = made.maker.invokable.parameters.clone();
        if parameters.is_empty() || made.of.is_some() || random.below(4) == 0 {
            return value;
        }
        for _ in 0..MOST_DRAWN {
            let arguments: Option<Vec<Arg>> = parameters
                .iter()
                .map(|it| self.any(machine, subject, &it.ty, (None, depth), random))
                .collect();
            let Some(arguments) = arguments else { break };
            let maker = Invocation { invokable: made.maker.invokable.clone(), arguments };
            let other = Construction { maker, ..(**made).clone() };
            if is_accepted(machine, &other) {
                return Arg::Make(Rc::new(other));
            }
        }
        value
    }

    /// A number of a primitive type: near zero, near a constant of the code, near a number of the state, or near its
    /// negation; `None` to take a usual value.
    fn random_number(&self, ty: &JavaType, random: &mut Random) -> Option<Literal> {
        let small = random.below(16) as i64 - 3;
        let number = match random.below(10) {
            0..=2 => small,
            3..=4 => {
                let near = random.one(&self.near).copied().unwrap_or(small);
                let near = if random.below(3) == 0 { near.wrapping_neg() } else { near };
                near.wrapping_add(small % 2)
            }
            5..=6 => {
                self.constants.get(random.below(self.constants.len())).map_or(small, |it| it + small % 2)
            }
            7 => random.bits() as i32 as i64 >> random.below(31),
            _ => return None,
        };
        Some(match ty {
            JavaType::Int => Literal::Int(number as i32),
            JavaType::Long => Literal::Long(number),
            JavaType::Short => Literal::Short(number as i16),
            JavaType::Byte => Literal::Byte(number as i8),
            // Any character, sometimes one that nobody writes.
            JavaType::Char if random.below(4) == 0 => Literal::Char(number as u16),
            JavaType::Char => {
                Literal::Char(if number > 31 { number as u16 } else { 97 + number.rem_euclid(6) as u16 })
            }
            JavaType::Double => Literal::Double(number as f64 / 2.0),
            JavaType::Float => Literal::Float(number as f32 / 2.0),
            _ => return None,
        })
    }

    /// A string: a literal of the code, or letters that occur in literals.
    fn random_text(&self, random: &mut Random) -> Vec<u16> {
        let literal = random.one(&self.texts).filter(|_| random.below(3) > 0).cloned();
        let literal = literal.unwrap_or_default();
        let letters: Vec<u16> =
            self.texts.iter().flatten().copied().filter(|it| *it < 128).take(64).collect();
        let usual: Vec<u16> = "ab1 -".encode_utf16().collect();
        let is_plain = letters.is_empty() || random.below(2) == 0;
        let from = if is_plain { &usual } else { &letters };
        let more = if literal.is_empty() { random.below(LONGEST) } else { random.below(2) };
        literal.into_iter().chain((0..more).filter_map(|_| random.one(from).copied())).collect()
    }
}
