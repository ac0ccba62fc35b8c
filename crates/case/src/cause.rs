//! Why an input fails.

use serde::{Deserialize, Serialize};

/// The cause of a failing input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blame {
    /// The code computed the value that it fails on: an index, or a `null`.
    Defect,
    /// The test passed the value that the code fails on: a `null`, an index, a size, an object of a type that the
    /// generic declaration excludes. Nothing documents that it must not.
    Precondition,
}

impl Blame {
    /// As text.
    pub fn name(self) -> &'static str {
        match self {
            Blame::Defect => "likely defect",
            Blame::Precondition => "undeclared precondition",
        }
    }
}

/// Why an input fails.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cause {
    /// Who is to blame.
    pub blame: Blame,
    /// The failure in words: ``the test passes null as `name` ``.
    pub what: Box<str>,
}
