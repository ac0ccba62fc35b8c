//! Changes a method body at one instruction.
//!
//! If the replacement has a different length, later instructions move, and the padding of switches changes. So the
//! body gets a new layout: first the addresses of all instructions, then the instructions with their targets.

use crate::operators::{Change, Piece};
use cupping_classfile::instructions::decode;
use cupping_classfile::{Code, ExceptionHandler, Instruction, Opcode, Operand, instructions};
use std::collections::BTreeMap;

/// The body with a change at the instruction at `pc`. Stack maps and variable tables are dropped: they serve
/// the verifier, which has seen the original, and debuggers. `None` if a jump would exceed its range, or the
/// method its maximal length.
pub fn apply(code: &Code, pc: u32, change: &Change, more_stack: u16) -> Option<Code> {
    match change {
        Change::Code(pieces) => replace(code, pc, pieces, more_stack),
        Change::Handlers(rows) => Some(without_handlers(code, rows)),
    }
}

/// The new address of each instruction, and of the end, under a change at `pc`. The changed instruction has the
/// address of its replacement. `None` as for [`apply`].
pub fn addresses(code: &Code, pc: u32, change: &Change) -> Option<BTreeMap<u32, u32>> {
    let all: Vec<Instruction> = instructions(&code.bytecode).collect::<Result<_, _>>().ok()?;
    match change {
        Change::Code(pieces) => {
            let places = places(&all, pc, pieces)?;
            let end = all.last()?.next_pc();
            all.iter().map(|it| it.pc).chain([end]).map(|pc| Some((pc, places.of(pc)?))).collect()
        }
        Change::Handlers(_) => {
            let end = all.last()?.next_pc();
            Some(all.iter().map(|it| it.pc).chain([end]).map(|pc| (pc, pc)).collect())
        }
    }
}

fn without_handlers(code: &Code, rows: &[usize]) -> Code {
    let kept = code.exception_table.iter().enumerate().filter(|(row, _)| !rows.contains(row));
    Code {
        exception_table: kept.map(|(_, row)| row.clone()).collect(),
        local_variables: Box::default(),
        stack_map: None,
        ..code.clone()
    }
}

fn replace(code: &Code, pc: u32, pieces: &[Piece], more_stack: u16) -> Option<Code> {
    match replaced_in_place(&code.bytecode, pc, pieces) {
        Some(bytecode) => Some(Code {
            max_stack: code.max_stack.checked_add(more_stack)?,
            bytecode: bytecode.into(),
            local_variables: Box::default(),
            stack_map: None,
            ..code.clone()
        }),
        None => laid_out_anew(code, pc, pieces, more_stack),
    }
}

/// The body with new addresses for all instructions.
pub(crate) fn laid_out_anew(code: &Code, pc: u32, pieces: &[Piece], more_stack: u16) -> Option<Code> {
    let all: Vec<Instruction> = instructions(&code.bytecode).collect::<Result<_, _>>().ok()?;
    let places = places(&all, pc, pieces)?;
    let mut out = Vec::with_capacity(code.bytecode.len() + 8);
    for instruction in &all {
        let pieces = if instruction.pc == pc { pieces } else { &[Piece::Original] };
        for piece in pieces {
            write_piece(&mut out, &code.bytecode, piece, instruction, &|target| places.of(target))?;
        }
    }
    let place = |pc: u16| u16::try_from(places.of(pc.into())?).ok();
    let mut handlers = Vec::with_capacity(code.exception_table.len());
    for handler in &code.exception_table {
        handlers.push(ExceptionHandler {
            start: place(handler.start)?,
            end: place(handler.end)?,
            handler: place(handler.handler)?,
            catch_type: handler.catch_type.clone(),
        });
    }
    Some(Code {
        max_stack: code.max_stack.checked_add(more_stack)?,
        max_locals: code.max_locals,
        bytecode: out.into(),
        exception_table: handlers.into(),
        line_numbers: code.line_numbers.moved(place),
        local_variables: Box::default(),
        stack_map: None,
    })
}

