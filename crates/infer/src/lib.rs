//! Likely specifications of a class, and tests that try to break them (Xie & Notkin, *Mutually enhancing test
//! generation and specification inference*).
//!
//! 1. **Traces**: a [`Recorder`] observes tests of the user or of `generate`; the [`Explorer`] makes all calls on all
//!    states
//!    up to a bound.
//! 2. **Axiomatic loop**: `templates` propose formulas that hold of all samples of a program point. Formulas that are
//!    likely
//!    to hold by chance, or that follow from others, are dropped.
//! 3. **Refutation**: explored calls that violate what tests suggested are selected, classified and added to the tests,
//!    until there are none.
//! 4. **Algebraic loop**: calls are composed where states meet; [`axioms`] are templates over compositions.
//!
//! Invariants:
//!
//! - A specification holds of every execution that was seen, and the output names what was explored.
//! - Nothing depends on time: bounds count states, calls and work.
//! - Each kind of formula is a file in `formula` and a row of its table, each template a file in `templates`
//!   and a row.

mod argument_type;
mod assignment;
mod atoms;
pub mod axioms;
mod bystanders;
mod capture;
mod cases;
mod claims;
mod code_constants;
mod confidence;
mod conformance;
mod entailment;
mod exceptions;
mod explore;
mod few_values;
pub mod formula;
mod framing;
mod implementation;
mod implications;
mod indices;
mod inference;
mod java_literals;
mod json;
mod last_challenge;
mod object_equality;
mod outcome;
pub mod output;
mod pool;
mod program_point;
mod proposals;
mod random;
mod recorder;
mod refutation;
mod relevance;
mod replay;
mod rounds;
mod runner;
mod sequence;
mod sort;
mod specification;
mod specification_file;
mod subject;
mod symbolic_state;
mod table;
pub mod templates;
mod term;
#[cfg(test)]
mod testing;
mod trace;
mod tree;
mod typing;
mod value;
mod variables;

pub use cases::{case, suite};
pub use confidence::MIN_CONFIDENCE;
pub use conformance::Violation;
pub use explore::{Exploration, Explorer, ExplorerLimits, ReachedState, SolverReport};
pub use formula::{Comparison, Formula, FormulaKind};
pub use implementation::Implementation;
pub use inference::{infer, infer_relevant};
pub use outcome::{Classification, Evidence, InferenceOutcome, Round, SelectedTest};
pub use program_point::ProgramPoint;
pub use recorder::{Recorder, Recording};
pub use rounds::{InferOptions, infer_class};
pub use sequence::{Arg, CallSequence, Construction, Invocation};
pub use specification::{Clause, Specification, ThrowsClause};
pub use specification_file::{ReadError, RecordedSpecification};
pub use subject::{Observer, Subject};

pub use term::{Phase, Term};
pub use trace::{CallOutcome, Execution, ExecutionOrigin};
pub use value::{Image, Moment, Object, Value};

use cupping_case::Case;
use cupping_machine::{Machine, WatchScope};
use std::rc::Rc;

/// Runs cases on the machine, each from its present state, and records them. The state of the machine is restored.
pub fn listen(machine: &mut Machine, subject: &Rc<Subject>, cases: &[&Case]) -> Recording {
    let base = machine.snapshot();
    let recorder = Recorder::install(machine, subject);
    for case in cases {
        machine.restore(&base);
        recorder.forget();
        // A case that cannot be replayed contributes nothing.
        let _ = replay::replay(machine, case);
    }
    machine.watch(WatchScope::default(), None);
    machine.restore(&base);
    recorder.take()
}
