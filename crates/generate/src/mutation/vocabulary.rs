//! Values that exercise code more than a path requires: long texts, arrays that cover whole tables, numbers
//! around the code's constants.
//!
//! The search finds the shortest input of each path: `"C"`, an array of one element, 0. Such inputs miss faults
//! in the third iteration of a loop, in one entry of a table, or in combinations of characters. The values come
//! from constants and tables of the code, from natural text, and from changes of existing values; the same seed
//! gives the same values.

mod tables;

use crate::input::{Input, Symbols, fixed};
use crate::plan::{Plan, PlanStep};
use crate::provisions::string_literals;
use crate::random::Random;
use cupping_classfile::{Action, Literal, Operand};
use cupping_machine::{ClassId, Kind, Machine};
use cupping_term::Model;
use std::collections::BTreeSet;

/// Texts as people write them: all letters, digits and punctuation, names, and letters beyond ASCII.
const NATURAL: [&str; 10] = [
    "The quick brown fox jumps over the lazy dog",
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
    "Hello, World!",
    "1,234.50 (about 50%) + x=y & z?",
    "M\u{fc}ller-L\u{fc}denscheidt",
    "caf\u{e9} na\u{ef}ve \u{20ac}5",
    "one two  three",
    "Zwei\tDrei\nVier",
];
/// The first of them have all letters and digits.
const WHOLE: usize = 4;
/// Numbers that are neutral in few operations.
const NUMBERS: [i64; 10] = [5, 7, 3, 11, 13, 17, -4, 23, 100, -1];
/// Characters that code forgets: controls, other blanks, letters whose case is not simple, other digits, a pair.
const UNUSUAL: [&str; 16] = [
    "\0",
    "\t",
    "\n",
    "\r",
    "\r\n",
    " ",
    "\"",
    "'",
    "\\",
    "\u{7f}",
    "\u{a0}",
    "\u{df}",
    "\u{130}",
    "\u{663}",
    "\u{fffd}",
    "\u{1f600}",
];
/// Numbers that are not as others.
const FLOATS: [f64; 10] =
    [0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 1e-20];
/// Limit on the string constants that are used.
const MAX_TEXTS: usize = 40;
/// Limit on the characters of a text.
const MAX_TEXT: usize = 60;
/// Maximum lengths of arrays and of random texts: the usual one, and an occasional one.
const LENGTHS: [usize; 2] = [8, 40];

/// The values that are tried.
pub(crate) struct Vocabulary {
    texts: Vec<Vec<u16>>,
    /// Texts that run through tables of the code.
    tables: Vec<Vec<u16>>,
    numbers: Vec<i64>,
    /// Those of the numbers that are printable.
    characters: Vec<u16>,
    /// Whether limits of types and unusual characters are tried, too.
    has_extremes: bool,
    random: Random,
}

impl Vocabulary {
    /// The vocabulary of these classes, which have been initialised.
    pub(crate) fn of(machine: &Machine, classes: &[ClassId], seed: u64) -> Vocabulary {
        let mut texts: Vec<Vec<u16>> = Vec::new();
        let mut numbers = BTreeSet::new();
        for class in classes {
            texts.extend(string_literals(machine, *class, MAX_TEXTS));
            add_numbers(machine, *class, &mut numbers);
        }
        texts.truncate(MAX_TEXTS);
        let tables = tables::texts_of_tables(machine, classes);
        let printable = numbers.iter().filter(|it| (0x20..0x7f).contains(*it));
        let characters = printable.map(|it| *it as u16).collect();
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
        let numbers = numbers.into_iter().collect();
        Vocabulary {
            texts,
            tables,
            numbers,
            characters,
            has_extremes: false,
            random: Random::new(random | 1),
        }
    }

    /// Adds the constants of further classes, and what is at the limits of types.
    pub(crate) fn extended(mut self, machine: &Machine, classes: &[ClassId]) -> Vocabulary {
        let mut numbers: BTreeSet<i64> = self.numbers.iter().copied().collect();
        for class in classes {
            for text in string_literals(machine, *class, MAX_TEXTS) {
                if !self.texts.contains(&text) {
                    self.texts.push(text);
                }
            }
            add_numbers(machine, *class, &mut numbers);
        }
        let printable = numbers.iter().filter(|it| (0x20..0x7f).contains(*it));
        self.characters = printable.map(|it| *it as u16).collect();
        self.numbers = numbers.into_iter().collect();
        self.has_extremes = true;
        self
    }

