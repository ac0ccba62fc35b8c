//! Random values of all types.

use super::fresh_objects::related;
use super::{Pool, is_accepted};
use crate::argument_type::ArgumentType;
use crate::random::Random;
use crate::sequence::{Arg, Construction, Invocation};
use crate::subject::Subject;
use cupping_case::{JavaType, Literal};
use cupping_generate::{Parameter, boxed_kind, java_type};
use cupping_machine::Machine;
use std::rc::Rc;

/// The number of argument lists that are drawn for the constructor of an argument until one is accepted.
const MOST_DRAWN: usize = 4;
/// How deep objects are made of objects with other arguments than the usual ones: a class may need itself.
const DEPTH: usize = 2;
/// The longest random array, and the longest of most random strings.
const LONGEST: usize = 5;
/// The longest random string: code may cut what is longer than its constants.
const LONGEST_TEXT: usize = 24;

/// What the numbers of a call have in common.
#[derive(Clone, Copy, Debug)]
pub enum Together {
    /// They are constants of the code, or neighbours of these.
    Constants,
    /// They are below four.
    Small,
}

/// Creates objects of the class under test.
type OwnObjects<'a> = &'a dyn Fn(&mut Random) -> Arg;

impl Pool {
    /// A random value of a type; `own` creates objects of the class under test. `None` if no value is known.
    pub fn random(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        wanted: ArgumentType<'_>,
        own: Option<OwnObjects<'_>>,
        random: &mut Random,
    ) -> Option<Arg> {
        if self.few.is_none() {
            return self.any(machine, subject, wanted, (own, DEPTH), random);
        }
        let descriptor = wanted.name();
        if let Some(known) = self.few.as_ref().and_then(|it| it.known(&descriptor, random)) {
            return Some(known);
        }
        let value = self.any(machine, subject, wanted, (own, DEPTH), random)?;
        if let Some(few) = &mut self.few {
            few.keep(descriptor, &value);
        }
        Some(value)
    }

