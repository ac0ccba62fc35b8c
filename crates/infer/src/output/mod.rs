//! Likely specifications as text: one file for each notation, one row in [`ALL`].

pub mod assertions;
pub mod contract;
pub mod html;
pub mod java;
pub mod jml;
pub mod story;
pub mod testera;
pub mod text;

use crate::rounds::Outcome;
use crate::subject::Subject;

/// A notation.
#[derive(Debug)]
pub struct Notation {
    /// Its name, as `--notation` takes it.
    pub name: &'static str,
    /// The end of its files' names.
    pub suffix: &'static str,
    /// Writes what was found.
    pub write: fn(&Subject, &Outcome) -> String,
}

/// All notations.
pub const ALL: &[Notation] = &[
    Notation { name: "text", suffix: "txt", write: text::write },
    Notation { name: "jml", suffix: "jml", write: jml::write },
    Notation { name: "assertions", suffix: "assertions.java", write: assertions::write },
    Notation { name: "contract", suffix: "tj", write: contract::write },
    Notation { name: "testera", suffix: "testera.als", write: testera::write },
];