    /// A random number below a limit; the sequence is the same each time.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    /// Another value for an input that has this value under a model; the same value if there is no other.
    pub(crate) fn another(&mut self, input: &Input, symbols: &Symbols, model: &Model) -> Input {
        match fixed(input, symbols, model) {
            Input::Text(now) => Input::Text(self.text(&now)),
            Input::Fixed(kind, bits) => Input::Fixed(kind, self.scalar(kind, bits)),
            Input::FixedBox(kind, bits) => Input::FixedBox(kind, self.scalar(kind, bits)),
            Input::Elements(kind, now) => Input::Elements(kind, self.elements(kind, &now)),
            other => other,
        }
    }

    /// Gives an input of a plan the value of another one of its type, or the next to it.
    pub(crate) fn repeat(&mut self, plan: &mut Plan) {
        let inputs = plan.steps.iter().enumerate().skip(plan.setup);
        let inputs: Vec<(usize, Input)> = inputs
            .filter_map(|(at, step)| match step {
                PlanStep::Input { input, .. } => Some((at, input.clone())),
                _ => None,
            })
            .collect();
        let Some((_, model)) = inputs.get(self.below(inputs.len())) else { return };
        let Some((at, now)) = inputs.get(self.below(inputs.len())) else { return };
        let next = [0, 0, 1, u64::MAX][self.below(4)];
        let repeated = match (model, now) {
            (Input::Text(text), Input::Text(_)) => Input::Text(text.clone()),
            (Input::Fixed(kind, bits), Input::Fixed(other, _)) if kind == other => {
                let is_integer = !matches!(kind, Kind::Boolean | Kind::Float | Kind::Double);
                Input::Fixed(*kind, if is_integer { bits.wrapping_add(next) } else { *bits })
            }
            (Input::FixedBox(kind, bits), Input::FixedBox(other, _)) if kind == other => {
                Input::FixedBox(*kind, *bits)
            }
            (Input::Elements(kind, all), Input::Elements(other, _)) if kind == other => {
                Input::Elements(*kind, all.clone())
            }
            _ => return,
        };
        if let PlanStep::Input { input, .. } = &mut plan.steps[*at] {
            *input = repeated;
        }
    }

    fn text(&mut self, now: &[u16]) -> Vec<u16> {
        if !self.tables.is_empty() && self.below(6) == 0 {
            return self.of_table();
        }
        if self.has_extremes && self.below(4) == 0 {
            return self.unusual(now);
        }
        let mut text = match self.below(8) {
            0 | 1 => self.natural(),
            2 if !self.texts.is_empty() => self.known(),
            3 if !self.texts.is_empty() => {
                let mut text = self.known();
                text.extend(self.characters_up_to(LENGTHS[0]));
                text.extend(self.known());
                text
            }
            2..=4 => self.characters_up_to(LENGTHS[0]),
            5 => self.characters_up_to(LENGTHS[1]),
            _ => self.changed(now),
        };
        text.truncate(MAX_TEXT);
        text
    }

    /// A text of few characters in a pattern, the empty one, or one with an unusual character.
    fn unusual(&mut self, now: &[u16]) -> Vec<u16> {
        let mut text = match self.below(3) {
            0 => Vec::new(),
            1 => now.to_vec(),
            _ => self.pattern(),
        };
        if self.below(2) == 0 {
            let (at, unusual) = (self.below(text.len() + 1), self.below(UNUSUAL.len()));
            text.splice(at..at, UNUSUAL[unusual].encode_utf16());
        }
        text
    }

    /// Words of one or two letters or digits, with a character of the code between them.
    fn pattern(&mut self) -> Vec<u16> {
        let mut text = Vec::new();
        let separator = self.character(3);
        for part in 0..1 + self.below(4) {
            if part > 0 {
                text.push(separator);
            }
            let style = self.below(3);
            for _ in 0..self.below(4) {
                let (first, count) = [(b'a', 26), (b'A', 26), (b'0', 10)][style];
                text.push(u16::from(first) + self.below(count) as u16);
            }
        }
        text
    }

    /// The texts with the greatest effect: tables of the code, and all letters and digits.
    pub(crate) fn whole_texts(&self) -> Vec<Vec<u16>> {
        let alphabets = NATURAL[..WHOLE].iter().map(|it| it.encode_utf16().collect());
        self.tables.iter().cloned().chain(alphabets).collect()
    }

    /// Whether a text should stay as it is: a natural text, or a table of the code.
    pub(crate) fn is_natural(&self, text: &[u16]) -> bool {
        self.tables.iter().any(|it| it == text)
            || NATURAL.iter().any(|it| it.encode_utf16().eq(text.iter().copied()))
    }

