//! Invocation sequences, exploration, choice of tests.

mod options;
mod session;

pub use options::{HeapRepresentation, Options};
pub use session::{ClassOutcome, GenerateError, InternalError, Progress, Session, Statistics};
