//! Addresses of words.

/// Index of a word in `Memory`. Word 0 is never allocated: it is Java's `null`.
pub type Addr = u32;
