//! Which fields index which arrays. Slices and elements at an index become variables only if the code uses the field
//! with the array: a modification count is an `int` too, and usually less than the length of any array.
//!
//! A statement ends where javac leaves nothing on the stack: at stores, jumps and returns. An array field and an
//! `int` field belong together if a statement that accesses an array or calls a method reads both. Locals stand for
//! the fields from which they were computed.

use cupping_classfile::{Action, ClassFile, Constant, Instruction, StackType, instructions};
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
            let ty = instruction.stack_type();
            match instruction.action() {
                Action::GetField => {
                    let Some(Constant::Field { name, descriptor, .. }) = instruction.constant(file) else {
                        continue;
                    };
                    if descriptor.starts_with('[') {
                        made.arrays.insert(Box::from(&*name));
                    } else if &*descriptor == "I" {
                        made.numbers.insert(Box::from(&*name));
                    }
                }
                Action::Shuffle if inserts_copy_below(&instruction) => is_used = true,
                // A stored value may be used again in the same statement, as in `a[n++]`.
                Action::PutField if !std::mem::take(&mut is_used) => made = Construction::default(),
                Action::PutField => {}
                Action::Load if matches!(ty, Some(StackType::Int | StackType::Reference)) => {
                    if let Some(known) = instruction.local().and_then(|it| locals.get(&it)) {
                        made.arrays.extend(known.arrays.iter().cloned());
                        made.numbers.extend(known.numbers.iter().cloned());
                    }
                }
                Action::Store if matches!(ty, Some(StackType::Int | StackType::Reference)) => {
                    let known = locals.entry(instruction.local().unwrap_or(u16::MAX)).or_default();
                    if ty == Some(StackType::Int) {
                        known.numbers.extend(std::mem::take(&mut made.numbers));
                    } else {
                        known.arrays.extend(std::mem::take(&mut made.arrays));
                    }
                    made = Construction::default();
                }
                // What other locals are computed from is no index.
                Action::Store => made = Construction::default(),
                action @ (Action::ArrayLoad(_) | Action::ArrayStore(_) | Action::Invoke(_)) => {
                    for array in &made.arrays {
                        found.extend(made.numbers.iter().map(|it| (array.clone(), it.clone())));
                    }
                    if matches!(action, Action::ArrayStore(_)) {
                        made = Construction::default();
                    }
                }
                Action::Branch(_) | Action::Return | Action::Goto | Action::Throw | Action::Switch => {
                    made = Construction::default();
                }
                Action::Shuffle if instruction.opcode.effect().slots() == Some((1, 0)) => {
                    made = Construction::default();
                }
                _ => {}
            }
        }
    }
}

/// Whether a copy of one operand goes below others: `dup_x1`, `dup_x2`.
fn inserts_copy_below(instruction: &Instruction) -> bool {
    matches!(instruction.opcode.effect().slots(), Some((2, 3) | (3, 4)))
}
