//! The syntax in which the first line of each kind of file names its author.

use serde::{Deserialize, Serialize};

/// The comment syntax of a file's first line.
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
    /// The text before and after a comment.
    pub(super) fn comment(self) -> (&'static str, &'static str) {
        match self {
            Mark::Slashes => ("// ", ""),
            Mark::Html => ("<!-- ", " -->"),
            Mark::Semicolon => ("; ", ""),
        }
    }
}
