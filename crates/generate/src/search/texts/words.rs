//! The words of the code under test: the texts, characters and numbers that its sentences are made of.

use crate::facts::{NamedText, Vocabulary};
use crate::provisions::matching_text;
use crate::random::Random;
use cupping_machine::{Machine, MethodId};
use std::collections::BTreeSet;

/// Words of any language: names, numbers and spaces.
const GENERAL: [&str; 12] = ["a", "b", "x1", "1", "0", "12", "-3", "1.5", " ", "\n", "\t", "\""];
/// Those that sentences go on with.
const FOLLOWING: [&str; 6] = ["b", "1", "\"a\"", " ", "\n", "-3"];
/// Limit on the words of each kind.
const MAX_WORDS: usize = 240;
/// Limit on the length of a word that code compares with, and of another one.
const LENGTHS: [usize; 2] = [32, 12];

/// What sentences are made of.
#[derive(Default)]
pub(in crate::search) struct Words {
    /// Texts that code compares with.
    compared: Vec<Vec<u16>>,
    /// Other texts that it names.
    named: Vec<Vec<u16>>,
    /// Words of sentences that ran something new.
    proven: Vec<Vec<u16>>,
    characters: Vec<u16>,
    numbers: Vec<i64>,
    random: Random,
}

impl Words {
    /// The words of these methods.
    pub(super) fn of(machine: &Machine, methods: &[MethodId], seed: u64) -> Words {
        let random = seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15;
        let mut words = Words { random: Random::new(random | 1), ..Words::default() };
        let mut numbers = BTreeSet::new();
        for method in methods {
            let loaded = machine.method(*method);
            let Some(file) = &machine.class(loaded.class).file else { continue };
            let vocabulary = file.methods.get(loaded.index).map(|it| file.fact(it));
            if let Some(Ok(Some(vocabulary))) = vocabulary {
                let constants = enum_constants(machine, *method);
                words.read(vocabulary, &constants, &mut numbers);
            }
        }
        words.numbers = numbers.into_iter().take(MAX_WORDS).collect();
        words
    }

    /// No words but those of any language, with these random choices.
    #[cfg(test)]
    pub(super) fn seeded(random: Random) -> Words {
        Words { random, ..Words::default() }
    }

    /// Adds a text that code compares with.
    pub(super) fn add(&mut self, text: Vec<u16>) {
        let is_word = (1..=LENGTHS[0]).contains(&text.len()) && self.compared.len() < MAX_WORDS;
        if is_word && !self.compared.contains(&text) {
            self.compared.push(text);
        }
    }

    /// Records the words of a sentence that ran something new.
    pub(super) fn prove(&mut self, text: &[u16]) {
        let is_part = |unit: &u16| char::from_u32((*unit).into()).is_some_and(char::is_alphanumeric);
        for word in text.chunk_by(|one, other| is_part(one) && is_part(other)) {
            if self.proven.len() < MAX_WORDS && !self.proven.iter().any(|it| it == word) {
                self.proven.push(word.to_vec());
            }
        }
    }

    /// Reads the words of a method.
    fn read(&mut self, vocabulary: Vocabulary, constants: &[Vec<u16>], numbers: &mut BTreeSet<i64>) {
        for text in vocabulary.texts {
            match text {
                NamedText::Loaded(text) => matching_text(&text).into_iter().for_each(|it| self.add(it)),
                NamedText::Compared(text) if constants.contains(&text) || is_message(&text) => {
                    self.name(text)
                }
                NamedText::Compared(text) => self.add(text),
                NamedText::Other(text) => self.name(text),
            }
        }
        for character in vocabulary.characters {
            if !self.characters.contains(&character) {
                self.characters.push(character);
            }
        }
        numbers.extend(vocabulary.numbers.into_iter().map(i64::from));
    }

    fn name(&mut self, text: Vec<u16>) {
        // Longer ones are mostly messages.
        let is_word = (1..=LENGTHS[1]).contains(&text.len()) && self.named.len() < MAX_WORDS;
        if is_word && !self.named.contains(&text) && !self.compared.contains(&text) {
            self.named.push(text);
        }
    }

    /// A random number below a limit; the sequence is the same each time.
    pub(in crate::search) fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    pub(in crate::search) fn one_in(&mut self, times: usize) -> bool {
        self.random.one_in(times)
    }

    /// One of several.
    pub(in crate::search) fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        self.random.pick(all)
    }

    /// A word: mostly one that the code compares with.
    pub(in crate::search) fn word(&mut self) -> Vec<u16> {
        let kind = self.below(20);
        if kind >= 17 && !self.proven.is_empty() {
            let at = self.below(self.proven.len());
            return self.proven[at].clone();
        }
        if kind == 16 {
            return self.number().to_string().encode_utf16().collect();
        }
        if kind < 7 && !self.compared.is_empty() {
            let at = self.below(self.compared.len());
            return self.compared[at].clone();
        }
        if kind == 7 && !self.named.is_empty() {
            let at = self.below(self.named.len());
            return self.named[at].clone();
        }
        if kind < 13 && !self.characters.is_empty() {
            let at = self.below(self.characters.len());
            return vec![self.characters[at]];
        }
        if kind == 15 {
            return vec![u16::from(b' ') + self.below(95) as u16];
        }
        let at = self.below(GENERAL.len());
        GENERAL[at].encode_utf16().collect()
    }

    /// The words that may follow a text: what the code compares with, and words of any language.
    pub(super) fn for_extensions(&self) -> Vec<Vec<u16>> {
        let mut all: Vec<Vec<u16>> = FOLLOWING.iter().map(|it| it.encode_utf16().collect()).collect();
        let is_sign = |it: &&u16| (u16::from(b' ')..0x7f).contains(*it);
        let characters = self.characters.iter().filter(is_sign).map(|it| vec![*it]);
        let others = self.compared.iter().cloned().chain(characters);
        for word in others.take(MAX_WORDS) {
            if !all.contains(&word) {
                all.push(word);
            }
        }
        all
    }

    /// A separator between words or lines, or nothing.
    pub(super) fn separator(&mut self) -> &'static [u16] {
        const SPACE: [&[u16]; 4] = [&[b' ' as u16], &[b'\n' as u16], &[b'\n' as u16], &[]];
        SPACE[self.below(SPACE.len())]
    }

    /// A number near a constant of the code, or a small one.
    pub(super) fn number(&mut self) -> i64 {
        if !self.numbers.is_empty() && self.below(3) > 0 {
            let at = self.below(self.numbers.len());
            return self.numbers[at].wrapping_add([0, 0, 1, -1][self.below(4)]);
        }
        self.below(20) as i64 - 4
    }
}

/// Whether a text is several words: what a method of the application is given for a message.
fn is_message(text: &[u16]) -> bool {
    text.split(|it| *it == u16::from(b' ')).filter(|it| !it.is_empty()).count() > 2
}

/// The names of an enum's constants, in its initialiser: it gives them to the constants and compares nothing with them.
fn enum_constants(machine: &Machine, method: MethodId) -> Vec<Vec<u16>> {
    let method = machine.method(method);
    let class = machine.class(method.class);
    let is_enum = class.super_class.is_some_and(|it| &*machine.class(it).name == "java/lang/Enum");
    if !is_enum || &*method.name != "<clinit>" {
        return Vec::new();
    }
    class.fields.iter().filter(|it| it.is_static()).map(|it| it.name.encode_utf16().collect()).collect()
}

#[cfg(test)]
mod tests;
