//! Test cases: sequences of invocations with their arguments and observations.
//!
//! Every subsystem that finds tests produces `Case`s, and `report` prints them as JUnit tests. The crate also
//! defines the shared vocabulary of Java types, values and methods. It knows nothing about the machine.

mod action;
mod assertion;
mod assertion_variables;
mod cause;
mod criterion;
mod effects;
mod expected_value;
mod explanation;
mod java_type;
mod jvm_default;
mod literal;
mod suite;

pub use action::{Action, FieldRef, MethodRef, Operand, Step, StubMethod, StubResult, VarId};
pub use assertion::{
    Assertion, CapturedArgument, Expectation, FileAspect, Member, Outcome, Probe, RecordedMethod,
};
pub use cause::{Blame, Cause};
pub use criterion::{Criterion, CriterionResult, GoalStanding, OpenGoal};
pub use effects::{Access, Effect, Effects, OWN_NAME, Stream};
pub use expected_value::ExpectedValue;
pub use explanation::{
    CodeInstruction, CoverageBits, Explanation, MethodCode, OutgoingEdge, PathEdge, PathKind, PathNode,
    PathTree,
};
pub use java_type::{JavaType, parse_method_descriptor};
pub use jvm_default::{JVM_DEFAULTS, JvmDefault, JvmDefaultRow};
pub use literal::Literal;
pub use suite::{
    Case, CaseNote, Counterexample, CoverageCount, NoticedMutant, PathNote, Recollection, RecordedTest,
    Suite, TEST_FOLDER, Variable, WithheldCase, danger,
};
