//! The height of the operand stack before each instruction.
//!
//! It depends on the instruction alone (JVMS §4.10), so the instruction loop need not count it: where a slot of the
//! operand stack is follows from the frame and the place, and no instruction waits for the one before it to know.

use crate::code::{Handler, Insn, Op, Switch};
use Op::*;

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

/// The height before each instruction, 0 where none comes; `effects` is by how much each changes it.
///
/// # Errors
/// An operand that is not there, one too many, and instructions that are come to at different heights.
pub(crate) fn heights(insns: &[Insn], effects: &[i32], flow: &Flow<'_>) -> Result<Vec<u16>, Misfit> {
    let mut heights: Vec<Option<u16>> = vec![None; insns.len()];
    let mut due = vec![(0, 0)];
    due.extend(flow.handlers.iter().map(|handler| (handler.target as usize, 1)));
    while let Some((at, height)) = due.pop() {
        // What follows the last instruction is nothing that runs.
        let Some(known) = heights.get_mut(at) else { continue };
        match known {
            Some(known) if *known == height => continue,
            Some(_) => return Err(Misfit { at, what: "stacks of different height meet" }),
            None => *known = Some(height),
        }
        let insn = insns[at];
        let after = height as i32 + effects[at];
        if height < operands(insn.op) || after < 0 {
            return Err(Misfit { at, what: "operand stack underflow" });
        }
        if after > flow.max_stack as i32 {
            return Err(Misfit { at, what: "operand stack overflow" });
        }
        let after = after as u16;
        match insn.op {
            Op::Switch => {
                let Some(table) = flow.switches.get(insn.b as usize) else { continue };
                due.push((table.default as usize, after));
                due.extend(table.cases.iter().map(|(_, target)| (*target as usize, after)));
            }
            Goto => due.push((insn.b as usize, after)),
            // The subroutine has the address on the stack, and comes back without it (JVMS §4.10.2.5).
            Jsr => due.extend([(insn.b as usize, after + 1), (at + 1, after)]),
            Return | Return1 | Return2 | AThrow | Ret | Trap => {}
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

/// Whether an instruction jumps or goes on to the next one.
pub(crate) fn is_conditional_jump(op: Op) -> bool {
    matches!(
        op,
        IfEq | IfNe
            | IfLt
            | IfGe
            | IfGt
            | IfLe
            | IfICmpEq
            | IfICmpNe
            | IfICmpLt
            | IfICmpGe
            | IfICmpGt
            | IfICmpLe
            | IfACmpEq
            | IfACmpNe
            | IfNull
            | IfNonNull
    )
}

/// The least height at which the stack instructions find their operands, which their effect does not tell.
fn operands(op: Op) -> u16 {
    match op {
        Dup => 1,
        DupX1 | Dup2 | Swap => 2,
        DupX2 | Dup2X1 => 3,
        Dup2X2 => 4,
        _ => 0,
    }
}

/// By how many slots an instruction changes the height; 0 for those of which only its operands tell (fields, calls,
/// constants of the pool).
#[rustfmt::skip]
pub(crate) fn effect(op: Op) -> i32 {
    match op {
        AConstNull | IConst | LdcCached | Load1 | Dup | DupX1 | DupX2 | I2L | I2D | F2L | F2D | New => 1,
        LConst | Load2 | Dup2 | Dup2X1 | Dup2X2 => 2,
        Store1 | Pop | IALoad | FALoad | AALoad | BALoad | CALoad | SALoad => -1,
        IAdd | ISub | IMul | IDiv | IRem | IAnd | IOr | IXor | IShl | IShr | IUShr | LShl | LShr | LUShr => -1,
        FAdd | FSub | FMul | FDiv | FRem | FCmpL | FCmpG | L2I | L2F | D2I | D2F => -1,
        IfEq | IfNe | IfLt | IfGe | IfGt | IfLe | IfNull | IfNonNull | Op::Switch => -1,
        Return1 | AThrow | MonitorEnter | MonitorExit => -1,
        Store2 | Pop2 | Return2 => -2,
        LAdd | LSub | LMul | LDiv | LRem | LAnd | LOr | LXor | DAdd | DSub | DMul | DDiv | DRem => -2,
        IfICmpEq | IfICmpNe | IfICmpLt | IfICmpGe | IfICmpGt | IfICmpLe | IfACmpEq | IfACmpNe => -2,
        IAStore | FAStore | AAStore | BAStore | CAStore | SAStore | LCmp | DCmpL | DCmpG => -3,
        LAStore | DAStore => -4,
        _ => 0,
    }
}
