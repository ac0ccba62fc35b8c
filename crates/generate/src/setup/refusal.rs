//! Why a set-up cannot be read.

use cupping_classfile::interpreter::FrameMismatch;

/// Why a set-up cannot be read.
pub enum Refusal {
    /// What is wrong at the instruction that is read.
    Here(String),
    /// The same with its place.
    Placed(String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Here(why)
    }
}

impl From<&str> for Refusal {
    fn from(why: &str) -> Refusal {
        Refusal::Here(why.into())
    }
}

impl Refusal {
    /// The text, with this place where it has none.
    pub fn at(self, place: &str) -> String {
        match self {
            Refusal::Here(why) => format!("{place}: {why}"),
            Refusal::Placed(why) => why,
        }
    }
}

impl From<FrameMismatch> for Refusal {
    fn from(_: FrameMismatch) -> Refusal {
        Refusal::Here("a damaged stack".into())
    }
}
