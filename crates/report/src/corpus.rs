//! The corpus of a class: its tests, kept for the next run in a file of their own.

use crate::files;
use crate::result::ClassResult;
use cupping_case::RecordedTest;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// Counted up when what is kept changes its meaning.
const SCHEMA: u32 = 1;

/// A corpus that cannot be read or written; the text names the file and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// The file is not a corpus, or it is from another version of Cupping.
    #[error("{}: not a corpus of this version of Cupping ({why}); delete it to start again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It cannot be read or written.
    #[error("{}: {source}; --corpus needs a writable folder", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

#[derive(Serialize, Deserialize)]
struct Corpus {
    schema: u32,
    class: String,
    tests: Vec<RecordedTest>,
}

/// The tests of an earlier run for the class of this internal name; none if there was no such run.
///
/// # Errors
///
/// The file exists, but cannot be used.
pub fn read(folder: &Path, class: &str) -> Result<Vec<RecordedTest>, CorpusError> {
    let path = file(folder, class);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(CorpusError::File { path, source }),
    };
    match serde_json::from_slice::<Corpus>(&text) {
        Ok(corpus) if corpus.schema == SCHEMA => Ok(corpus.tests),
        Ok(corpus) => Err(CorpusError::Damaged { path, why: format!("schema {}", corpus.schema) }),
        Err(error) => Err(CorpusError::Damaged { path, why: error.to_string() }),
    }
}

/// Stores the tests of a class that were written, and those that this run did not touch.
///
/// # Errors
///
/// The file cannot be written, or the existing file is no corpus; the old file stays intact.
pub fn write(folder: &Path, result: &ClassResult) -> Result<(), CorpusError> {
    let emitted = |failing| {
        result.recorded(failing).map(move |(name, case)| {
            let mut case = case.clone();
            case.name = None;
            RecordedTest { name: name.into(), failing, case }
        })
    };
    let mut tests: Vec<RecordedTest> = emitted(false).chain(emitted(true)).collect();
    tests.extend(result.suite.recollection.others.iter().cloned());
    let corpus = Corpus { schema: SCHEMA, class: result.class_name(), tests };
    let path = file(folder, &result.suite.class);
    // An unreadable file is not one of our corpora.
    read(folder, &result.suite.class)?;
    let text = serde_json::to_string_pretty(&corpus).unwrap_or_default() + "\n";
    files::put(&path, text.as_bytes()).map_err(|source| CorpusError::File { path, source })
}

fn file(folder: &Path, class: &str) -> PathBuf {
    folder.join(format!("{}.json", class.replace('/', ".")))
}
