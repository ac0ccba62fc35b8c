//! Replaces one instruction of a method body.
//!
//! If the replacement has a different length, later instructions move, and the padding of switches changes.
//! So the body is laid out anew: first the addresses of all instructions, then the instructions with their
//! targets.

use cupping_classfile::{Code, ExceptionHandler, Instruction, LineNumber, Opcode, Operand, instructions};
use std::collections::BTreeMap;

/// The body with the instruction at `pc` replaced by `bytes`. A conditional jump that replaces another keeps
/// the target. Stack maps and variable tables are dropped: they serve the verifier, which has seen the
/// original, and debuggers. `None` if a jump would exceed its range, or the method its maximal length.
pub fn replace(code: &Code, pc: u32, bytes: &[u8], more_stack: u16) -> Option<Code> {
    let all: Vec<Instruction> = instructions(&code.bytecode).collect::<Result<_, _>>().ok()?;
    let places = places(&all, pc, bytes)?;
    let mut out = Vec::with_capacity(code.bytecode.len() + bytes.len());
    for instruction in &all {
        if instruction.pc == pc && !instruction.opcode.is_conditional_branch() {
            out.extend_from_slice(bytes);
        } else {
            let opcode =
                if instruction.pc == pc { Opcode::from_byte(*bytes.first()?)? } else { instruction.opcode };
            write(&mut out, &code.bytecode, instruction, opcode, &places)?;
        }
    }
    let place = |pc: u16| u16::try_from(*places.get(&u32::from(pc))?).ok();
    let mut handlers = Vec::with_capacity(code.exception_table.len());
    for handler in &code.exception_table {
        handlers.push(ExceptionHandler {
            start: place(handler.start)?,
            end: place(handler.end)?,
            handler: place(handler.handler)?,
            catch_type: handler.catch_type.clone(),
        });
    }
    let lines = code.line_numbers.iter();
    let lines = lines.filter_map(|entry| Some(LineNumber { pc: place(entry.pc)?, line: entry.line }));
    Some(Code {
        max_stack: code.max_stack.checked_add(more_stack)?,
        max_locals: code.max_locals,
        bytecode: out.into(),
        exception_table: handlers.into(),
        line_numbers: lines.collect(),
        local_variables: Box::default(),
        stack_map: None,
    })
}

/// The new address of each instruction, and of the end.
fn places(all: &[Instruction], pc: u32, bytes: &[u8]) -> Option<BTreeMap<u32, u32>> {
    let mut places = BTreeMap::new();
    let mut at: u32 = 0;
    for instruction in all {
        places.insert(instruction.pc, at);
        at += match &instruction.operand {
            _ if instruction.pc == pc && !instruction.opcode.is_conditional_branch() => {
                u32::try_from(bytes.len()).ok()?
            }
            Operand::TableSwitch { targets, .. } => 1 + padding(at) + 12 + 4 * targets.len() as u32,
            Operand::LookupSwitch { pairs, .. } => 1 + padding(at) + 8 + 8 * pairs.len() as u32,
            _ => instruction.length,
        };
    }
    places.insert(all.last()?.next_pc(), at);
    (at <= 65_535).then_some(places)
}

/// Padding after the opcode of a switch at this address (JVMS §6.5.tableswitch).
fn padding(at: u32) -> u32 {
    3 - at % 4
}

fn write(
    out: &mut Vec<u8>,
    bytecode: &[u8],
    instruction: &Instruction,
    opcode: Opcode,
    places: &BTreeMap<u32, u32>,
) -> Option<()> {
    let at = out.len() as u32;
    let offset = |target: u32| Some(*places.get(&target)? as i32 - at as i32);
    let pad = |out: &mut Vec<u8>| out.resize(out.len() + padding(at) as usize, 0);
    match &instruction.operand {
        Operand::Branch(target) => {
            out.push(opcode as u8);
            match opcode {
                Opcode::GotoW | Opcode::JsrW => out.extend(offset(*target)?.to_be_bytes()),
                _ => out.extend(i16::try_from(offset(*target)?).ok()?.to_be_bytes()),
            }
        }
        Operand::TableSwitch { default, low, targets } => {
            out.push(opcode as u8);
            pad(out);
            let high = low.checked_add(i32::try_from(targets.len()).ok()?.checked_sub(1)?)?;
            out.extend(offset(*default)?.to_be_bytes());
            out.extend(low.to_be_bytes());
            out.extend(high.to_be_bytes());
            for target in targets {
                out.extend(offset(*target)?.to_be_bytes());
            }
        }
        Operand::LookupSwitch { default, pairs } => {
            out.push(opcode as u8);
            pad(out);
            out.extend(offset(*default)?.to_be_bytes());
            out.extend(i32::try_from(pairs.len()).ok()?.to_be_bytes());
            for (key, target) in pairs {
                out.extend(key.to_be_bytes());
                out.extend(offset(*target)?.to_be_bytes());
            }
        }
        _ => out.extend(bytecode.get(instruction.pc as usize..instruction.next_pc() as usize)?),
    }
    Some(())
}
