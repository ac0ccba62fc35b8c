//! Invocation sequences, exploration, choice of tests.
//!
//! A [`Session`] follows one class from its methods to its tests: `search` extends states of objects
//! invocation by invocation and collects candidates; `choose` keeps few of them; `realize` runs
//! these again with concrete inputs and writes them down; `observe` adds the assertions.

mod canonical;
mod choose;
mod driver;
mod explain;
mod explain_method;
mod generics;
mod influence;
mod input;
mod invokable;
mod observe;
mod options;
mod plan;
mod provide;
mod realize;
mod redundancy;
mod search;
mod seed;
mod sequences;
mod session;
mod stub;
mod subsume;
mod suite_coverage;
#[cfg(test)]
mod testing;
mod thrown;

pub use options::{HeapRepresentation, Options};
pub use sequences::{Access, Filter};
pub use session::{ClassOutcome, GenerateError, InternalError, Progress, Session, Statistics};
pub use subsume::Subsumption;
pub use suite_coverage::SuiteCoverage;
