//! A location whose value differs from that in a test.

use std::fmt::{self, Display, Formatter};

/// A location that differs from a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The location as an expression, such as `this.elements[3]`.
    pub(crate) place: String,
    /// The value in the test, and here.
    pub(crate) expected: String,
    pub(crate) present: String,
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {} there and {} here", self.place, self.expected, self.present)
    }
}
