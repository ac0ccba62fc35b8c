//! Scratch runs: code that answers a question runs on a temporary fork.
//!
//! Such a fork ends before the call that made it returns, and nothing returns to it later. So it is not a
//! version of the memory but a mark in its log, and leaves nothing behind.

use crate::classes::MethodId;
use crate::exit::{Exit, Halt, Step, Trap};
use crate::machine::Machine;
use crate::state::Value;
use crate::watching::CallEnd;
use cupping_classfile::{ClassFile, Origin};
use std::sync::Arc;

impl Machine {
    /// Works on a fork of the present state and discards it: memory, output, clock and everything else that the
    /// run can see are as before. Meanwhile other threads do not run, no garbage is collected, and no calls are
    /// reported. `fuel` is the number of calls and backward jumps allowed.
    pub fn aside<T>(&mut self, fuel: u64, work: impl FnOnce(&mut Machine) -> T) -> T {
        let observer = self.listener.take();
        let frames = std::mem::take(&mut self.registers.frames);
        let mut kept = self.registers.clone();
        let depth = frames.len();
        self.registers.frames = frames;
        let (decision_index, raising_native) = (self.shadows.decisions(), self.natives.raising());
        let thread = self.registers.thread;
        self.registers.cold.stopped = Default::default();
        self.registers.collect_at = u64::MAX;
        self.registers.fuel = fuel;
        self.registers.fuel_beyond = 0;
        self.registers.fuel_given = fuel;
        self.registers.turn_ends = 0;
        let mark = self.memory.mark();
        let was_muted = self.environment.console.mute(true);
        let was_open = self.classes.guests.set_open(true);

        let result = work(self);

        self.environment.console.mute(was_muted);
        self.classes.guests.set_open(was_open);
        self.memory.go_back(mark);
        // A thread that had to wait was stopped together with its frames.
        if self.registers.frames.len() < depth {
            let waiting = self.registers.cold.stopped.iter().find(|it| it.thread == thread).cloned();
            if let Some(waiting) = waiting {
                self.stack.restore(&waiting.stack);
                self.registers.frames = waiting.frames;
            }
        }
        kept.frames = std::mem::take(&mut self.registers.frames);
        kept.frames.truncate(depth);
        self.registers = kept;
        self.shadows.set_decisions(decision_index);
        self.natives.set_raising(raising_native);
        self.listener.put_back(observer);
        result
    }

    /// Runs a method to its end, to answer a question of an observer. A halt is an error, an exception is a
    /// result.
    ///
    /// # Errors
    ///
    /// Why it stopped, if it neither returned nor threw.
    pub fn ask(&mut self, method: MethodId, arguments: &[Value]) -> Result<CallEnd, Halt> {
        match self.call(method, arguments) {
            Ok(value) => Ok(CallEnd::Returned(value)),
            Err(Trap::Throw(exception)) => Ok(CallEnd::Threw(exception)),
            Err(Trap::Exit(Exit::Halted(halt))) => Err(halt),
            Err(trap) => Err(Halt::Unsupported(self.describe_trap(&trap))),
        }
    }

    /// Defines a class that is trusted like the JDK's classes: its accesses are not checked, so that conditions
    /// can read private members. Only for conditions about a program, never for its own classes.
    ///
    /// # Errors
    ///
    /// As [`Machine::define_bytes`].
    pub fn define_privileged(&mut self, bytes: &[u8]) -> Step<crate::ClassId> {
        let origin = Origin::Jdk { module: Arc::from("cupping") };
        let file = ClassFile::parse(Arc::from(bytes), "a condition", origin)
            .map_err(|e| crate::classes::errors::file_error("a condition", &e))?;
        if let Some(known) = self.classes.names.get(&file.name) {
            return Ok(known);
        }
        self.classes.names.forget_unloadable(&file.name);
        self.load_file(Arc::new(file))
    }
}
