//! The instructions of a method by number, and the control flow between them.

use crate::code::Code;
use crate::instructions::{Instruction, instructions};
use std::sync::Arc;

/// A row of the exception table, in numbers of instructions.
#[derive(Clone, Debug)]
pub struct Guard {
    /// First instruction guarded.
    pub start: usize,
    /// First instruction behind those guarded.
    pub end: usize,
    /// First instruction of the handler.
    pub target: usize,
    /// Internal name of the class caught; everything if there is none.
    pub catches: Option<Arc<str>>,
}

/// The instructions of a method, and the control flow between them.
#[derive(Clone, Debug)]
pub struct InstructionGraph {
    /// The instructions.
    pub instructions: Vec<Instruction>,
    /// Successors of each instruction, the next instruction first, without exceptional ones.
    pub targets: Vec<Vec<usize>>,
    /// The exception handlers, in the order in which they are tried.
    pub handlers: Vec<Guard>,
}

impl InstructionGraph {
    /// The graph of a method's code; `None` if an instruction is malformed, jumps into another one, or is the
    /// last one and does not end its path.
    pub fn of(code: &Code) -> Option<InstructionGraph> {
        let all: Vec<Instruction> = instructions(&code.bytecode).collect::<Result<_, _>>().ok()?;
        let place = |pc: u32| all.binary_search_by_key(&pc, |i| i.pc).ok();
        let behind = |pc: u32| if pc as usize == code.bytecode.len() { Some(all.len()) } else { place(pc) };
        let mut targets = Vec::with_capacity(all.len());
        for (at, instruction) in all.iter().enumerate() {
            let mut next = Vec::new();
            if !instruction.opcode.ends_path() {
                next.push(at + 1);
            }
            for target in instruction.targets() {
                next.push(place(target)?);
            }
            next.dedup();
            targets.push(next);
        }
        let handlers = code.exception_table.iter().map(|h| {
            Some(Guard {
                start: place(h.start.into())?,
                end: behind(h.end.into())?,
                target: place(h.handler.into())?,
                catches: h.catch_type.clone(),
            })
        });
        let handlers = handlers.collect::<Option<Vec<_>>>()?;
        if all.is_empty() || targets.iter().flatten().any(|t| *t >= all.len()) {
            return None;
        }
        Some(InstructionGraph { instructions: all, targets, handlers })
    }

    /// The number of the instruction at an offset.
    pub fn at_offset(&self, pc: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&pc, |i| i.pc).ok()
    }

    /// The handlers that guard an instruction, in order.
    pub fn guards(&self, at: usize) -> impl Iterator<Item = &Guard> {
        self.handlers.iter().filter(move |h| (h.start..h.end).contains(&at))
    }
}
