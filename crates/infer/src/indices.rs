//! Which fields are indices of which arrays: elements up to a field, or at one, are variables only where the code uses the
//! one with the other. A count of modifications is an `int` as well, and mostly less than the length of any array.
//!
//! A statement ends where javac has nothing left on the stack: at stores, jumps, returns. An array field and an `int` field
//! belong together if both are read in a statement that accesses an array or calls a method; locals stand for the fields
//! that they were made of.

use cupping_classfile::{ClassFile, Constant, Opcode, Operand, instructions};
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of an array field and a field that is an index of it, by their names.
pub type Indices = BTreeSet<(Box<str>, Box<str>)>;

/// What a statement, or a local, was made of.
#[derive(Clone, Debug, Default)]
struct Construction {
    arrays: BTreeSet<Box<str>>,
    numbers: BTreeSet<Box<str>>,
}

/// Adds what the code of a class tells.
pub fn add_indices(file: &ClassFile, found: &mut Indices) {
    for method in file.methods.iter() {
        let Ok(Some(code)) = file.code(method) else { continue };
        let mut locals: BTreeMap<u16, Construction> = BTreeMap::new();
        let (mut made, mut is_used) = (Construction::default(), false);
        for instruction in instructions(&code.bytecode) {
            let Ok(instruction) = instruction else { break };
            let mnemonic = instruction.opcode.mnemonic();
            let local = local_of(instruction.opcode, &instruction.operand);
            match mnemonic {
                "getfield" => {
                    let Operand::Constant(index) = instruction.operand else { continue };
                    let Ok(Constant::Field { name, descriptor, .. }) = file.constant(index) else { continue };
                    if descriptor.starts_with('[') {
                        made.arrays.insert(Box::from(&*name));
                    } else if &*descriptor == "I" {
                        made.numbers.insert(Box::from(&*name));
                    }
                }
                "dup_x1" | "dup_x2" => is_used = true,
                // What is stored on the way goes on to be used, as in `a[n++]`.
                "putfield" if !std::mem::take(&mut is_used) => made = Construction::default(),
                _ if mnemonic.starts_with("iload") || mnemonic.starts_with("aload") => {
                    if let Some(known) = local.and_then(|it| locals.get(&it)) {
                        made.arrays.extend(known.arrays.iter().cloned());
                        made.numbers.extend(known.numbers.iter().cloned());
                    }
                }
                _ if mnemonic.starts_with("istore") || mnemonic.starts_with("astore") => {
                    let known = locals.entry(local.unwrap_or(u16::MAX)).or_default();
                    if mnemonic.starts_with('i') {
                        known.numbers.extend(std::mem::take(&mut made.numbers));
                    } else {
                        known.arrays.extend(std::mem::take(&mut made.arrays));
                    }
                    made = Construction::default();
                }
                _ if is_access(mnemonic) => {
                    for array in &made.arrays {
                        found.extend(made.numbers.iter().map(|it| (array.clone(), it.clone())));
                    }
                    if mnemonic.ends_with("astore") {
                        made = Construction::default();
                    }
                }
                _ if mnemonic.starts_with("if")
                    || mnemonic.ends_with("return")
                    || matches!(mnemonic, "goto" | "pop" | "athrow" | "tableswitch" | "lookupswitch") =>
                {
                    made = Construction::default();
                }
                _ => {}
            }
        }
    }
}

/// The local variable that an instruction loads or stores.
fn local_of(opcode: Opcode, operand: &Operand) -> Option<u16> {
    if let Operand::Local(local) = operand {
        return Some(*local);
    }
    opcode.mnemonic().rsplit_once('_').and_then(|it| it.1.parse().ok())
}

fn is_access(mnemonic: &str) -> bool {
    let is_element =
        |it: &str| it.len() == 6 && it.ends_with("aload") || it.len() == 7 && it.ends_with("astore");
    is_element(mnemonic) || mnemonic.starts_with("invoke")
}
