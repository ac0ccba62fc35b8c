//! A `Case`: a sequence of invocations, its arguments, and what was observed.
//!
//! The one product that every system of Cupping hands to `report`, which can print it as a JUnit test, and
//! the vocabulary in which both speak of Java types, values and methods. Nothing here knows of the machine.

mod action;
mod assertion;
mod criterion;
mod effects;
mod expected;
mod explanation;
mod java_type;
mod literal;
mod suite;

pub use action::{Action, FieldRef, MethodRef, Operand, Step, StubMethod, StubResult, VarId};
pub use assertion::{Assertion, Expectation, FileAspect, Outcome, Probe};
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
