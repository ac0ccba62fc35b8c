//! Test cases: sequences of invocations with their arguments and observations.
//!
//! Every subsystem that finds tests produces `Case`s, and `report` prints them as JUnit tests. The crate also
//! defines the shared vocabulary of Java types, values and methods. It knows nothing about the machine.

mod action;
mod assertion;
mod cause;
mod criterion;
mod effects;
mod expected;
mod explanation;
mod java_type;
mod literal;
mod suite;

pub use action::{Action, FieldRef, MethodRef, Operand, Step, StubMethod, StubResult, VarId};
pub use assertion::{Assertion, Expectation, FileAspect, Outcome, Probe};
pub use cause::{Blame, Cause};
pub use criterion::{Criterion, CriterionResult, OpenGoal, Standing};
pub use effects::{Access, Effect, Effects, Stream};
pub use expected::Expected;
pub use explanation::{
    CodeInstruction, Covered, Explanation, MethodCode, PathEdge, PathKind, PathNode, PathTree, Way,
};
pub use java_type::{JavaType, parse_method_descriptor};
pub use literal::Literal;
pub use suite::{
    Case, Counterexample, CoverageCount, PathNote, Recollection, Remembered, Suite, TEST_FOLDER, Variable,
    Withheld, danger,
};
