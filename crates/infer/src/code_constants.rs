//! Constants in the code of a class: values near them make its branches go both ways.

use cupping_classfile::{Constant, Operand, instructions};
use cupping_machine::{ClassId, Machine};

/// The largest number of string literals, and of their units.
const MOST_TEXTS: usize = 40;

/// Whole numbers in the code of a class that are neither tiny nor huge, with their neighbours, and its short string
/// literals, each once.
pub fn constants(machine: &Machine, class: ClassId) -> (Vec<i64>, Vec<Vec<u16>>) {
    let (mut found, mut texts) = (Vec::new(), Vec::new());
    let Some(file) = machine.class(class).file.clone() else { return (found, texts) };
    for method in file.methods.iter() {
        let Ok(Some(code)) = file.code(method) else { continue };
        for instruction in instructions(&code.bytecode) {
            let Ok(instruction) = instruction else { break };
            let number = match instruction.operand {
                Operand::Immediate(value) => i64::from(value),
                Operand::Constant(index) => match file.constant(index) {
                    Ok(Constant::Integer(value)) => i64::from(value),
                    Ok(Constant::Long(value)) => value,
                    Ok(Constant::String(text)) => {
                        if text.len() <= MOST_TEXTS && texts.len() < MOST_TEXTS && !texts.contains(&text) {
                            texts.push(text);
                        }
                        continue;
                    }
                    _ => continue,
                },
                _ => continue,
            };
            for near in [number, number - 1] {
                if !(-1..=3).contains(&near) && near.unsigned_abs() < 1 << 20 && !found.contains(&near) {
                    found.push(near);
                }
            }
        }
    }
    (found, texts)
}
