//! The syntax in which the first line of each kind of file names its author.

use serde::{Deserialize, Serialize};

/// How the first line of a file is marked as a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// `// …`: Java, Graphviz.
    Slashes,
    /// `<!-- … -->`: HTML, SVG.
    Html,
    /// `; …`: queries.
    Semicolon,
}

impl Mark {
    /// What comes before and behind a comment.
    pub(super) fn comment(self) -> (&'static str, &'static str) {
        match self {
            Mark::Slashes => ("// ", ""),
            Mark::Html => ("<!-- ", " -->"),
            Mark::Semicolon => ("; ", ""),
        }
    }
}