/// Writes a piece of what stands for an instruction; `place` gives the new addresses of targets.
fn write_piece(
    out: &mut Vec<u8>,
    bytecode: &[u8],
    piece: &Piece,
    instruction: &Instruction,
    place: &dyn Fn(u32) -> Option<u32>,
) -> Option<()> {
    let (opcode, operand) = match piece {
        Piece::Bytes(bytes) => {
            out.extend_from_slice(bytes);
            return Some(());
        }
        Piece::Jump(opcode, operand) => (*opcode, operand),
        Piece::Original => (instruction.opcode, &instruction.operand),
    };
    write(out, bytecode, &WrittenInstruction { opcode, operand, copied: instruction }, place)
}

/// The instructions after a change that is as long as what it replaces, so that nothing moves; `None` otherwise. A
/// method that fills a table has thousands of mutants, of which most are of this kind.
fn replaced_in_place(bytecode: &[u8], pc: u32, pieces: &[Piece]) -> Option<Vec<u8>> {
    let instruction = decode(bytecode, pc as usize).ok()?;
    if matches!(instruction.operand, Operand::TableSwitch { .. } | Operand::LookupSwitch { .. }) {
        return None;
    }
    let length = pieces.iter().map(|piece| match piece {
        Piece::Bytes(bytes) => bytes.len(),
        Piece::Jump(opcode, _) => branch_length(*opcode) as usize,
        Piece::Original => instruction.length as usize,
    });
    if length.sum::<usize>() != instruction.length as usize {
        return None;
    }
    let mut changed = bytecode[..pc as usize].to_vec();
    for piece in pieces {
        write_piece(&mut changed, bytecode, piece, &instruction, &Some)?;
    }
    changed.extend_from_slice(&bytecode[instruction.next_pc() as usize..]);
    Some(changed)
}

/// New addresses by old ones; `u32::MAX` inside instructions.
struct Places(Vec<u32>);

impl Places {
    /// The new address of an instruction, or of the end.
    fn of(&self, pc: u32) -> Option<u32> {
        self.0.get(pc as usize).copied().filter(|it| *it != u32::MAX)
    }
}

/// The new address of each instruction, and of the end.
fn places(all: &[Instruction], pc: u32, pieces: &[Piece]) -> Option<Places> {
    let end = all.last()?.next_pc() as usize;
    let mut places = vec![u32::MAX; end + 1];
    let mut at: u32 = 0;
    for instruction in all {
        places[instruction.pc as usize] = at;
        let pieces = if instruction.pc == pc { pieces } else { &[Piece::Original] };
        for piece in pieces {
            at += match piece {
                Piece::Bytes(bytes) => u32::try_from(bytes.len()).ok()?,
                Piece::Jump(opcode, operand) => length(at, operand, branch_length(*opcode)),
                Piece::Original => length(at, &instruction.operand, instruction.length),
            };
        }
    }
    places[end] = at;
    (at <= 65_535).then_some(Places(places))
}

/// The length of an instruction at an address; `otherwise` if it is not a switch.
fn length(at: u32, operand: &Operand, otherwise: u32) -> u32 {
    match operand {
        Operand::TableSwitch { targets, .. } => 1 + padding(at) + 12 + 4 * targets.len() as u32,
        Operand::LookupSwitch { pairs, .. } => 1 + padding(at) + 8 + 8 * pairs.len() as u32,
        _ => otherwise,
    }
}

fn branch_length(opcode: Opcode) -> u32 {
    if matches!(opcode, Opcode::GotoW | Opcode::JsrW) { 5 } else { 3 }
}

/// Padding after the opcode of a switch at this address (JVMS §6.5.tableswitch).
fn padding(at: u32) -> u32 {
    3 - at % 4
}

/// An instruction to write.
struct WrittenInstruction<'a> {
    opcode: Opcode,
    operand: &'a Operand,
    /// The instruction to copy if it does not jump.
    copied: &'a Instruction,
}

fn write(
    out: &mut Vec<u8>,
    bytecode: &[u8],
    written: &WrittenInstruction<'_>,
    place: &dyn Fn(u32) -> Option<u32>,
) -> Option<()> {
    let &WrittenInstruction { opcode, operand, copied } = written;
    let at = out.len() as u32;
    let offset = |target: u32| Some(place(target)? as i32 - at as i32);
    let pad = |out: &mut Vec<u8>| out.resize(out.len() + padding(at) as usize, 0);
    match operand {
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
        _ => out.extend(bytecode.get(copied.pc as usize..copied.next_pc() as usize)?),
    }
    Some(())
}
