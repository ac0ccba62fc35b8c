//! The tests of a class, for commands whose results are more than tests.

use crate::frame::{ClassConclusion, LedgerEntry};
use crate::process::exit::Status;
use crate::process::internal_errors;
use crate::process::interrupt::interrupted;
use crate::shared::emit::{Emitter, nothing_written};
use cupping_case::Suite;
use cupping_generate::{InternalError, SuiteCoverage};
use cupping_report::junit::JunitClass;
use cupping_report::withheld_tests;
use serde::{Deserialize, Serialize};

/// Tests of a class, to be emitted on the thread that owns the emitter.
pub struct Tests {
    /// The cases.
    pub suite: Suite,
    /// The coverage of each case.
    pub coverage: SuiteCoverage,
    /// Self-checks that failed.
    pub errors: Vec<InternalError>,
}

/// The fate of tests, as JSON reports show it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EmittedTests {
    /// The files, relative to the output folder.
    pub files: Vec<String>,
    /// The names of the tests, with their classes.
    pub tests: Vec<String>,
    /// The tests that did not hold on the JDK.
    pub divergences: Vec<String>,
}

/// Emits the tests of a class, and records the messages about them.
pub fn emit<R>(emitter: &mut Emitter<'_>, tests: Tests, concluded: &mut ClassConclusion<R>) -> EmittedTests {
    let Tests { mut suite, coverage, errors } = tests;
    let internal = internal_errors::record(Some(emitter.folder()), &suite.class, &errors);
    let emitted = emitter.suite(&mut suite, coverage);
    if !internal.is_empty() {
        concluded.status.add(Status::WRONG);
    }
    concluded.internal_errors += internal.len();
    concluded.status.add(emitted.status);
    let divergences: Vec<String> = emitted.divergences.iter().map(ToString::to_string).collect();
    let errors = internal.into_iter().chain(emitted.error);
    concluded.errors.extend(errors.chain(divergences.iter().cloned()));
    let withheld = withheld_tests::of_suite(&suite);
    concluded.text += &withheld_tests::text(&suite.class.replace('/', "."), &withheld);
    emitted.notes.iter().for_each(|note| concluded.text += &format!("note: {note}\n"));
    let named = |class: &JunitClass| {
        let name = class.binary_name();
        class.methods.iter().map(move |it| format!("{name}.{}", it.name)).collect::<Vec<_>>()
    };
    EmittedTests {
        files: emitted.classes.iter().map(JunitClass::path).collect(),
        tests: emitted.classes.iter().flat_map(named).collect(),
        divergences,
    }
}

/// Reports that no test was written although nothing failed; returns the resulting status. `tests` is the number of
/// tests of a row.
pub fn check_written<R>(entries: &[LedgerEntry<R>], tests: impl Fn(&R) -> Option<&EmittedTests>) -> Status {
    let is_written = |it: &LedgerEntry<R>| tests(&it.row).is_some_and(|tests| !tests.files.is_empty());
    let is_sound = |it: &LedgerEntry<R>| it.status == Status::DONE;
    let is_missing = !entries.iter().any(is_written) && entries.iter().all(is_sound) && !interrupted();
    if is_missing { nothing_written() } else { Status::DONE }
}
