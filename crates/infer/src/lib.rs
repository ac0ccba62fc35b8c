//! Likely specifications of a class, and tests made to break them (Xie & Notkin, *Mutually enhancing test generation and
//! specification inference*).
//!
//! 1. **Traces**: a [`Recorder`] listens to tests, the user's or those of `generate`; an exploration makes all calls on all
//!    states up to a bound.
//! 2. **Axiomatic**: `templates` propose what holds of all samples of a program point; what would hold by chance, or
//!    follows from the rest, is left out.
//! 3. **Against**: explored calls that violate what tests suggested are selected, classified, and added to the tests, until
//!    none does.
//! 4. **Algebraic**: calls are composed where states meet, and held against templates of [`axioms`].
//!
//! - What is said at the end holds of every execution that was seen. What was explored is named with it.
//! - Nothing depends on time: bounds count states, calls and work.

mod atoms;
pub mod axioms;
mod capture;
mod cases;
mod claims;
mod entailment;
mod exceptions;
mod explore;
mod formula;
mod implications;
mod indices;
mod inference;
mod object_equality;
pub mod output;
mod pool;
mod recorder;
mod relevance;
mod replay;
mod rounds;
mod runner;
mod sequence;
mod specification_file;
mod subject;
mod symbolic_state;
mod table;
pub mod templates;
mod term;
mod trace;
mod tree;
mod typing;
mod value;
mod variables;

pub use cases::{case, suite};
pub use exceptions::ThrowsClause;
pub use explore::{Bounds, Exploration, Explorer, ReachedState, SolverReport};
pub use formula::{Comparison, Formula, Shape};
pub use inference::{Clause, Specification, infer};
pub use recorder::{Recorder, Recording};
pub use rounds::{Evidence, Kind, Options, Outcome, Round, SelectedTest, infer_class};
pub use sequence::{Arg, Construction, Invocation, Test};
pub use specification_file::{RecordedSpecification, Violation};
pub use subject::{Observer, Subject};
pub use table::ProgramPoint;
pub use term::{Phase, Term};
pub use trace::{Ending, Execution, Origin};
pub use value::{Image, Moment, Object, Value};

use cupping_case::Case;
use cupping_machine::{Machine, WatchScope};
use std::rc::Rc;

/// Runs cases from where the machine is, each by itself, and listens. The machine is left where it was.
pub fn listen(machine: &mut Machine, subject: &Rc<Subject>, cases: &[&Case]) -> Recording {
    let base = machine.snapshot();
    let recorder = Recorder::install(machine, subject);
    for case in cases {
        machine.restore(&base);
        recorder.forget();
        // A case that cannot be run again shows nothing.
        let _ = replay::replay(machine, case);
    }
    machine.watch(WatchScope::default(), None);
    machine.restore(&base);
    recorder.take()
}
