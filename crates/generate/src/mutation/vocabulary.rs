//! Values that exercise code more than a path requires: long texts, arrays that cover whole tables, numbers
//! around the code's constants.
//!
//! The search finds the shortest input of each path: `"C"`, an array of one element, 0. Such inputs miss faults
//! in the third iteration of a loop, in one entry of a table, or in combinations of characters. The values come
//! from constants and tables of the code, from natural text, and from changes of existing values; the same seed
//! gives the same values.

mod constants;
mod tables;

use crate::input::{Input, Symbols, fixed};
use crate::provisions::{Pattern, patterns, string_literals};
use crate::random::Random;
use constants::NearConstants;
use cupping_machine::{ClassId, Kind, Machine, MethodId};
use cupping_term::Model;
use std::collections::BTreeSet;

/// Texts as people write them: all letters, digits and punctuation, names, and letters beyond ASCII.
const NATURAL: [&str; 12] = [
    "The quick brown fox jumps over the lazy dog",
    "abcdefghijklmnopqrstuvwxyz",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789",
    "Hello, World!",
    "1,234.50 (about 50%) + x=y & z?",
    "M\u{fc}ller-L\u{fc}denscheidt",
    "caf\u{e9} na\u{ef}ve \u{20ac}5",
    "STRASSE stra\u{df}e \u{130}I\u{131}i \u{1c5}",
    "a\u{1d11e}b\u{1f600}",
    "one two  three",
    "Zwei\tDrei\nVier",
];
/// The first of them have all letters and digits.
const WHOLE: usize = 4;
/// Numbers that are neutral in few operations.
const NUMBERS: [i64; 10] = [5, 7, 3, 11, 13, 17, -4, 23, 100, -1];
/// Numbers with a fraction that behave unlike others: tiny, huge, not finite, and between the small whole numbers.
const REALS: [f64; 10] = [0.0, -0.0, 0.1, -0.5, 1e-12, 1e10, -750.5, f64::MAX, f64::NAN, f64::INFINITY];
/// Numbers below this are tried more often than others.
const SMALL: usize = 13;
/// Limit on the string constants that are used.
const MAX_TEXTS: usize = 200;
/// Limit on the patterns that are used.
const MAX_PATTERNS: usize = 20;
/// One text of so many matches a pattern of the code, if there is one, and one of so many of these only nearly.
const PATTERNS: usize = 4;
const NEARLY: usize = 5;
/// Limit on the characters of a text.
const MAX_TEXT: usize = 60;
/// Limit on the words and characters of which a text is composed.
const MAX_WORDS: usize = 5;
/// Maximum lengths of arrays and of random texts: the usual one, and an occasional one.
const LENGTHS: [usize; 2] = [8, 40];
/// A length that arrays often have: several of them fit each other more often then.
const FEW: usize = 3;

/// The values that are tried.
pub(crate) struct Vocabulary {
    texts: Vec<Vec<u16>>,
    /// Constants of the code that the inputs are to reach.
    near: NearConstants,
    /// Texts that run through tables of the code.
    tables: Vec<Vec<u16>>,
    /// Regular expressions of the code.
    patterns: Vec<Pattern>,
    numbers: Vec<i64>,
    /// Those of the numbers that are printable.
    characters: Vec<u16>,
    random: Random,
}

