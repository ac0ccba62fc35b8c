//! Several programs in one machine, each with a class space: names, and what is made or recorded under them.
//!
//! The JDK is in all of them, so its classes, strings and objects are the same whichever program runs. Which program is
//! current is not part of the state: who goes back to a snapshot says in which program it was taken. A class belongs to
//! the program that loaded it, and its code runs only while that is current.

use super::space::{ProgramParts, SpaceId};
use crate::machine::Machine;
use cupping_classfile::Program;
use std::sync::Arc;

impl Machine {
    /// Adds a program, which runs on the JDK of the machine. Added before any other program has run, it shares nothing
    /// with the others but the JDK.
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
