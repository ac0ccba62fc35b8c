//! Test classes as files.

use crate::junit::JunitClass;
use std::path::{Path, PathBuf};

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be written ({source}); choose another folder with --out", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What the operating system said.
    pub source: std::io::Error,
}

/// Writes each class to `folder/package/Name.java`; the paths, in the order of the classes.
pub fn write(folder: &Path, classes: &[JunitClass]) -> Result<Vec<PathBuf>, WriteError> {
    classes.iter().map(|class| write_one(folder, class)).collect()
}

fn write_one(folder: &Path, class: &JunitClass) -> Result<PathBuf, WriteError> {
    let path = folder.join(class.path());
    let written = match path.parent() {
        Some(parent) => std::fs::create_dir_all(parent),
        None => Ok(()),
    }
    .and_then(|()| std::fs::write(&path, class.source().text));
    match written {
        Ok(()) => Ok(path),
        Err(source) => Err(WriteError { path, source }),
    }
}