impl Vocabulary {
    /// The vocabulary of these classes, which have been initialised. Constants of the methods `near` are tried most.
    pub(crate) fn of(machine: &Machine, classes: &[ClassId], near: &[MethodId], seed: u64) -> Vocabulary {
        let mut texts: Vec<Vec<u16>> = Vec::new();
        let mut numbers = BTreeSet::new();
        let mut all_patterns = Vec::new();
        for class in classes {
            all_patterns.extend(patterns(machine, *class));
            texts.extend(string_literals(machine, *class, MAX_TEXTS));
            numbers.extend(constants::numbers_of_class(machine, *class));
        }
        texts.truncate(MAX_TEXTS);
        all_patterns.truncate(MAX_PATTERNS);
        let tables = tables::texts_of_tables(machine, classes);
        let printable = numbers.iter().filter(|it| (0x20..0x7f).contains(*it));
        let characters = printable.map(|it| *it as u16).collect();
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
        let numbers = numbers.into_iter().collect();
        let near = NearConstants::of(machine, near);
        Vocabulary {
            texts,
            near,
            tables,
            patterns: all_patterns,
            numbers,
            characters,
            random: Random::new(random | 1),
        }
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

    fn text(&mut self, now: &[u16]) -> Vec<u16> {
        if !self.tables.is_empty() && self.below(6) == 0 {
            return self.of_table();
        }
        if !self.patterns.is_empty()
            && self.below(PATTERNS) == 0
            && let Some(text) = self.of_pattern()
        {
            return text;
        }
        let mut text = match self.below(8) {
            0 | 1 => self.natural(),
            2 if self.has_words() => self.known(),
            3 if self.has_words() => {
                let mut text = self.known();
                text.extend(self.characters_up_to(LENGTHS[0]));
                text.extend(self.known());
                text
            }
            4 if self.has_words() => self.composed(),
            2..=4 => self.characters_up_to(LENGTHS[0]),
            5 => self.characters_up_to(LENGTHS[1]),
            _ => self.changed(now),
        };
        text.truncate(MAX_TEXT);
        text
    }

    fn has_words(&self) -> bool {
        !self.texts.is_empty() || !self.near.texts.is_empty()
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

    /// A text that matches one of the patterns, or nearly.
    fn of_pattern(&mut self) -> Option<Vec<u16>> {
        let at = self.below(self.patterns.len());
        let random = &mut self.random;
        let text = self.patterns[at].any(&mut |limit| random.below(limit))?;
        let text: Vec<u16> = text.encode_utf16().collect();
        Some(if self.below(NEARLY) == 0 { self.changed(&text) } else { text })
    }

    fn natural(&mut self) -> Vec<u16> {
        let at = self.below(NATURAL.len());
        NATURAL[at].encode_utf16().collect()
    }

    fn known(&mut self) -> Vec<u16> {
        if !self.near.texts.is_empty() && (self.texts.is_empty() || self.below(2) == 0) {
            let at = self.below(self.near.texts.len());
            return self.near.texts[at].clone();
        }
        let at = self.below(self.texts.len());
        self.texts[at].clone()
    }

    /// A few words of the code, with characters between them.
    fn composed(&mut self) -> Vec<u16> {
        let style = self.below(4);
        let mut text = Vec::new();
        for _ in 0..2 + self.below(MAX_WORDS - 1) {
            match self.below(2) {
                0 => text.extend(self.known()),
                _ => text.push(self.character(style)),
            }
        }
        text
    }

    fn characters_up_to(&mut self, most: usize) -> Vec<u16> {
        let length = 1 + self.below(most);
        let style = self.below(4);
        (0..length).map(|_| self.character(style)).collect()
    }

    /// A character: a constant of the code, a letter, a digit, or any printable one.
    fn character(&mut self, style: usize) -> u16 {
        if !self.near.characters.is_empty() && self.below(4) == 0 {
            let at = self.below(self.near.characters.len());
            return self.near.characters[at];
        }
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
        match self.below(7) {
            6 if self.has_words() => {
                let word = self.known();
                text.splice(at..at, word);
            }
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
        match kind {
            Kind::Boolean => (now & 1) ^ 1,
            Kind::Char => {
                let style = self.below(4);
                u64::from(self.character(style))
            }
            Kind::Float => u64::from((self.real() as f32).to_bits()),
            Kind::Double => self.real().to_bits(),
            _ => self.number() as u64,
        }
    }

    fn real(&mut self) -> f64 {
        if !self.near.reals.is_empty() && self.below(4) == 0 {
            let at = self.below(self.near.reals.len());
            return self.near.reals[at] + [0.0, 0.0, 1.0, -1.0][self.below(4)];
        }
        match self.below(REALS.len() * 4) {
            at if at < REALS.len() => REALS[at],
            _ => self.number() as f64 + self.fraction(),
        }
    }

    fn fraction(&mut self) -> f64 {
        [0.5, 0.25, 0.0][self.below(3)]
    }

    fn number(&mut self) -> i64 {
        match self.below(8) {
            0 => NUMBERS[self.below(NUMBERS.len())],
            1 | 2 if !self.near.numbers.is_empty() => {
                let at = self.below(self.near.numbers.len());
                self.near.numbers[at].wrapping_add([-1, 0, 0, 1][self.below(4)])
            }
            2 | 3 if !self.numbers.is_empty() => {
                let at = self.below(self.numbers.len());
                self.numbers[at].wrapping_add([-1, 0, 1][self.below(3)])
            }
            1 | 4 => self.below(SMALL) as i64,
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
        let most = [LENGTHS[0], FEW, LENGTHS[1]][self.below(3)];
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

#[cfg(test)]
mod tests;
