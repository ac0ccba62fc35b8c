//! The texts, characters and numbers that a body names.

use super::compares_texts;
use cupping_classfile::facts::BodyFact;
use cupping_classfile::{
    Action, ClassFile, Code, Constant, Instruction, Literal, Method, Operand, instructions,
};
use std::collections::BTreeSet;

/// Maximal distance in instructions between a constant and the call that compares it.
const NEAR: usize = 4;
/// Characters up to this one are words.
const LAST_CHARACTER: i32 = 0x7e;
/// Names of the methods that create tables of texts, or one entry of a table.
const TABLES: [&str; 5] = ["of", "entry", "ofEntries", "valueOf", "split"];

/// What a body names.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// Texts, in the order in which they are loaded and used.
    pub texts: Vec<NamedText>,
    /// Characters that it compares with or puts into tables, in code order.
    pub characters: Vec<u16>,
    /// All numbers.
    pub numbers: BTreeSet<i32>,
}

/// What a body does with a text.
#[derive(Debug)]
pub enum NamedText {
    /// It loads it.
    Loaded(Vec<u16>),
    /// It compares with it, looks it up, or passes it on.
    Compared(Vec<u16>),
    /// Something else.
    Other(Vec<u16>),
}

impl BodyFact for Vocabulary {
    const NAME: &'static str = "vocabulary";

    fn of(file: &ClassFile, method: &Method, code: &Code) -> Vocabulary {
        let fills_tables = &*method.name == "<clinit>";
        let mut found = Vocabulary::default();
        let mut texts: Vec<(usize, Vec<u16>)> = Vec::new();
        let mut number: Option<(usize, i32)> = None;
        for (at, instruction) in instructions(&code.bytecode).map_while(Result::ok).enumerate() {
            let near = number.filter(|(since, _)| at - since <= NEAR / 2).map(|(_, number)| number);
            match (instruction.action(), instruction.constant(file)) {
                (Action::LoadConstant, Some(Constant::String(text))) => {
                    found.texts.push(NamedText::Loaded(text.clone()));
                    texts.push((at, text));
                }
                (Action::Invoke(_), Some(Constant::Method { class, name, .. })) => {
                    // Arguments to the application's own methods are compared there; exception messages are
                    // not.
                    let is_own = !class.starts_with("java") && &*name != "<init>";
                    let compares =
                        fills_tables || is_own || compares_texts(&name) || TABLES.contains(&&*name);
                    found.texts.extend(texts.drain(..).map(|(since, text)| {
                        let is_compared = compares && at - since <= NEAR;
                        if is_compared { NamedText::Compared(text) } else { NamedText::Other(text) }
                    }));
                    near.into_iter().for_each(|it| found.character(it));
                }
                (Action::Branch(_), _) => near.into_iter().for_each(|it| found.character(it)),
                // Tables of characters are filled one by one.
                (Action::ArrayStore(_), _) => near.into_iter().for_each(|it| found.character(it)),
                _ => {}
            }
            if let Some(value) = int_of(&instruction, file) {
                number = Some((at, value));
                found.numbers.insert(value);
            }
            match &instruction.operand {
                Operand::TableSwitch { low, targets, .. } => {
                    (0..targets.len() as i32).for_each(|at| found.character(low.wrapping_add(at)));
                }
                Operand::LookupSwitch { pairs, .. } => {
                    pairs.iter().for_each(|(key, _)| found.character(*key))
                }
                _ => {}
            }
        }
        found.texts.extend(texts.into_iter().map(|(_, text)| NamedText::Other(text)));
        found
    }
}

impl Vocabulary {
    fn character(&mut self, value: i32) {
        let is_character = (i32::from(b'\t')..=LAST_CHARACTER).contains(&value);
        if is_character && !self.characters.contains(&(value as u16)) {
            self.characters.push(value as u16);
        }
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
mod tests {
    use super::*;

    #[test]
    fn only_printable_constants_are_characters() {
        let mut found = Vocabulary::default();
        [-1, 0, 9, 10, 0x40, 0x40, 0x7e, 0x7f, 0x1_0041].into_iter().for_each(|it| found.character(it));
        assert_eq!(found.characters, [9, 10, 0x40, 0x7e]);
    }
}
