//! A booted machine that generates tests for one class after the other.

use crate::options::Options;
use cupping_case::Suite;
use cupping_classfile::Program;
use cupping_machine::Machine;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Why nothing was generated for a class.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// The class library of the JDK did not start on the machine.
    #[error(transparent)]
    Boot(#[from] cupping_machine::BootError),
    /// The class or one that it needs is missing or damaged; the text names file, place and remedy.
    #[error("{0}")]
    Class(String),
}

/// A self-check that failed (thesis §5.9): a bug of Cupping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InternalError {
    /// What was expected and what happened.
    pub message: String,
    /// A query for `cupping solve` or a sequence that reproduces it.
    pub reproduction: String,
}

/// How far a class has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Paths run so far.
    pub paths: u64,
    /// Tests that would be kept now.
    pub tests: usize,
    /// Branches covered.
    pub branches: u32,
    /// Branches of the class.
    pub all_branches: u32,
}

/// Counters of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Paths run to their end.
    pub paths: u64,
    /// Paths found infeasible.
    pub infeasible: u64,
    /// Paths on which the solver gave up.
    pub time_outs: u64,
    /// Sequences tried.
    pub sequences: u64,
    /// Distinct states of objects.
    pub states: u64,
    /// Counters of the solver chain, by layer and outcome, ready to print (`--stats`).
    pub solver: cupping_solve::Stats,
    /// Natives that were called and that the machine lacks.
    pub missing_natives: BTreeSet<String>,
}

/// What was found for a class.
#[derive(Debug)]
pub struct ClassOutcome {
    /// The tests, chosen and named by position, not yet certified.
    pub suite: Suite,
    /// Self-checks that failed.
    pub internal_errors: Vec<InternalError>,
    /// Counters.
    pub statistics: Statistics,
    /// Wall-clock time.
    pub elapsed: Duration,
}

/// A booted machine with a solver, for one thread.
pub struct Session {
    #[expect(dead_code)]
    machine: Machine,
}

impl Session {
    /// Boots a machine on the program's JDK.
    ///
    /// # Errors
    /// [`GenerateError::Boot`].
    pub fn new(program: Arc<Program>) -> Result<Session, GenerateError> {
        Ok(Session { machine: Machine::boot(program, cupping_machine::Limits::default())? })
    }

    /// Generates tests for the class of this internal name. `progress` is called every now and then and
    /// returns whether to go on.
    ///
    /// # Errors
    /// [`GenerateError::Class`].
    pub fn generate(
        &mut self,
        class: &str,
        options: &Options,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<ClassOutcome, GenerateError> {
        let _ = (options, progress);
        Err(GenerateError::Class(format!("{class}: not yet")))
    }
}
