//! Several programs in one machine, each with a class space: names, and everything that is defined or recorded
//! under them.
//!
//! All programs share the JDK, so its classes, strings and objects are the same whichever program runs. The
//! current program is not part of the state: whoever restores a snapshot states the program in which it was
//! taken. A class belongs to the program that loaded it, and its code runs only while that program is current.

use super::space::{ProgramParts, SpaceId};
use crate::machine::Machine;
use cupping_classfile::Program;
use std::sync::Arc;

impl Machine {
    /// Adds a program, which runs on the JDK of the machine. If it is added before any other program has run,
    /// it shares only the JDK with the others.
    pub fn add_program(&mut self, program: Arc<Program>) -> SpaceId {
        self.spaces.add(program, &self.dynamic)
    }

    /// The program that is current.
    pub fn space(&self) -> SpaceId {
        self.spaces.current()
    }

    /// Makes a program current.
    pub fn enter_space(&mut self, space: SpaceId) {
        let place = ProgramParts {
            program: &mut self.program,
            names: &mut self.classes.names,
            tables: &mut self.dynamic,
            plans: &mut self.plans,
        };
        self.spaces.enter(space, place);
    }
}
