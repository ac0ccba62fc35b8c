//! Triples from the tests that people have written for JUnit, with no new language.
//!
//! A suite is run on the machine, each test on a fork of its own. Each call that a test makes of a class under test is a
//! triple: its arguments and the state of its receiver, as far as they were read, are the precondition; its postcondition
//! are the assertions that the test makes afterwards, up to the next call that changes anything ([`lessons`]). They are
//! evaluated as they stand: the code of the test is gone on with from behind the call ([`made`]), over the program's own
//! objects where the call had its own, and over copies of what else the test has made up ([`graft`]).
//!
//! What a test asserts may depend on more than the call itself read: then it says something of another state only if that
//! fits, too, or if it held before the call. A *predicate*, a method that the suite has itself for the truth of something
//! (`assertTrue(isOrdered(queue))`), is a condition in general: it is expected of calls with other values, too, if control
//! goes as in the test. Of a result it is expected always, of anything else if it held before.

mod graft;
mod lessons;
mod made;
mod recorder;

pub use graft::Graft;

use crate::branch::Branch;
use cupping_contract::CompiledCase;
use cupping_machine::{Exit, Halt, Machine, MethodId, Trap, Value, WatchScope};
use recorder::Recorder;
use std::collections::BTreeSet;

/// A suite whose tests have been found on a machine.
pub struct Suite {
    /// Runs the test of a number, and says 0 if it passes.
    pub run: MethodId,
    /// How many tests there are.
    pub tests: usize,
    /// The suite's own classes.
    pub own: BTreeSet<String>,
    /// The classes under test.
    pub under_test: BTreeSet<String>,
}

/// What a suite says.
#[derive(Default)]
pub struct SuiteTriples {
    /// Its tests, as testcases.
    pub cases: Vec<CompiledCase>,
    /// Classes of their conditions.
    pub classes: Vec<(String, Vec<u8>)>,
    /// What they say to test mode; numbers of testcases are those in `cases`, and more by what was asked for.
    pub branches: Vec<Branch>,
    /// How many tests passed.
    pub passed: usize,
    /// Tests that did not, by number.
    pub failed: Vec<usize>,
    /// Tests that took too long, by number.
    pub unfinished: Vec<usize>,
}

/// Runs the tests of a suite and takes triples from those that pass. The machine records data flow
/// ([`cupping_machine::Limits::record_flows`]) and never collects garbage; it is left as it was. `first` is the number of the
/// first testcase, `fuel` what one test may take, `depth` how deep objects are compared; `begun` is told the number of each test.
pub fn triples_of(
    machine: &mut Machine,
    suite: Suite,
    first: usize,
    fuel: u64,
    depth: usize,
    mut begun: impl FnMut(usize),
) -> SuiteTriples {
    let recorder = Recorder::new(suite.own, suite.under_test);
    let scope = WatchScope { class_path: true, ..WatchScope::default() };
    let start = machine.snapshot();
    let mut lessons = lessons::Lessons::new(first, depth);
    let (mut passed, mut failed, mut unfinished) = (0, Vec::new(), Vec::new());
    for number in 0..suite.tests {
        begun(number);
        machine.restore(&start);
        machine.watch(scope.clone(), Some(Box::new(recorder.clone())));
        machine.set_fuel(fuel);
        let ended = machine.call(suite.run, &[Value::int(i32::try_from(number).unwrap_or(i32::MAX))]);
        machine.watch(WatchScope::default(), None);
        let recording = recorder.take();
        match ended {
            Ok(value) if value.bits as u32 == 0 => {
                passed += 1;
                lessons.learn(machine, &recording);
            }
            Err(Trap::Exit(Exit::Halted(Halt::OutOfFuel))) => unfinished.push(number),
            _ => failed.push(number),
        }
    }
    machine.restore(&start);
    let mut triples = lessons.finish();
    (triples.passed, triples.failed, triples.unfinished) = (passed, failed, unfinished);
    triples
}