    /// Any random value of a type, with objects of other classes down to a depth.
    pub(super) fn any(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        wanted: ArgumentType<'_>,
        (own, depth): (Option<OwnObjects<'_>>, usize),
        random: &mut Random,
    ) -> Option<Arg> {
        let ty = wanted.ty;
        let is_object = matches!(ty, JavaType::Class(name) if &**name == "java/lang/Object");
        let is_own = *ty == JavaType::class(&subject.name);
        if let Some(own) = own
            && random.below(8) < if is_own { 7 } else { usize::from(is_object) * 2 }
        {
            let fresh = random.below(2) == 0;
            let fresh = if fresh { self.fresh_object(machine, subject, random) } else { None };
            return Some(fresh.unwrap_or_else(|| own(random)));
        }
        if let JavaType::Array(element) = ty
            && random.below(8) > 0
        {
            let known = self.few.as_ref().and_then(|it| it.known(&wanted.name(), random));
            if let Some(known) = known.filter(|_| random.below(2) == 0) {
                return Some(related(&known, random));
            }
            let length = random.below(LONGEST);
            let element = ArgumentType::plain(element);
            let elements = (0..length).map(|_| self.any(machine, subject, element, (own, depth), random));
            return Some(Arg::Array((*element.ty).clone(), elements.collect::<Option<_>>()?));
        }
        if ty.is_string() && random.below(2) == 0 {
            return Some(Arg::Literal(Literal::String(self.random_text(random))));
        }
        let primitive = content(ty, random);
        if let Some(literal) = self.random_number(primitive.as_ref().unwrap_or(ty), random) {
            let is_boxed = primitive.is_some();
            return Some(Arg::Literal(if is_boxed { Literal::Boxed(Box::new(literal)) } else { literal }));
        }
        let values = self.values(machine, subject, wanted, usize::from(is_own && own.is_none()));
        let value = random.one(&values).cloned()?;
        let is_last = is_own || depth == 0;
        Some(if is_last { value } else { self.varied(machine, subject, (value, wanted), depth - 1, random) })
    }

    /// An object of another class, often constructed with other arguments: the usual ones are one or two.
    fn varied(
        &mut self,
        machine: &mut Machine,
        subject: &Subject,
        (value, wanted): (Arg, ArgumentType<'_>),
        depth: usize,
        random: &mut Random,
    ) -> Arg {
        let Arg::Make(made) = &value else { return value };
        if let Some(other) = self.random_collection(machine, subject, made, wanted, random) {
            return if is_accepted(machine, &other) { Arg::Make(Rc::new(other)) } else { value };
        }
        let parameters = made.maker.invokable.parameters.clone();
        if parameters.is_empty() || made.of.is_some() || random.below(4) == 0 {
            return value;
        }
        for _ in 0..MOST_DRAWN {
            // Some arguments stay: a scale or a pattern that people use.
            let argument = |(it, known): (&Parameter, &Arg)| match random.below(3) {
                0 => Some(known.clone()),
                _ => self.any(machine, subject, ArgumentType::of(it), (None, depth), random),
            };
            let known = &made.maker.arguments;
            let arguments: Option<Vec<Arg>> = parameters.iter().zip(known).map(argument).collect();
            let Some(arguments) = arguments else { break };
            let maker = Invocation { invokable: made.maker.invokable.clone(), arguments };
            let other = Construction { maker, ..(**made).clone() };
            if is_accepted(machine, &other) {
                return Arg::Make(Rc::new(other));
            }
        }
        value
    }

    /// A number of a primitive type: near zero, near a constant of the code, near a number of the state or near its
    /// negation, or near an end of the type; `None` to take a usual value.
    fn random_number(&self, ty: &JavaType, random: &mut Random) -> Option<Literal> {
        let small = random.below(16) as i64 - 3;
        let number = match random.below(20) {
            0..=5 => small,
            6..=9 => {
                let near = random.one(&self.near).copied().unwrap_or(small);
                let near = if random.below(3) == 0 { near.wrapping_neg() } else { near };
                near.wrapping_add(small % 2)
            }
            10..=13 => {
                self.constants.get(random.below(self.constants.len())).map_or(small, |it| it + small % 2)
            }
            14 => random.bits() as i64 >> random.below(63),
            15 => random.bits() as i32 as i64 >> random.below(31),
            16 => near_end(ty, random),
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
            JavaType::Double => Literal::Double(real(number, random)),
            JavaType::Float => Literal::Float(real(number, random) as f32),
            _ => return None,
        })
    }

    /// A whole number of a kind that all arguments of a call share.
    pub fn number(&self, ty: &JavaType, together: Together, random: &mut Random) -> Option<Literal> {
        let number = match together {
            Together::Constants => random.one(&self.constants).copied()?,
            Together::Small => random.below(4) as i64,
        };
        match ty {
            JavaType::Int => i32::try_from(number).ok().map(Literal::Int),
            JavaType::Long => Some(Literal::Long(number)),
            _ => None,
        }
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
        let longest = if random.below(4) == 0 { LONGEST_TEXT } else { LONGEST };
        let more = if literal.is_empty() { random.below(longest) } else { random.below(2) };
        literal.into_iter().chain((0..more).filter_map(|_| random.one(from).copied())).collect()
    }
}

/// A number near an end of a type, or of a smaller one to which the code may cut it.
fn near_end(ty: &JavaType, random: &mut Random) -> i64 {
    let bits: &[u32] = match ty {
        JavaType::Byte => &[7],
        JavaType::Short => &[15, 7],
        JavaType::Long => &[63, 31, 32, 15],
        _ => &[31, 31, 15, 7],
    };
    let end = 1_i64 << random.one(bits).copied().unwrap_or(31);
    let end = if random.below(2) == 0 { end } else { end.wrapping_neg() };
    end.wrapping_add(random.below(5) as i64 - 2)
}

/// The primitive type of random boxes of a type: collections have integers as elements.
fn content(ty: &JavaType, random: &mut Random) -> Option<JavaType> {
    let JavaType::Class(name) = ty else { return None };
    match &**name {
        "java/lang/Number" => {
            let all = [JavaType::Int, JavaType::Int, JavaType::Long, JavaType::Double];
            random.one(&all).cloned()
        }
        // Often one of few elements: what was put is looked for.
        "java/lang/Object" | "java/lang/Comparable" => (random.below(3) == 0).then_some(JavaType::Int),
        other => boxed_kind(other).map(java_type),
    }
}

/// A real number near a whole one, or one of the unusual ones.
fn real(number: i64, random: &mut Random) -> f64 {
    const UNUSUAL: [f64; 8] =
        [-0.0, 0.1, 1e-300, 1e300, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE];
    match random.below(10) {
        0 => UNUSUAL[random.below(UNUSUAL.len())],
        // Sums and products of such numbers are rounded, so that their order matters.
        1..=4 => number as f64 / 10.0,
        5 => number as f64 / 3.0,
        _ => number as f64 / 2.0,
    }
}