    /// A table, or a part of it.
    fn of_table(&mut self) -> Vec<u16> {
        let at = self.below(self.tables.len());
        let mut text = self.tables[at].clone();
        if self.below(2) == 0 {
            text.drain(..self.below(text.len()));
            text.truncate(1 + self.below(LENGTHS[1]));
        }
        text
    }

    fn natural(&mut self) -> Vec<u16> {
        let at = self.below(NATURAL.len());
        NATURAL[at].encode_utf16().collect()
    }

    fn known(&mut self) -> Vec<u16> {
        let at = self.below(self.texts.len());
        self.texts[at].clone()
    }

    fn characters_up_to(&mut self, most: usize) -> Vec<u16> {
        let length = 1 + self.below(most);
        let style = self.below(4);
        (0..length).map(|_| self.character(style)).collect()
    }

    /// A character: a constant of the code, a letter, a digit, or any printable one.
    fn character(&mut self, style: usize) -> u16 {
        if !self.characters.is_empty() && self.below(2) == 0 {
            let at = self.below(self.characters.len());
            return self.characters[at];
        }
        let (first, count) = match style {
            0 => (b'a', 26),
            1 => (b'A', 26),
            2 => (b'0', 10),
            _ => (b' ', 95),
        };
        u16::from(first) + self.below(count) as u16
    }

    /// A text with one character added, removed, replaced, changed in case, or doubled.
    fn changed(&mut self, now: &[u16]) -> Vec<u16> {
        let mut text = now.to_vec();
        let at = self.below(text.len());
        match self.below(6) {
            0 if !text.is_empty() => text[at] = self.character(3),
            1 if text.len() > 1 => {
                text.remove(at);
            }
            2 if !text.is_empty() => text.extend_from_within(..),
            3 => text = in_other_case(&text),
            4 => text.extend(self.characters_up_to(LENGTHS[0])),
            _ => {
                let character = self.character(1);
                text.insert(at, character);
            }
        }
        text
    }

    /// The bits of a value.
    fn scalar(&mut self, kind: Kind, now: u64) -> u64 {
        if self.has_extremes && self.below(5) == 0 {
            return self.extreme(kind, now);
        }
        match kind {
            Kind::Boolean => (now & 1) ^ 1,
            Kind::Char => {
                let style = self.below(4);
                u64::from(self.character(style))
            }
            Kind::Float => u64::from((self.number() as f32 + self.fraction() as f32).to_bits()),
            Kind::Double => (self.number() as f64 + self.fraction()).to_bits(),
            _ => self.number() as u64,
        }
    }

    /// The bits of a value at a limit of its type, or next to what it is.
    fn extreme(&mut self, kind: Kind, now: u64) -> u64 {
        let integer = |bits: u32, it: &mut Vocabulary| {
            let greatest = (1i64 << (bits - 1)).wrapping_sub(1);
            let power = 1i64 << it.below(bits as usize);
            let all = [0, 1, 2, greatest, !greatest, power, power.wrapping_neg(), power.wrapping_sub(1)];
            match it.below(all.len() + 3).checked_sub(all.len()) {
                None => all[it.below(all.len())] as u64,
                Some(0) => now.wrapping_neg(),
                Some(1) => now.wrapping_add(1),
                Some(_) => now.wrapping_sub(1),
            }
        };
        match kind {
            Kind::Boolean => (now & 1) ^ 1,
            Kind::Char => {
                let at = self.below(UNUSUAL.len());
                UNUSUAL[at].encode_utf16().next().map_or(0, u64::from)
            }
            Kind::Byte => integer(8, self),
            Kind::Short => integer(16, self),
            Kind::Int => integer(32, self),
            Kind::Float => u64::from((FLOATS[self.below(FLOATS.len())] as f32).to_bits()),
            Kind::Double => FLOATS[self.below(FLOATS.len())].to_bits(),
            _ => integer(64, self),
        }
    }

    fn fraction(&mut self) -> f64 {
        [0.5, 0.25, 0.0][self.below(3)]
    }

    fn number(&mut self) -> i64 {
        match self.below(8) {
            0 | 1 => NUMBERS[self.below(NUMBERS.len())],
            2 | 3 if !self.numbers.is_empty() => {
                let at = self.below(self.numbers.len());
                self.numbers[at].wrapping_add([-1, 0, 1][self.below(3)])
            }
            2..=5 => self.below(100) as i64,
            6 => self.below(1 << 16) as i64 - (1 << 15),
            _ => (self.below(1 << 31) as i64).wrapping_sub(1 << 30),
        }
    }

