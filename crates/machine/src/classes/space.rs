//! Class spaces: the state of one of several programs of a machine.

use super::names::{Names, ProgramNames};
use crate::dynamic::Tables;
use crate::recording::plans::Plans;
use cupping_classfile::Program;
use std::sync::Arc;

/// A program of a machine. The default is the one with which it was booted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SpaceId(u32);

/// The class spaces of all programs. The parts of the current one are in the machine itself.
#[derive(Default)]
pub(crate) struct Spaces {
    current: SpaceId,
    /// Parts by number; the entry of the current one is unused.
    all: Vec<Space>,
}

/// The parts of a machine that belong to a program.
struct Space {
    program: Arc<Program>,
    names: ProgramNames,
    tables: Tables,
    plans: Plans,
}

/// The parts of the current program.
pub(super) struct ProgramParts<'a> {
    pub(super) program: &'a mut Arc<Program>,
    pub(super) names: &'a mut Names,
    pub(super) tables: &'a mut Tables,
    pub(super) plans: &'a mut Plans,
}

impl Spaces {
    /// The program that is current.
    pub(super) fn current(&self) -> SpaceId {
        self.current
    }

    /// Adds a program. Code generated so far for dynamic calls of the JDK is shared.
    pub(super) fn add(&mut self, program: Arc<Program>, tables: &Tables) -> SpaceId {
        let space = || Space {
            program: Arc::clone(&program),
            names: ProgramNames::default(),
            tables: tables.clone(),
            plans: Plans::default(),
        };
        if self.all.is_empty() {
            // The entry for the parts of the first program, filled when it is left.
            self.all.push(space());
        }
        self.all.push(space());
        SpaceId(self.all.len() as u32 - 1)
    }

    /// Exchanges the parts of the current program with those of another one.
    pub(super) fn enter(&mut self, space: SpaceId, place: ProgramParts<'_>) {
        if self.current == space {
            return;
        }
        // First, the parts of the current program return to their place.
        for id in [self.current, space] {
            let other = &mut self.all[id.0 as usize];
            std::mem::swap(place.program, &mut other.program);
            place.names.exchange(&mut other.names);
            std::mem::swap(place.tables, &mut other.tables);
            std::mem::swap(place.plans, &mut other.plans);
        }
        self.current = space;
    }
}
