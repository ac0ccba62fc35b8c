//! One instruction on behalf of compiled code, including all its calls.

use super::cursor::{Cursor, Flow, Leave};
use super::stop::Stop;
use crate::code::{CodeSlot, Op};
use crate::exit::Trap;
use crate::machine::Machine;

impl Machine {
    /// Runs the instruction of the innermost frame, and the methods that it calls to their end. `None` if that
    /// is done and the frame is at the next instruction; else the reason why it is not.
    pub(crate) fn step_through(&mut self) -> Option<Stop> {
        let (stack, shadows) = self.stack.slots();
        let depth = self.registers.frames.len();
        let frame = self.current();
        let (code, pc, base) = (frame.code.clone(), frame.pc, frame.base);
        loop {
            let mut cpu = Cursor::<false>::new(self, &code, &stack, &shadows, [pc, base]);
            let place = &code.insns[pc as usize];
            cpu.sp = cpu.base + place.top as usize;
            let flow = cpu.slow_instruction(place);
            let sp = cpu.sp as u32;
            match flow {
                Ok(()) => {
                    let frame = self.current_mut();
                    (frame.pc, frame.sp) = (pc + 1, sp);
                    return None;
                }
                Err(Stop::Reload) => {}
                Err(Stop::Trap(Trap::Restart)) => self.shadows.begin_instruction(),
                Err(stop) => return Some(stop),
            }
            if self.registers.frames.len() > depth {
                self.note_slow_call(self.current().code.method);
            }
            if let Some(stop) = self.run_above(depth) {
                return Some(stop);
            }
            let frame = self.current();
            let is_here = self.registers.frames.len() == depth && frame.base == base && !frame.symbolic;
            match frame.pc {
                at if is_here && at == pc + 1 => return None,
                // A static initialiser has run, or a constant has been created: the instruction is due again.
                at if is_here && at == pc => {}
                _ => return Some(Stop::Reload),
            }
        }
    }

    /// Runs the frames above this depth.
    fn run_above(&mut self, depth: usize) -> Option<Stop> {
        while self.registers.frames.len() > depth {
            let symbolic = self.current().symbolic;
            let leave = if symbolic {
                self.run_loop::<true>(Some(depth))
            } else {
                self.run_loop::<false>(Some(depth))
            };
            match leave {
                Leave::Switch => {}
                Leave::Exit(exit) => return Some(Stop::Exit(exit)),
                Leave::Later(stop) => return Some(stop),
            }
        }
        None
    }
}

impl Cursor<'_, false> {
    /// An instruction that compiled code leaves to the interpreter.
    fn slow_instruction(&mut self, place: &CodeSlot) -> Flow {
        let insn = place.insn();
        match insn.op {
            Op::InvokeStatic => self.invoke_static(place)?,
            Op::InvokeDirect => self.invoke_direct(place)?,
            Op::InvokeVirtual => self.invoke_virtual(place)?,
            Op::InvokeInterface => self.invoke_interface(place)?,
            Op::InvokeDynamic => self.invoke_dynamic(place)?,
            Op::MonitorEnter => self.monitor_enter()?,
            Op::MonitorExit => self.monitor_exit()?,
            Op::MultiANewArray => self.slow(|machine| machine.new_multi_array(insn))?,
            _ => {
                // No other instruction is left to the interpreter this way.
                self.save();
                return Err(Stop::Reload);
            }
        }
        Ok(())
    }
}
