//! Z3 behind two files: wrappers of the C interface, and the translation of terms.

mod session;
mod translate;

pub(crate) use translate::{Outcome, Translator};
