//! Adopting a model: every slot with a shadow gets the value of its term.

use crate::machine::Machine;
use crate::state::HeapShadow;
use crate::symbols::term_of;
use cupping_term::{Evaluator, Model};

impl Machine {
    /// Sets every slot that has a shadow to the value of its term under `model`.
    pub fn adopt_model(&mut self, model: &Model) {
        let mut evaluator = Evaluator::new();
        let heap: Vec<(u64, HeapShadow)> =
            self.registers.heap_shadows.iter().map(|(b, s)| (*b, *s)).collect();
        for (byte, HeapShadow { shadow, size }) in heap {
            let Some(term) = term_of(shadow) else { continue };
            let bits = evaluator.eval(&self.terms, model, term);
            self.memory.write_bytes(byte, size.into(), bits);
        }
        if self.registers.cold.disk.may_have_shadows() {
            for (inode, at, shadow) in self.registers.cold.disk.shadows() {
                if let Some(term) = term_of(shadow) {
                    let bits = evaluator.eval(&self.terms, model, term);
                    self.registers.cold.disk.set_value(inode, at, bits as u8);
                }
            }
        }
        let mut end = self.stack_top() as u32;
        for index in (0..self.registers.frames.len()).rev() {
            let frame = &self.registers.frames[index];
            let (base, symbolic) = (frame.base, frame.symbolic);
            let locals = base + frame.code.max_locals as u32;
            let used = frame.sp.max(locals).min(end);
            if symbolic {
                for slot in base..used {
                    if let Some(term) = term_of(self.stack.shadow(slot)) {
                        self.stack.set(slot, evaluator.eval(&self.terms, model, term));
                    }
                }
            }
            end = base;
        }
        let result = self.registers.result;
        if let Some(term) = term_of(result.shadow) {
            self.registers.result.bits = evaluator.eval(&self.terms, model, term);
        }
    }
}
