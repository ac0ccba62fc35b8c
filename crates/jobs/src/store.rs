//! The store: a folder of results by the keys of their jobs.
//!
//! ```text
//! results/3f/3f9c…/a01b….json     the result of job 3f9c…, for answers with the digest a01b…
//! costs/7e/7e11…                  how long the work on a class last took, in milliseconds
//! ```
//!
//! The first line of a result has the digest of the rest. Entries never change. To free space, delete the folder or
//! its oldest files, at any time.

use crate::answers::Answers;
use crate::digest::{Digest, Hasher};
use crate::request::Key;
use cupping_classfile::reads::Read;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The prefix of an entry, with the number of its format.
const BEGIN: &str = "cupping-result 2 ";
/// The prefix of temporary file names.
const TEMPORARY: &str = ".cupping-";

/// A store that cannot be written to.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be written ({source}); free some space, or name another folder with --store; earlier results are intact", path.display())]
pub struct StoreError {
    /// The file.
    pub path: PathBuf,
    /// The error of the operating system.
    pub source: io::Error,
}

/// A result as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredResult<T> {
    /// What the job read.
    reads: Vec<Read>,
    /// The digest of the answers to the coarse questions: if it is still the same, so are the answers.
    coarse: Digest,
    /// The digest of the answers.
    answers: Digest,
    /// The result.
    pub result: T,
}

/// A folder of results. Clones refer to the same folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The store in this folder, which need not exist yet.
    pub fn new(folder: &Path) -> Store {
        Store { folder: folder.to_owned() }
    }

    /// The result of a job for the program that gives these answers, if there is one. Damaged entries count as
    /// absent.
    pub fn find<T: DeserializeOwned>(&self, key: &Key, answers: &Answers) -> Option<T> {
        let entries = fs::read_dir(self.of(key)).ok()?.flatten();
        let mut paths: Vec<PathBuf> = entries.map(|it| it.path()).filter(|it| is_entry(it)).collect();
        paths.sort();
        paths.iter().find_map(|path| {
            let kept: StoredResult<T> = read(path)?;
            let is_valid = answers.coarse(&kept.reads) == kept.coarse || answers.all(&kept.reads) == kept.answers;
            is_valid.then_some(kept.result)
        })
    }

    /// Stores the result of a job that has read this.
    ///
    /// # Errors
    ///
    /// The folder cannot be written to; no entry exists then.
    pub fn put<T: Serialize>(
        &self,
        key: &Key,
        reads: &BTreeSet<Read>,
        answers: &Answers,
        result: &T,
    ) -> Result<(), StoreError> {
        let digest = answers.all(reads);
        let path = self.of(key).join(format!("{digest}.json"));
        let reads: Vec<Read> = reads.iter().cloned().collect();
        let kept = StoredResult { coarse: answers.coarse(&reads), reads, answers: digest, result };
        let body = serde_json::to_string(&kept).map_err(io::Error::other);
        let text = body.map(|body| format!("{BEGIN}{}\n{body}\n", Digest::of(body.as_bytes())));
        let written = text.and_then(|text| write(&path, text.as_bytes()));
        written.map_err(|source| StoreError { path, source })
    }

    /// Records how long the work on a class took. It is only used for estimates, so its loss is harmless.
    pub fn note_cost(&self, command: &str, class: &str, milliseconds: u64) {
        let path = self.cost_of(command, class);
        let _ = path.parent().map_or(Ok(()), fs::create_dir_all);
        let _ = fs::write(path, milliseconds.to_string());
    }

    /// How long the work on a class last took, in milliseconds.
    pub fn cost(&self, command: &str, class: &str) -> Option<u64> {
        fs::read_to_string(self.cost_of(command, class)).ok()?.parse().ok()
    }

    fn of(&self, key: &Key) -> PathBuf {
        self.folder.join("results").join(&key.as_str()[..2]).join(key.as_str())
    }

    fn cost_of(&self, command: &str, class: &str) -> PathBuf {
        let mut hasher = Hasher::default();
        hasher.add_whole(command.as_bytes());
        hasher.add_whole(class.as_bytes());
        let name = hasher.digest();
        self.folder.join("costs").join(&name.as_str()[..2]).join(&name.as_str()[..32])
    }
}

fn is_entry(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "json")
}

/// The content of an entry, if its digest equals that in the first line.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let text = fs::read_to_string(path).ok()?;
    let (line, body) = text.strip_prefix(BEGIN)?.split_once('\n')?;
    let body = body.strip_suffix('\n')?;
    (Digest::of(body.as_bytes()).as_str() == line).then(|| serde_json::from_str(body).ok())?
}

/// Writes a file as a whole, and returns when it is on the disk.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|failed| failed.error)?;
    // Makes the name durable; some file systems cannot sync a folder, and lose at most the entry.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}
