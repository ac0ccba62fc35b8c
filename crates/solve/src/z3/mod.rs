//! Z3: safe wrappers of its C interface, and the translation of terms.

mod products;
mod session;
mod translate;

pub(crate) use translate::{Translator, Z3Outcome};