    /// Elements of an array: bytes and characters are mostly text.
    fn elements(&mut self, kind: Kind, now: &[u64]) -> Vec<u64> {
        let is_textual = matches!(kind, Kind::Byte | Kind::Char);
        if is_textual && self.below(3) > 0 {
            let now: Vec<u16> = now.iter().map(|it| *it as u16).collect();
            let text = self.text(&now);
            return text.into_iter().map(u64::from).filter(|it| kind == Kind::Char || *it < 0x80).collect();
        }
        let most = LENGTHS[usize::from(self.below(3) == 0)];
        let length = 1 + self.below(most);
        let is_wide = self.below(2) == 0;
        let element = |it: &mut Vocabulary| match kind {
            Kind::Byte if is_wide => it.below(256) as u64,
            Kind::Boolean => it.below(2) as u64,
            _ => it.scalar(kind, 0),
        };
        (0..length).map(|_| element(self)).map(|bits| kind.narrow(bits)).collect()
    }
}

fn in_other_case(text: &[u16]) -> Vec<u16> {
    let letter = |it: &u16| match u8::try_from(*it) {
        Ok(it) if it.is_ascii_alphabetic() => u16::from(it ^ 0x20),
        _ => *it,
    };
    text.iter().map(letter).collect()
}

/// Adds the integer constants in the code of a class.
fn add_numbers(machine: &Machine, class: ClassId, numbers: &mut BTreeSet<i64>) {
    let Some(file) = machine.class(class).file.clone() else { return };
    for method in file.methods.iter().filter(|method| &*method.name != "<clinit>") {
        let Ok(Some(code)) = file.code(method) else { continue };
        for instruction in cupping_classfile::instructions(&code.bytecode).map_while(Result::ok) {
            let literal = match instruction.action() {
                Action::Constant => instruction.literal(),
                Action::LoadConstant => instruction.constant(&file).and_then(|it| it.literal()),
                _ => None,
            };
            match literal {
                Some(Literal::Int(value)) => numbers.insert(i64::from(value)),
                Some(Literal::Long(value)) => numbers.insert(value),
                _ => false,
            };
            match &instruction.operand {
                Operand::TableSwitch { low, targets, .. } => {
                    numbers.extend((0..targets.len() as i64).map(|at| i64::from(*low) + at));
                }
                Operand::LookupSwitch { pairs, .. } => {
                    numbers.extend(pairs.iter().map(|(key, _)| i64::from(*key)));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(has_extremes: bool) -> Vocabulary {
        Vocabulary {
            texts: Vec::new(),
            tables: Vec::new(),
            numbers: Vec::new(),
            characters: Vec::new(),
            has_extremes,
            random: Random::new(1),
        }
    }

    #[test]
    fn limits_of_types_are_tried_if_asked_for() {
        let values = |has_extremes: bool, kind: Kind| -> BTreeSet<u64> {
            let mut vocabulary = vocabulary(has_extremes);
            (0..5000).map(|now| vocabulary.scalar(kind, now)).collect()
        };
        assert!(values(true, Kind::Long).contains(&(i64::MIN as u64)));
        assert!(values(true, Kind::Int).contains(&(i32::MAX as u64)));
        assert!(values(true, Kind::Double).contains(&f64::NAN.to_bits()));
        assert!(!values(false, Kind::Long).contains(&(i64::MIN as u64)));
        let texts = |has_extremes: bool| -> BTreeSet<Vec<u16>> {
            let mut vocabulary = vocabulary(has_extremes);
            (0..5000).map(|_| vocabulary.text(&[])).collect()
        };
        let has_null_character = |texts: &BTreeSet<Vec<u16>>| texts.iter().any(|it| it.contains(&0));
        assert!(has_null_character(&texts(true)) && !has_null_character(&texts(false)));
    }

    #[test]
    fn an_input_gets_the_value_of_another_of_its_type_only() {
        let mut vocabulary = vocabulary(true);
        let int = cupping_case::JavaType::class("int");
        for _ in 0..200 {
            let mut plan = Plan::default();
            plan.input(Input::Fixed(Kind::Int, 40), int.clone(), "one");
            plan.input(Input::Fixed(Kind::Int, 7), int.clone(), "other");
            plan.input(Input::Fixed(Kind::Double, 3), int.clone(), "unlike");
            vocabulary.repeat(&mut plan);
            for step in &plan.steps {
                match step {
                    PlanStep::Input { input: Input::Fixed(Kind::Int, bits), .. } => {
                        assert!([6, 7, 8, 39, 40, 41].contains(bits), "{bits}");
                    }
                    PlanStep::Input { input: Input::Fixed(Kind::Double, bits), .. } => assert_eq!(*bits, 3),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}
