//! Why a method does not pass the verifier.

use crate::exit::Trap;

/// Why a method does not pass.
#[derive(Debug)]
pub(super) enum Failure {
    /// It breaks a rule: `VerifyError` with this first line.
    Verify(String),
    /// Another error, such as a class that could not be loaded.
    Other(Trap),
}

impl From<Trap> for Failure {
    fn from(trap: Trap) -> Failure {
        Failure::Other(trap)
    }
}

/// A rule is broken.
pub(super) fn bad(what: impl Into<String>) -> Failure {
    Failure::Verify(what.into())
}

/// The result of a check.
pub(super) type VerifyResult<T = ()> = Result<T, Failure>;
