//! The height of the operand stack before each instruction.
//!
//! The height depends on the instruction alone (JVMS §4.10), so the instruction loop need not track it: the
//! position of an operand follows from the frame and the instruction, and no instruction depends on its
//! predecessor for it.

use crate::code::{Handler, Insn, Op, Switch};
use cupping_classfile::Opcode;

/// Slots of the operand stack that an instruction pops and pushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pops: u16,
    pushes: u16,
}

impl Change {
    /// No change of the operand stack.
    pub(crate) const NONE: Change = Change::new(0, 0);

    pub(crate) const fn new(pops: u16, pushes: u16) -> Change {
        Change { pops, pushes }
    }

    /// The change made by an operation, according to the table of opcodes. [`Change::NONE`] for operations
    /// without an opcode, and for those whose change depends on a constant: fields, calls.
    pub(crate) const fn of(op: Op) -> Change {
        CHANGES[op as usize]
    }

    /// The height after an instruction that makes this change.
    pub(crate) fn after(self, height: u16) -> Option<u16> {
        height.checked_sub(self.pops)?.checked_add(self.pushes)
    }
}

/// The opcode that an operation comes from; the first if there are several.
static OPCODES: [Option<Opcode>; Op::COUNT] = OPCODES_BY_OP;

const OPCODES_BY_OP: [Option<Opcode>; Op::COUNT] = {
    let mut opcodes = [None; Op::COUNT];
    let mut at = Opcode::ALL.len();
    while at > 0 {
        at -= 1;
        if let Some(op) = Op::of(Opcode::ALL[at]) {
            opcodes[op as usize] = Some(Opcode::ALL[at]);
        }
    }
    opcodes
};

static CHANGES: [Change; Op::COUNT] = {
    let mut changes = [Change::NONE; Op::COUNT];
    let mut at = 0;
    while at < Op::COUNT {
        if let Some(opcode) = OPCODES_BY_OP[at]
            && let Some((pops, pushes)) = opcode.effect().slots()
        {
            changes[at] = Change::new(pops, pushes);
        }
        at += 1;
    }
    changes
};

impl Op {
    /// The opcode that an operation comes from; the first if there are several.
    pub(crate) fn opcode(self) -> Option<Opcode> {
        OPCODES[self as usize]
    }
}

/// Why the heights do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// Index of the instruction.
    pub(crate) at: usize,
    /// What is wrong.
    pub(crate) what: &'static str,
}

/// Control flow beside the instructions themselves.
pub(crate) struct Flow<'a> {
    pub(crate) switches: &'a [Switch],
    pub(crate) handlers: &'a [Handler],
    /// Slots for operands.
    pub(crate) max_stack: u16,
}

/// The height before each instruction, 0 for unreachable ones; `changes` are the effects of the instructions.
///
/// # Errors
///
/// Stack underflow and overflow, and instructions that are reached with different heights.
pub(crate) fn heights(insns: &[Insn], changes: &[Change], flow: &Flow<'_>) -> Result<Vec<u16>, Misfit> {
    let mut heights: Vec<Option<u16>> = vec![None; insns.len()];
    let mut due = vec![(0, 0)];
    due.extend(flow.handlers.iter().map(|handler| (handler.target as usize, 1)));
    while let Some((at, height)) = due.pop() {
        // Nothing after the last instruction is executed.
        let Some(known) = heights.get_mut(at) else { continue };
        match known {
            Some(known) if *known == height => continue,
            Some(_) => return Err(Misfit { at, what: "stack heights differ at a merge" }),
            None => *known = Some(height),
        }
        let insn = insns[at];
        let Some(after) = changes[at].after(height) else {
            return Err(Misfit { at, what: "operand stack underflow" });
        };
        if after > flow.max_stack {
            return Err(Misfit { at, what: "operand stack overflow" });
        }
        match insn.op {
            Op::Switch => {
                let Some(table) = flow.switches.get(insn.b as usize) else { continue };
                due.push((table.default as usize, after));
                due.extend(table.cases.iter().map(|(_, target)| (*target as usize, after)));
            }
            Op::Goto => due.push((insn.b as usize, after)),
            // The subroutine starts with the return address on the stack, and returns without it (JVMS
            // §4.10.2.5).
            Op::Jsr => due.extend([(insn.b as usize, after), (at + 1, height)]),
            op if ends_path(op) => {}
            op => {
                due.push((at + 1, after));
                if is_conditional_jump(op) {
                    due.push((insn.b as usize, after));
                }
            }
        }
    }
    Ok(heights.into_iter().map(|height| height.unwrap_or(0)).collect())
}

/// Whether an instruction either jumps or continues with the next one.
pub(crate) fn is_conditional_jump(op: Op) -> bool {
    op.opcode().is_some_and(Opcode::is_conditional_branch)
}

fn ends_path(op: Op) -> bool {
    op == Op::Trap || op.opcode().is_some_and(Opcode::ends_path)
}
