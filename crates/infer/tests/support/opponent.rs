//! Random sequences of calls, as an opponent of inference. It shares no code with exploration, and draws its values
//! from types alone: neither from constants of the code nor from states that were reached.

use cupping_case::{Case, JavaType, Literal};
use cupping_infer::{Arg, CallSequence, Construction, Invocation, Recording, Subject, listen};
use cupping_machine::Machine;
use std::rc::Rc;

/// The longest sequence of calls on an object.
const LONGEST: u64 = 10;
/// The number of sequences that are recorded together; a recording keeps a thousand executions of a method.
const PORTION: usize = 100;
/// Texts that are no literals of a class.
const TEXTS: [&str; 9] = ["", "a", "b", "ab", " ", "I", "VII", "x1-", "zebra"];

/// The opponent of a class: a generator of numbers (SplitMix64, Steele et al. 2014) and the previous argument.
pub struct Opponent<'s> {
    subject: &'s Rc<Subject>,
    state: u64,
    last: i64,
}

impl<'s> Opponent<'s> {
    /// An opponent; different seeds play differently.
    pub fn new(subject: &'s Rc<Subject>, seed: u64) -> Opponent<'s> {
        Opponent { subject, state: seed, last: 0 }
    }

    /// Records sequences.
    pub fn play(&mut self, machine: &mut Machine, sequences: usize, look: &mut dyn FnMut(&Recording)) {
        for from in (0..sequences).step_by(PORTION) {
            let count = PORTION.min(sequences - from);
            let cases: Vec<Case> =
                (0..count).filter_map(|_| self.test()?.case(None)).map(|it| it.0).collect();
            look(&listen(machine, self.subject, &cases.iter().collect::<Vec<_>>()));
        }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound.max(1)
    }

    fn test(&mut self) -> Option<CallSequence> {
        let is_of_object = |it: &usize| self.subject.methods[*it].has_receiver();
        let (own, others): (Vec<usize>, Vec<usize>) = (0..self.subject.methods.len()).partition(is_of_object);
        if own.is_empty() || self.subject.makers.is_empty() || self.below(12) == 0 {
            let method = *others.get(self.below(others.len() as u64) as usize)?;
            return Some(CallSequence { receiver: None, call: self.call(method, 0)? });
        }
        let made = self.made(0)?;
        let method = own[self.below(own.len() as u64) as usize];
        let call = self.call(method, 0)?;
        Some(CallSequence { receiver: Some(Rc::new(made)), call })
    }

    /// An object after some calls; after few if it is an argument.
    fn made(&mut self, depth: u64) -> Option<Construction> {
        let makers = &self.subject.makers;
        let maker = *makers.get(self.below(makers.len() as u64) as usize)?;
        let own: Vec<usize> =
            (0..self.subject.methods.len()).filter(|it| self.subject.methods[*it].has_receiver()).collect();
        let mut made = Construction::new(self.call(maker, depth + 1)?);
        // A sequence favours two of the methods: otherwise calls would often undo each other.
        let favoured = [0, 1].map(|_| self.below(own.len() as u64) as usize);
        for _ in 0..self.below(LONGEST >> depth) {
            let any = self.below(own.len() as u64) as usize;
            let at = favoured[self.below(2) as usize];
            let method = if self.below(2) == 0 { own.get(at) } else { own.get(any) };
            made = made.and(self.call(*method?, depth + 1)?);
        }
        Some(made)
    }

    fn call(&mut self, method: usize, depth: u64) -> Option<Invocation> {
        let invokable = self.subject.methods[method].clone();
        let arguments = invokable.parameters.iter().map(|it| self.value(&it.ty, depth));
        let arguments = arguments.collect::<Option<_>>()?;
        Some(Invocation { invokable, arguments })
    }

    /// A number: usually small, often that of the previous or a neighbouring argument, sometimes anything.
    fn number(&mut self) -> i64 {
        let small = self.below(9) as i64 - 2;
        self.last = match self.below(16) {
            0..=6 => small,
            7..=10 => self.last,
            11 => self.last.wrapping_add(small.signum()),
            12..=13 => self.below(420) as i64 - 60,
            14 => [i64::from(i32::MAX), i64::from(i32::MIN), 1 << 16, -1_000_000][self.below(4) as usize],
            _ => self.below(u64::MAX) as i64 >> self.below(63),
        };
        self.last
    }

    fn value(&mut self, ty: &JavaType, depth: u64) -> Option<Arg> {
        let text = |it: &str| Literal::String(it.encode_utf16().collect());
        let number = self.number();
        Some(Arg::Literal(match ty {
            JavaType::Boolean => Literal::Boolean(self.below(2) == 0),
            JavaType::Int => Literal::Int(number as i32),
            JavaType::Long => Literal::Long(number),
            JavaType::Short => Literal::Short(number as i16),
            JavaType::Byte => Literal::Byte(number as i8),
            JavaType::Char => Literal::Char(b"ab xZ19-"[self.below(8) as usize].into()),
            JavaType::Double => Literal::Double(number as f64 / 4.0),
            JavaType::Float => Literal::Float(number as f32 / 4.0),
            JavaType::Array(element) => {
                let elements = (0..self.below(5)).map(|_| self.value(element, depth + 1));
                return Some(Arg::Array((**element).clone(), elements.collect::<Option<_>>()?));
            }
            _ if self.below(10) == 0 => Literal::Null,
            JavaType::Class(name) if **name == *self.subject.name => {
                return match self.below(6) {
                    0 if depth == 0 => Some(Arg::Receiver),
                    _ if depth < 3 => Some(Arg::Make(Rc::new(self.made(depth + 1)?))),
                    _ => Some(Arg::Literal(Literal::Null)),
                };
            }
            JavaType::Class(name) => match &**name {
                "java/lang/String" | "java/lang/CharSequence" => text(TEXTS[self.below(9) as usize]),
                "java/lang/Object" if depth < 2 && self.below(4) == 0 && !self.subject.makers.is_empty() => {
                    return Some(Arg::Make(Rc::new(self.made(depth + 1)?)));
                }
                "java/lang/Object" if self.below(3) == 0 => text(TEXTS[self.below(9) as usize]),
                "java/lang/Object" | "java/lang/Integer" | "java/lang/Number" | "java/lang/Comparable" => {
                    Literal::Boxed(Box::new(Literal::Int(number as i32)))
                }
                _ => Literal::Null,
            },
            JavaType::Void => return None,
        }))
    }
}
