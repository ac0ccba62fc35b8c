//! Likely specifications as text: one file for each notation, and one row in [`ALL`].

pub mod assertions;
pub mod contract;
pub mod html;
pub mod java;
pub mod java_formulas;
pub mod jml;
mod quantified;
pub mod round_log;
mod screen;
mod sections;
pub mod testera;
pub mod text;

use crate::outcome::InferenceOutcome;
use crate::subject::Subject;

/// Names and texts of files.
pub type Files = Vec<(String, String)>;

/// A notation.
#[derive(Debug)]
pub struct Notation {
    /// The value of `--notation`.
    pub name: &'static str,
    /// The ending of its files.
    pub suffix: &'static str,
    /// Writes a class for the screen.
    pub write: fn(&Subject, &InferenceOutcome) -> String,
    /// Writes all that is known of a class, for a file.
    pub whole: fn(&Subject, &InferenceOutcome) -> String,
    /// The same as several files, for notations whose tools take one method at a time; each with a part of its file
    /// name before the extension.
    pub files: Option<fn(&Subject, &InferenceOutcome) -> Files>,
}

/// All notations.
pub const ALL: &[Notation] = &[
    Notation { name: "text", suffix: "txt", write: text::write, whole: text::whole, files: None },
    Notation { name: "jml", suffix: "jml", write: jml::write, whole: jml::write, files: None },
    Notation {
        name: "assertions",
        suffix: "assertions.java",
        write: assertions::write,
        whole: assertions::write,
        files: None,
    },
    Notation { name: "contract", suffix: "tj", write: contract::write, whole: contract::write, files: None },
    Notation {
        name: "testera",
        suffix: "spec",
        write: testera::write,
        whole: testera::write,
        files: Some(testera::files),
    },
];
