//! Constants in code.

use cupping_classfile::{Action, ClassFile, Constant, Literal, Method, Operand};
use cupping_machine::{ClassId, Machine, MethodId};
use std::collections::BTreeSet;

/// Greatest length of a text that is used.
const MAX_TEXT: usize = 16;
/// Limit on the entries of a switch that are used.
const MAX_CASES: usize = 256;

/// Constants of some methods.
#[derive(Default)]
pub(super) struct NearConstants {
    pub texts: Vec<Vec<u16>>,
    pub numbers: Vec<i64>,
    pub reals: Vec<f64>,
    /// Those of the numbers that are printable, and texts of one character.
    pub characters: Vec<u16>,
}

impl NearConstants {
    /// The constants of these methods, each once.
    pub fn of(machine: &Machine, methods: &[MethodId]) -> NearConstants {
        let mut found = Constants::default();
        for method in methods {
            let loaded = machine.method(*method);
            let Some(file) = machine.class(loaded.class).file.clone() else { continue };
            let Some(declared) = file.methods.get(loaded.index) else { continue };
            found.add(&file, declared);
        }
        let Constants { texts, numbers, reals } = found;
        let printable = |it: &u16| (0x20..0x7f).contains(it);
        let of_numbers = numbers.iter().filter_map(|it| u16::try_from(*it).ok());
        let of_texts = texts.iter().filter(|it| it.len() == 1).map(|it| it[0]);
        let characters: BTreeSet<u16> = of_numbers.chain(of_texts).filter(printable).collect();
        NearConstants {
            texts: texts.into_iter().collect(),
            numbers: numbers.into_iter().collect(),
            reals: reals.into_iter().map(f64::from_bits).collect(),
            characters: characters.into_iter().collect(),
        }
    }
}

/// The integer constants in the code of a class.
pub(super) fn numbers_of_class(machine: &Machine, class: ClassId) -> BTreeSet<i64> {
    let mut found = Constants::default();
    if let Some(file) = machine.class(class).file.clone() {
        for method in file.methods.iter().filter(|method| &*method.name != "<clinit>") {
            found.add(&file, method);
        }
    }
    found.numbers
}

/// Constants of code, each once.
#[derive(Default)]
struct Constants {
    texts: BTreeSet<Vec<u16>>,
    numbers: BTreeSet<i64>,
    /// The bits of `float` and `double` constants.
    reals: BTreeSet<u64>,
}

impl Constants {
    /// Adds the constants in the code of a method.
    fn add(&mut self, file: &ClassFile, method: &Method) {
        let Ok(Some(code)) = file.code(method) else { return };
        for instruction in cupping_classfile::instructions(&code.bytecode).map_while(Result::ok) {
            let constant = match instruction.action() {
                Action::LoadConstant => instruction.constant(file),
                _ => None,
            };
            let literal = match instruction.action() {
                Action::Constant => instruction.literal(),
                _ => constant.as_ref().and_then(Constant::literal),
            };
            match literal {
                Some(Literal::Int(value)) => {
                    self.numbers.insert(i64::from(value));
                }
                Some(Literal::Long(value)) => {
                    self.numbers.insert(value);
                }
                Some(Literal::Float(value)) => {
                    self.reals.insert(f64::from(value).to_bits());
                }
                Some(Literal::Double(value)) => {
                    self.reals.insert(value.to_bits());
                }
                _ => {}
            }
            if let Some(Constant::String(units)) = constant
                && (1..=MAX_TEXT).contains(&units.len())
            {
                self.texts.insert(units);
            }
            match &instruction.operand {
                Operand::TableSwitch { low, targets, .. } => {
                    let cases = targets.len().min(MAX_CASES) as i64;
                    self.numbers.extend((0..cases).map(|at| i64::from(*low) + at));
                }
                Operand::LookupSwitch { pairs, .. } => {
                    self.numbers.extend(pairs.iter().map(|(key, _)| i64::from(*key)));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::machine;

    #[test]
    fn constants_of_a_method_are_its_own() {
        let mut machine = machine(
            "class Samples {
                 static int f(int x, String s, double d) {
                     if (s.equals(\"IER\") || s.equals(\"#\") || d > 2.5 || d > 1.5f) { return 290; }
                     switch (x) { case 65: return 1; case 400_000: return 7_000; default: return 0; }
                 }
                 static String g() { return \"other\" + 123; }
             }",
        );
        let class = machine.load("Samples").unwrap();
        let method = machine.declared_method(class, "f", "(ILjava/lang/String;D)I").unwrap();
        let near = NearConstants::of(&machine, &[method]);
        let text = |it: &Vec<u16>| String::from_utf16_lossy(it);
        assert_eq!(near.texts.iter().map(text).collect::<Vec<_>>(), ["#", "IER"]);
        assert_eq!(near.numbers, [0, 1, 65, 290, 7_000, 400_000]);
        assert_eq!(near.reals, [1.5, 2.5]);
        assert_eq!(near.characters, [0x23, 0x41], "of a text and of a case");
        assert!(numbers_of_class(&machine, class).contains(&290));
    }
}
