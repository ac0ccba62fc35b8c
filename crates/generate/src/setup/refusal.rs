//! Why a set-up cannot be read.

use cupping_classfile::interpreter::FrameMismatch;

/// Why a set-up cannot be read.
pub enum SetupRefusal {
    /// An error at the instruction that is being read.
    Here(String),
    /// The same with its place.
    Placed(String),
}

impl From<String> for SetupRefusal {
    fn from(why: String) -> SetupRefusal {
        SetupRefusal::Here(why)
    }
}

impl From<&str> for SetupRefusal {
    fn from(why: &str) -> SetupRefusal {
        SetupRefusal::Here(why.into())
    }
}

impl SetupRefusal {
    /// The text, with this place where it has none.
    pub fn at(self, place: &str) -> String {
        match self {
            SetupRefusal::Here(why) => format!("{place}: {why}"),
            SetupRefusal::Placed(why) => why,
        }
    }
}

impl From<FrameMismatch> for SetupRefusal {
    fn from(_: FrameMismatch) -> SetupRefusal {
        SetupRefusal::Here("a damaged stack".into())
    }
}
