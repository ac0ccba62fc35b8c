//! Test generation: invocation sequences, their exploration, and the selection of tests.
//!
//! A [`Session`] takes one class from its methods to its tests: `search` extends states of objects by
//! invocations and collects candidates, `choose` selects few of them, `realize` runs these with concrete
//! inputs and converts them to cases, and `observe` adds assertions.

mod access;
mod anonymous_classes;
mod arguments;
mod builder;
mod candidate;
mod canonical;
mod case_coverage;
mod case_writer;
mod cause;
mod clock;
mod collaborators;
mod companions;
mod comparison;
mod continuation;
mod contracts;
mod corpus;
mod counterfactual;
mod criteria;
mod driver;
mod environment;
mod exceptions;
mod explain;
mod explain_method;
mod foreign_methods;
mod generics;
mod guidance;
mod implementation;
pub mod influence;
mod initialisation;
mod input;
mod invokable;
mod known_continuations;
mod known_inputs;
mod library_caches;
mod long_calls;
mod mutation;
mod names;
mod neighbourhood;
mod observe;
mod options;
mod outcome;
mod parameter;
mod path_inputs;
mod plan;
mod pool;
mod preparation;
mod provisions;
mod random;
mod realization;
mod redundancy;
mod representative;
mod search;
mod seed;
mod selection;
mod sequences;
mod session;
mod setup;
mod slots;
mod source_conditions;
mod splice;
mod statics;
mod stub;
mod subclass_bindings;
mod subsumption;
mod suite_coverage;
#[cfg(test)]
mod testing;
mod trial;
mod turn;
mod uncovered_method;
mod versions;
mod view;
mod work;
mod workbench;
mod written_suite;

pub use access::AccessLevel;
pub use builder::Builder;
pub use candidate::Candidate;
pub use canonical::{Canonical, canonical};
pub use comparison::{
    ChangedMethod, ComparisonOutcome, ComparisonVerdict, Difference, SameBound, SequenceBound,
};
pub use continuation::{Continuation, Continuations, Effort, SequenceState};
pub use criteria::Criteria;
pub use generics::descriptor as erased_descriptor;
pub use guidance::Guidance;
pub use input::{Input, boxed_kind, java_type, make_symbolic};
pub use invokable::{Invokable, Parameter, Subject};
pub use options::{GenerateOptions, HeapRepresentation, NO_CLOCK};
pub use outcome::{ClassOutcome, GenerateError, InternalError, Phases, Progress, Statistics};
pub use provisions::{TypicalArgument, TypicalValue, plain_stub, typical_values};
pub use sequences::Filter;
pub use session::{ReplayDifference, Session};
pub use setup::{Prelude, is_of_objects, prelude};
pub use splice::{CallPart, SpliceState};
pub use stub::Stub;
pub use subsumption::Subsumption;
pub use suite_coverage::SuiteCoverage;
pub use uncovered_method::{Cause, UncoveredMethod};
pub use versions::{Contrast, VersionEnd};
pub use workbench::{Hint, Interest, PlannedCall, Workbench};
pub use written_suite::{Purpose, WrittenSuite};
