//! Verification by type inference (JVMS §4.10.2): data flow to a fixed point.
//!
//! A subroutine is analysed again for each chain of `jsr` that leads to it, its *context*. So locals that it
//! does not touch keep their types, and no separate merging rule is needed. A return address identifies the
//! context that it leaves.

use super::state::TypeState;
use super::types::Type;
use super::{MAX_SLOTS, VerifiedBody, Verifier, VerifyResult, bad};
use cupping_classfile::{Opcode, Operand};
use rustc_hash::FxHashMap;

/// Limit on the contexts of one method; nested `finally` blocks of real programs need a few dozen.
const MAX_CONTEXTS: usize = 4096;

/// A chain of subroutine calls: the innermost call and the chain below it.
struct Context {
    below: u32,
    /// Index of the `jsr`.
    call: usize,
    /// Index of the subroutine's first instruction.
    entry: usize,
}

/// States by context and instruction, and those whose successors are due.
#[derive(Default)]
struct Flow {
    states: FxHashMap<(u32, u32), TypeState>,
    due: Vec<(u32, u32)>,
    slots: usize,
    contexts: Vec<Context>,
    calls: FxHashMap<(u32, usize), u32>,
}

impl Verifier<'_> {
    /// Infers the types of a method; `pc` is left at the instruction that fails.
    pub(super) fn infer(&mut self, body: &VerifiedBody, pc: &mut u32) -> VerifyResult {
        let first = self.first_state(body);
        let mut flow = Flow::default();
        flow.contexts.push(Context { below: 0, call: 0, entry: 0 });
        self.flow_to(&mut flow, 0, 0, &first)?;
        // Straight-line code runs through; only the states at the starts of blocks are kept.
        let starts = block_starts(body);
        while let Some(key) = flow.due.pop() {
            let Some(state) = flow.states.get(&key) else { continue };
            let mut state = state.clone();
            let (context, mut index) = (key.0, key.1 as usize);
            self.spend(state.locals.len())?;
            loop {
                let insn = &body.insns[index];
                *pc = insn.pc;
                self.spend(1 + body.caught.len())?;
                self.flow_to_handlers(body, &mut flow, context, insn.pc, &state)?;
                match insn.opcode {
                    Opcode::Jsr | Opcode::JsrW => {
                        self.call_subroutine(body, &mut flow, context, index, &mut state)?;
                        break;
                    }
                    Opcode::Ret => {
                        self.return_from_subroutine(body, &mut flow, context, insn, &state)?;
                        break;
                    }
                    _ => {}
                }
                self.effect(body, insn, &mut state)?;
                for target in insn.targets() {
                    let Some(target) = body.at(target) else { return Err(bad("Illegal target of jump")) };
                    self.flow_to(&mut flow, context, target, &state)?;
                }
                if insn.opcode.ends_path() {
                    break;
                }
                index += 1;
                if index == body.insns.len() {
                    return Err(bad("Falling off the end of the code"));
                }
                if starts[index] {
                    self.flow_to(&mut flow, context, index, &state)?;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Merges a state into the one before an instruction.
    fn flow_to(&mut self, flow: &mut Flow, context: u32, index: usize, state: &TypeState) -> VerifyResult {
        self.spend(state.locals.len() + state.stack.len())?;
        let key = (context, index as u32);
        match flow.states.get_mut(&key) {
            Some(known) => match known.merge(state, &mut self.types) {
                None => return Err(bad("Inconsistent stack height")),
                Some(false) => return Ok(()),
                Some(true) => {}
            },
            None => {
                flow.slots += state.locals.len() + state.stack.len();
                if flow.slots > MAX_SLOTS {
                    return Err(bad("the method is too complex to be verified"));
                }
                flow.states.insert(key, state.clone());
            }
        }
        if flow.due.last() != Some(&key) {
            flow.due.push(key);
        }
        Ok(())
    }

    fn flow_to_handlers(
        &mut self,
        body: &VerifiedBody,
        flow: &mut Flow,
        context: u32,
        pc: u32,
        state: &TypeState,
    ) -> VerifyResult {
        for (row, caught) in body.code.exception_table.iter().zip(&body.caught) {
            if (row.start as u32..row.end as u32).contains(&pc) {
                if body.code.max_stack == 0 {
                    return Err(bad("Operand stack overflow"));
                }
                let Some(handler) = body.at(row.handler as u32) else {
                    return Err(bad("Illegal exception table handler"));
                };
                let entered = TypeState {
                    locals: state.locals.clone(),
                    stack: vec![*caught],
                    this_uninit: state.this_uninit,
                };
                self.flow_to(flow, context, handler, &entered)?;
            }
        }
        Ok(())
    }

    fn call_subroutine(
        &mut self,
        body: &VerifiedBody,
        flow: &mut Flow,
        context: u32,
        call: usize,
        state: &mut TypeState,
    ) -> VerifyResult {
        let Operand::Branch(target) = body.insns[call].operand else { return Err(bad("Bad operand")) };
        let Some(entry) = body.at(target) else { return Err(bad("Illegal target of jump")) };
        if self.file.major_version >= 51 {
            return Err(bad("Bad instruction: a8"));
        }
        let mut at = context;
        while at != 0 {
            let open = &flow.contexts[at as usize];
            if open.entry == entry {
                return Err(bad("Recursive call to jsr entry"));
            }
            at = open.below;
        }
        let inner = match flow.calls.get(&(context, call)) {
            Some(known) => *known,
            None if flow.contexts.len() == MAX_CONTEXTS => {
                return Err(bad("the method is too complex to be verified"));
            }
            None => {
                let inner = flow.contexts.len() as u32;
                flow.contexts.push(Context { below: context, call, entry });
                flow.calls.insert((context, call), inner);
                inner
            }
        };
        state.push(Type::Address(inner));
        if state.stack.len() > body.code.max_stack as usize {
            return Err(bad("Operand stack overflow"));
        }
        self.flow_to(flow, inner, entry, state)
    }

    fn return_from_subroutine(
        &mut self,
        body: &VerifiedBody,
        flow: &mut Flow,
        context: u32,
        insn: &cupping_classfile::Instruction,
        state: &TypeState,
    ) -> VerifyResult {
        let index = super::effect::local(insn);
        super::effect::in_locals(body, index, false)?;
        let Type::Address(left) = state.local(index as usize) else {
            return Err(bad("Bad local variable type"));
        };
        let mut at = context;
        while at != left {
            if at == 0 {
                return Err(bad("Returning from a subroutine that was left"));
            }
            at = flow.contexts[at as usize].below;
        }
        let (call, below) = (flow.contexts[left as usize].call, flow.contexts[left as usize].below);
        if call + 1 == body.insns.len() {
            return Err(bad("Falling off the end of the code"));
        }
        self.flow_to(flow, below, call + 1, state)
    }
}

/// Whether the state at an instruction is kept: it can be reached other than from its predecessor.
fn block_starts(body: &VerifiedBody) -> Vec<bool> {
    let mut starts = vec![false; body.insns.len()];
    for insn in &body.insns {
        for target in insn.targets() {
            if let Some(index) = body.at(target) {
                starts[index] = true;
            }
        }
    }
    for (index, insn) in body.insns.iter().enumerate() {
        if matches!(insn.opcode, Opcode::Jsr | Opcode::JsrW) && index + 1 < starts.len() {
            starts[index + 1] = true;
        }
    }
    for row in &body.code.exception_table {
        if let Some(index) = body.at(row.handler as u32) {
            starts[index] = true;
        }
    }
    starts
}
