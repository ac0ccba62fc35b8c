//! The words of the code under test: the texts, characters and numbers that its sentences are made of.

use crate::provisions::{compares_texts, matching_text};
use crate::random::Random;
use cupping_classfile::{Action, ClassFile, Constant, Instruction, Literal, Operand, instructions};
use cupping_machine::{Machine, MethodId};
use std::collections::BTreeSet;

/// Words of any language: names, numbers and spaces.
const GENERAL: [&str; 12] = ["a", "b", "x1", "1", "0", "12", "-3", "1.5", " ", "\n", "\t", "\""];
/// Limit on the words of each kind.
const MAX_WORDS: usize = 240;
/// Limit on the length of a word that code compares with, and of another one.
const LENGTHS: [usize; 2] = [32, 12];
/// Maximal distance in instructions between a constant and the call that compares it.
const NEAR: usize = 4;
/// Characters up to this one are words.
const LAST_CHARACTER: i32 = 0x7e;
/// Names of the methods that create tables of texts, or one entry of a table.
const TABLES: [&str; 5] = ["of", "entry", "ofEntries", "valueOf", "split"];

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
            let Some(Ok(Some(code))) = file.methods.get(loaded.index).map(|it| file.code(it)) else {
                continue;
            };
            words.read(file, &code.bytecode, &*loaded.name == "<clinit>", &mut numbers);
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
    fn read(&mut self, file: &ClassFile, bytecode: &[u8], fills_tables: bool, numbers: &mut BTreeSet<i64>) {
        let mut texts: Vec<(usize, Vec<u16>)> = Vec::new();
        let mut number: Option<(usize, i32)> = None;
        for (at, instruction) in instructions(bytecode).map_while(Result::ok).enumerate() {
            let near = number.filter(|(since, _)| at - since <= NEAR / 2).map(|(_, number)| number);
            match (instruction.action(), instruction.constant(file)) {
                (Action::LoadConstant, Some(Constant::String(text))) => {
                    matching_text(&text).into_iter().for_each(|it| self.add(it));
                    texts.push((at, text));
                }
                (Action::Invoke(_), Some(Constant::Method { class, name, .. })) => {
                    // Arguments to the application's own methods are compared there; exception messages are
                    // not.
                    let is_own = !class.starts_with("java") && &*name != "<init>";
                    let compares =
                        fills_tables || is_own || compares_texts(&name) || TABLES.contains(&&*name);
                    for (since, text) in texts.drain(..) {
                        if compares && at - since <= NEAR { self.add(text) } else { self.name(text) }
                    }
                    near.into_iter().for_each(|it| self.character(it));
                }
                (Action::Branch(_), _) => near.into_iter().for_each(|it| self.character(it)),
                // Tables of characters are filled one by one.
                (Action::ArrayStore(_), _) => near.into_iter().for_each(|it| self.character(it)),
                _ => {}
            }
            if let Some(value) = int_of(&instruction, file) {
                number = Some((at, value));
                numbers.insert(i64::from(value));
            }
            match &instruction.operand {
                Operand::TableSwitch { low, targets, .. } => {
                    (0..targets.len() as i32).for_each(|at| self.character(low.wrapping_add(at)));
                }
                Operand::LookupSwitch { pairs, .. } => pairs.iter().for_each(|(key, _)| self.character(*key)),
                _ => {}
            }
        }
        texts.into_iter().for_each(|(_, text)| self.name(text));
    }

    fn name(&mut self, text: Vec<u16>) {
        // Longer ones are mostly messages.
        let is_word = (1..=LENGTHS[1]).contains(&text.len()) && self.named.len() < MAX_WORDS;
        if is_word && !self.named.contains(&text) && !self.compared.contains(&text) {
            self.named.push(text);
        }
    }

    fn character(&mut self, value: i32) {
        let is_character = (i32::from(b'\t')..=LAST_CHARACTER).contains(&value);
        if is_character && !self.characters.contains(&(value as u16)) {
            self.characters.push(value as u16);
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

fn int_of(instruction: &Instruction, file: &ClassFile) -> Option<i32> {
    let literal = match instruction.action() {
        Action::Constant => instruction.literal(),
        Action::LoadConstant => instruction.constant(file).and_then(|it| it.literal()),
        _ => None,
    };
    match literal {
        Some(Literal::Int(value)) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
