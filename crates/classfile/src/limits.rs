//! Limits on the memory that one class path may use.
//!
//! A class path is not trusted: a jar of a megabyte may claim to contain gigabytes. Each limit is far above what
//! compilers and build tools produce, and is checked against the declared length and against the actual bytes.

use std::io::Read;

use crate::error::{ClassFileError, Result};

/// Limit on the bytes of a class file. The largest in use (generated parsers and tables) have some megabytes.
pub const LARGEST_CLASS: u64 = 64 << 20;
/// Bytes of any other file of a class path.
pub const LARGEST_RESOURCE: u64 = 256 << 20;
/// Bytes of all class files of a program together.
pub const MOST_CLASS_BYTES: u64 = 2 << 30;
/// Limit on the entries of a jar. The largest in use have some 100,000.
pub const MOST_ENTRIES: u64 = 1 << 20;
/// Limit on the files and folders below a folder of a class path.
pub const MOST_FILES: usize = 1 << 20;
/// Limit on the depth of folders below a folder of a class path.
pub const DEEPEST_FOLDER: usize = 256;
/// Bytes of a manifest.
pub const LARGEST_MANIFEST: u64 = 16 << 20;

/// The size limit for a file of this name, in bytes.
pub(crate) fn largest(name: &str) -> u64 {
    match name {
        "META-INF/MANIFEST.MF" => LARGEST_MANIFEST,
        _ if name.ends_with(".class") => LARGEST_CLASS,
        _ => LARGEST_RESOURCE,
    }
}

/// Reads `from`, which declares a size of `declared` bytes. Messages call it `place`.
pub(crate) fn read_at_most(
    from: impl Read,
    declared: u64,
    limit: u64,
    place: &dyn Fn() -> String,
    unreadable: &dyn Fn(std::io::Error) -> ClassFileError,
) -> Result<Vec<u8>> {
    let too_large = || ClassFileError::TooLarge { file: place().into(), limit: bytes(limit).into() };
    if declared > limit {
        return Err(too_large());
    }
    // The declared size is not trusted, so little memory is reserved for it.
    let mut content = Vec::with_capacity(declared.min(1 << 20) as usize);
    from.take(limit + 1).read_to_end(&mut content).map_err(unreadable)?;
    if content.len() as u64 > limit { Err(too_large()) } else { Ok(content) }
}

/// A limit, for messages.
fn bytes(limit: u64) -> String {
    format!("{} MiB", limit >> 20)
}
