//! Errors: in the specification, with their place, or in the classes that it is about.

use cupping_relation::Span;

/// Why nothing can be checked.
#[derive(Clone, Debug)]
pub enum Error {
    /// The specification is wrong at a place.
    Specification(cupping_relation::Error),
    /// Something that it needs is missing, or the machine does not start.
    Other(String),
}

impl From<cupping_relation::Error> for Error {
    fn from(error: cupping_relation::Error) -> Error {
        Error::Specification(error)
    }
}

impl Error {
    /// The error as people read it, with the lines it is about.
    pub fn render(&self, file: &str, text: &str) -> String {
        match self {
            Error::Specification(error) => error.render(file, text),
            Error::Other(message) => format!("{message}\n"),
        }
    }
}

/// An error at a place of the specification.
pub(crate) fn wrong(span: Span, message: &str, help: &str) -> Error {
    Error::Specification(cupping_relation::Error {
        message: message.to_owned(),
        span,
        label: String::new(),
        help: (!help.is_empty()).then(|| help.to_owned()),
    })
}

pub(crate) fn other(message: impl std::fmt::Display) -> Error {
    Error::Other(message.to_string())
}
