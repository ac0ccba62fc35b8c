//! Verification by type checking (JVMS §4.10.1): one pass; each target has its frame in the `StackMapTable`.

use super::stack_map::StackMapFrame;
use super::state::TypeState;
use super::types::Type;
use super::{VerifiedBody, Verifier, VerifyResult, bad};
use cupping_classfile::Opcode;

impl Verifier<'_> {
    /// Checks a method; `pc` is left at the instruction that fails.
    pub(super) fn check(&mut self, body: &VerifiedBody, pc: &mut u32) -> VerifyResult {
        let first = self.first_state(body);
        let frames = self.frames(body, &first)?;
        let mut coming = frames.iter().peekable();
        let mut state = Some(first);
        for insn in &body.insns {
            *pc = insn.pc;
            self.spend(1)?;
            if let Some(frame) = coming.next_if(|frame| frame.pc == insn.pc) {
                if let Some(state) = &state {
                    self.fits(state, frame)?;
                }
                state = Some(frame.state.clone());
                self.spend(frame.state.locals.len())?;
            }
            let Some(now) = &mut state else { return Err(bad("Expecting a stack map frame")) };
            if matches!(insn.opcode, Opcode::Jsr | Opcode::JsrW | Opcode::Ret) {
                return Err(bad(format!("Bad instruction: {:02x}", insn.opcode as u8)));
            }
            self.check_handlers(body, insn.pc, now, &frames)?;
            self.effect(body, insn, now)?;
            for target in insn.targets() {
                self.check_target(target, now, &frames)?;
            }
            if insn.opcode.ends_path() {
                state = None;
            }
        }
        if state.is_some() {
            return Err(bad("Control flow falls through code end"));
        }
        Ok(())
    }

    fn check_target(&mut self, target: u32, state: &TypeState, frames: &[StackMapFrame]) -> VerifyResult {
        let Ok(index) = frames.binary_search_by_key(&target, |frame| frame.pc) else {
            return Err(bad(format!("Expecting a stackmap frame at branch target {target}")));
        };
        self.fits(state, &frames[index])
    }

    /// The exception handlers of an instruction may be entered in the state before it.
    fn check_handlers(
        &mut self,
        body: &VerifiedBody,
        pc: u32,
        state: &TypeState,
        frames: &[StackMapFrame],
    ) -> VerifyResult {
        self.spend(body.caught.len())?;
        for (row, caught) in body.code.exception_table.iter().zip(&body.caught) {
            if (row.start as u32..row.end as u32).contains(&pc) {
                let entered = TypeState {
                    locals: state.locals.clone(),
                    stack: vec![*caught],
                    this_uninit: state.this_uninit,
                };
                if body.code.max_stack == 0 {
                    return Err(bad("Operand stack overflow"));
                }
                self.check_target(row.handler as u32, &entered, frames)?;
            }
        }
        Ok(())
    }

    /// Whether a state is assignable to a frame (JVMS §4.10.1.4, `frameIsAssignable`).
    fn fits(&mut self, state: &TypeState, frame: &StackMapFrame) -> VerifyResult {
        let target = &frame.state;
        self.spend(target.locals.len() + target.stack.len())?;
        let mismatch = || bad(format!("Inconsistent stackmap frames at branch target {}", frame.pc));
        if state.stack.len() != target.stack.len() || (state.this_uninit && !target.this_uninit) {
            return Err(mismatch());
        }
        for (index, expected) in target.locals.iter().enumerate() {
            if *expected != Type::Top && !self.assignable(state.local(index), *expected)? {
                return Err(mismatch());
            }
        }
        for (found, expected) in state.stack.iter().zip(&target.stack) {
            if !self.assignable(*found, *expected)? {
                return Err(mismatch());
            }
        }
        Ok(())
    }
}
