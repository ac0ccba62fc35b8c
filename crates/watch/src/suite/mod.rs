//! Triples from existing JUnit tests, without a new language.
//!
//! The suite runs on the machine, each test on a fork. Each call of a class under test becomes a triple. Its
//! precondition is what the call read of the arguments and of the receiver's state; its postcondition is the
//! assertions that the test makes afterwards, up to the next call that writes ([`triple_builder`]). The assertions
//! run as they are written: a generated method continues the test's code after the call ([`continuation`]), on the
//! program's objects where the call had its own, and on copies of the test's other objects ([`crate::ObjectCopy`]).
//!
//! An assertion may depend on more than the call read. It then applies to another state only if that state
//! fits too, or if the assertion held before the call. A *predicate*, a boolean method of the suite itself
//! (`assertTrue(isOrdered(queue))`), is a general condition: it is expected of other values too, if control
//! takes the same path as in the test. A predicate on the result is always expected; any other only if it
//! held before the call.

mod assertions;
mod captures;
mod code;
mod continuation;
mod earlier;
mod earlier_code;
mod known_objects;
mod origin;
mod recorder;
mod slots;
mod start_state;
mod triple;
mod triple_builder;
mod triples;

use cupping_contract::Method;
use cupping_machine::{Exit, Halt, Machine, MethodId, Trap, Value, WatchScope};
pub use earlier::EarlierVersion;
pub use earlier_code::EarlierCode;
use recorder::Recorder;
use start_state::Start;
use std::collections::BTreeSet;
pub use triples::SuiteTriples;

/// What [`Suite::run`] returns for a test that is disabled, or aborts because an assumption does not hold.
const NOTHING_RAN: u32 = 2;

/// A suite whose tests have been found on a machine.
pub struct Suite {
    /// The method that runs the test with a given number and returns 0 if it passes, and 2 if nothing ran.
    pub run: MethodId,
    /// Number of tests.
    pub tests: usize,
    /// The suite's own classes.
    pub own: BTreeSet<String>,
    /// The classes under test.
    pub under_test: BTreeSet<String>,
    /// Methods whose code is not that of the program to be watched: the suite runs with an earlier version.
    pub replaced: BTreeSet<Method>,
}

/// Runs the tests of a suite and builds triples from those that pass. The machine must record data flow
/// ([`cupping_machine::RunLimits::record_flows`]) and must not collect garbage; it is restored afterwards.
/// `place` distinguishes the suite from others of the same program, `fuel` limits one test, `depth` limits the
/// comparison of objects. `begun` is called with the number of each test.
pub fn triples_of(
    machine: &mut Machine,
    suite: Suite,
    place: usize,
    fuel: u64,
    depth: usize,
    mut begun: impl FnMut(usize),
) -> SuiteTriples {
    let recorder = Recorder::new(suite.own, suite.under_test);
    let scope = WatchScope { class_path: true, natives: true, ..WatchScope::default() };
    let first_start = machine.snapshot();
    let mut start = Start::new(machine);
    let mut builder = triple_builder::TripleBuilder::new(place, depth, &suite.replaced);
    let (mut passed, mut disabled, mut failed, mut unfinished) = (0, 0, Vec::new(), Vec::new());
    for number in 0..suite.tests {
        begun(number);
        let (ended, recording) = loop {
            machine.restore(&start.state);
            machine.watch(scope.clone(), Some(Box::new(recorder.clone())));
            machine.set_fuel(fuel);
            let test = Value::int(i32::try_from(number).unwrap_or(i32::MAX));
            let ended = machine.call(suite.run, &[test]);
            machine.watch(WatchScope::default(), None);
            let recording = recorder.take();
            let has_passed = matches!(ended, Ok(value) if value.bits as u32 == 0);
            let used = machine.memory_version();
            if !(has_passed && start.grow(machine, |class| recording.is_of_suite_or_program(class))) {
                machine.restore_memory(&used);
                break (ended, recording);
            }
        };
        match ended {
            Ok(value) if value.bits as u32 == 0 => {
                passed += 1;
                builder.learn(machine, &recording, &start.memory, start.top);
            }
            Ok(value) if value.bits as u32 == NOTHING_RAN => disabled += 1,
            Err(Trap::Exit(Exit::Halted(Halt::OutOfFuel))) => {
                // What it asserted until then holds.
                let mut recording = recording;
                recording.is_unfinished = true;
                builder.learn(machine, &recording, &start.memory, start.top);
                unfinished.push(number);
            }
            _ => failed.push((number, recording.last_calls(machine))),
        }
    }
    machine.restore(&first_start);
    let mut triples = builder.finish();
    triples.disabled = disabled;
    (triples.passed, triples.failed, triples.unfinished) = (passed, failed, unfinished);
    triples
}
