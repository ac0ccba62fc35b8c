//! Which fields index which arrays. Slices and elements at an index become variables only where the code uses the
//! field with the array: a modification count is an `int` too, and mostly less than the length of any array.
//!
//! A statement ends where javac leaves nothing on the stack: at stores, jumps and returns. An array field and an
//! `int` field belong together if a statement that accesses an array or calls a method reads both. Locals stand for
//! the fields from which they were computed.

use cupping_classfile::{ClassFile, Constant, Opcode, Operand, instructions};
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of an array field and a field that indexes it, by name.
pub type Indices = BTreeSet<(Box<str>, Box<str>)>;

/// The fields that a statement, or a local, was computed from.
#[derive(Clone, Debug, Default)]
struct Construction {
    arrays: BTreeSet<Box<str>>,
    numbers: BTreeSet<Box<str>>,
}

/// Adds the pairs that the code of a class shows.
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
                // A value that is stored may be used again in the same statement, as in `a[n++]`.
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
