//! Results of the methods of a stub.

use crate::classes::MethodId;

/// How many answers a sequence has.
const ANSWERS: usize = 3;

/// The result of a method of a stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StubResult {
    /// None, or the default value of the type of the result.
    Nothing,
    /// A field of its own.
    Field,
    /// Fields of its own, one after the other, and the last of them from then on.
    Sequence,
    /// Nothing: it throws a field of its own.
    Throws,
    /// What a method of one of its parameters returns, if anything. It passes fields of its own.
    Calls {
        /// The index of the parameter.
        parameter: usize,
        /// The method of the parameter.
        method: MethodId,
        /// How many arguments that has.
        arguments: usize,
    },
    /// The parameter of this index; it has the type of the result.
    Parameter(usize),
}

impl StubResult {
    /// The fields that it takes.
    pub fn fields(self) -> usize {
        match self {
            StubResult::Nothing | StubResult::Parameter(_) => 0,
            StubResult::Field | StubResult::Throws => 1,
            StubResult::Calls { arguments, .. } => arguments,
            StubResult::Sequence => ANSWERS,
        }
    }
}
