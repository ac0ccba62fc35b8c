//! Looking aside: what only code can tell is run on a fork that is thrown away.
//!
//! A fork of this kind lives shorter than the call that asks for it and is never gone back to, so it is no
//! version of the memory but a mark in its log: nothing remains of it, however often that is done.

use crate::classes::MethodId;
use crate::exit::{Exit, Halt, Step, Trap};
use crate::machine::Machine;
use crate::state::Value;
use crate::watching::Left;
use cupping_classfile::{ClassFile, Origin};
use std::sync::Arc;

impl Machine {
    /// Does something on a fork of this moment that is thrown away: memory, output, clock, and all else that
    /// the run can see are afterwards what they were. Other threads stand still, nothing is collected, and
    /// nobody is told of calls; `fuel` is how many calls and backward jumps there may be.
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
        // A thread that had to wait was put aside with its frames.
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

    /// Runs a method to its end and tells a halt from an exception: for what observers ask.
    ///
    /// # Errors
    /// Why it stopped, where it neither returned nor threw.
    pub fn ask(&mut self, method: MethodId, arguments: &[Value]) -> Result<Left, Halt> {
        match self.call(method, arguments) {
            Ok(value) => Ok(Left::Returned(value)),
            Err(Trap::Throw(exception)) => Ok(Left::Threw(exception)),
            Err(Trap::Exit(Exit::Halted(halt))) => Err(halt),
            Err(trap) => Err(Halt::Unsupported(self.describe_trap(&trap))),
        }
    }

    /// Makes a class that is trusted as those of the JDK are: its accesses are not checked, so that what it asks may be
    /// private. For conditions over a program, never for the program.
    ///
    /// # Errors
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
