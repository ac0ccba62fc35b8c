//! When garbage is collected.

/// When garbage is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CollectionPolicy {
    /// Never: addresses stay valid whatever runs.
    Never,
    /// When about as much has been allocated as was alive after the last collection.
    #[default]
    Adaptive,
    /// After this number of allocated words: for tests.
    Every(u32),
}
