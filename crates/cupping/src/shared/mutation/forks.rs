//! Mutants of one instruction, judged on forks of a run of the original.
//!
//! The run pauses each time before the instruction. A mutant with the same effect on the frame as the original waits
//! for the next time, since the states are equal. A mutant with a different or unknown effect gets a fork: the
//! running invocations of the method continue in the mutant's body, and the test runs to its end.

use super::faults::Faults;
use cupping_classfile::Code;
use cupping_machine::{Exit, Machine};
use cupping_mutate::effect::{Evaluator, Parts};
use cupping_mutate::rewrite;
use std::collections::BTreeMap;

/// Steps that a fork costs beside those of its run.
pub const STEPS_OF_FORK: u64 = 200;
/// Number of times that the operands of an instruction are compared in one run; then all its mutants are forked.
const MOST_ARRIVALS: usize = 500;

/// The outcome of a test for a mutant.
pub struct ForkOutcome {
    /// Whether it fails; `None` if the mutant could not be created.
    pub is_killed: Option<bool>,
    /// The steps of the run.
    pub steps: u64,
}

/// Whether a run of the runner's method ended as it does when the test passes.
pub fn has_passed(exit: &Exit) -> bool {
    matches!(exit, Exit::Returned(value) if value.bits as u32 == 0)
}

/// The mutants of one instruction that wait for a difference.
pub struct Fork<'a> {
    faults: &'a Faults,
    code: Option<&'a Code>,
    evaluator: Option<Evaluator<'a>>,
    /// The mutants that wait.
    pub mutants: Vec<usize>,
    /// Changed parts by mutant.
    parts: BTreeMap<usize, Option<Parts>>,
    arrivals: usize,
}

impl<'a> Fork<'a> {
    /// For the mutants of an instruction, none of which waits yet.
    pub fn new(faults: &'a Faults, place: usize) -> Fork<'a> {
        let place = &faults.places[place];
        let file = &faults.files[place.class];
        let code = file.code(&file.methods[place.method]).ok().flatten().map(|code| &**code);
        let evaluator = code.and_then(|code| Evaluator::new(file, code, place.pc));
        Fork { faults, code, evaluator, mutants: Vec::new(), parts: BTreeMap::new(), arrivals: 0 }
    }

    /// The run of the original is before the instruction: returns the outcomes of the mutants that wait no longer.
    /// Without an outcome the test has to be run with them from its beginning. `current` is the mutant being run.
    pub fn arrive(
        &mut self,
        machine: &mut Machine,
        current: &mut Option<usize>,
    ) -> Vec<(usize, Option<ForkOutcome>)> {
        self.arrivals += 1;
        let due = if self.arrivals > MOST_ARRIVALS {
            std::mem::take(&mut self.mutants)
        } else {
            self.different(machine)
        };
        if due.is_empty() {
            return Vec::new();
        }
        let state = machine.snapshot();
        let mut outcomes = Vec::new();
        for mutant in due {
            *current = Some(mutant);
            outcomes.push((mutant, self.run(machine, mutant)));
            machine.restore(&state);
        }
        *current = None;
        outcomes
    }

    /// Removes the mutants that make, or may make, a difference to this state.
    fn different(&mut self, machine: &Machine) -> Vec<usize> {
        let Some(evaluator) = &self.evaluator else { return std::mem::take(&mut self.mutants) };
        let stack = machine.operands();
        let original = evaluator.original(&stack);
        let (faults, parts) = (self.faults, &mut self.parts);
        let mut is_different = |mutant: usize| {
            let change = &faults.mutants[mutant].1.replacement.change;
            let parts = parts.entry(mutant).or_insert_with(|| evaluator.parts(change));
            let changed = parts.as_ref().and_then(|parts| evaluator.changed(parts, &stack));
            changed.is_none_or(|changed| changed != original)
        };
        let (different, same) = self.mutants.iter().partition(|mutant| is_different(**mutant));
        self.mutants = same;
        different
    }

    /// Runs the test to its end with a mutant, from the state before the instruction. The machine is left in the
    /// final state, but with the original body.
    fn run(&self, machine: &mut Machine, mutant: usize) -> Option<ForkOutcome> {
        let Some((method, body)) = self.faults.body(machine, mutant) else {
            return Some(ForkOutcome { is_killed: None, steps: 0 });
        };
        let change = &self.faults.mutants[mutant].1;
        let addresses = rewrite::addresses(self.code?, change.pc, &change.replacement.change)?;
        if machine.is_in_waiting_thread(method) {
            return None;
        }
        let fuel = machine.fuel();
        machine.replace_code(method, Some(body));
        let is_moved = matches!(machine.move_frames(method, &addresses), Ok(true));
        let ended = is_moved.then(|| {
            machine.set_pausing(false);
            let ended = machine.run();
            machine.set_pausing(true);
            ended
        });
        machine.replace_code(method, None);
        let steps = fuel.saturating_sub(machine.fuel()) + STEPS_OF_FORK;
        Some(ForkOutcome { is_killed: Some(!has_passed(&ended?)), steps })
    }
}
