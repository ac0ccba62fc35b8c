//! The store: a folder of results by the keys of their jobs, or a place in an object store.
//!
//! ```text
//! results/3f/3f9c…/a01b….json     the result of job 3f9c…, for answers with the digest a01b…
//! costs/7e/7e11…                  how long the work on a class last took, in milliseconds
//! ```
//!
//! The first line of a result has the digest of the rest. Entries never change. To free space, delete the folder or
//! its oldest files, at any time.
//!
//! A store in an object store has a folder, too: the copy of what this computer has asked for or put there.

use crate::answers::Answers;
use crate::digest::{Digest, Hasher};
use crate::kept_reads::KeptReads;
use crate::remote::Remote;
use crate::request::Key;
use cupping_classfile::reads::Read;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The prefix of an entry, with the number of its format.
const BEGIN: &str = "cupping-result 3 ";
/// The prefix of temporary file names.
const TEMPORARY: &str = ".cupping-";

/// A store that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder cannot be written to.
    #[error("{}: cannot be written ({source}); free some space, or name another folder with --store; earlier results are intact", path.display())]
    Folder {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The object store does not answer, or refuses.
    #[error(
        "{place}: {problem}; check the address and the environment variables with credentials; earlier results are intact"
    )]
    Remote {
        /// Its URL.
        place: String,
        /// What it says.
        problem: String,
    },
}

/// A result as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredResult<T> {
    /// What the job read.
    reads: KeptReads,
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
    /// The object store of which the folder is a copy, by its URL.
    remote: Option<(String, Arc<Remote>)>,
}

/// Keys from which on the names of all results of a store are asked for, not those of each key.
const MANY: usize = 200;

/// The URL of a place that is in an object store.
fn url(place: &Path) -> Option<&str> {
    place.to_str().filter(|it| it.contains("://"))
}

impl Store {
    /// The store in this folder, which need not exist yet.
    pub fn new(folder: &Path) -> Store {
        Store { folder: folder.to_owned(), remote: None }
    }

    /// The store at a place that the user names: a folder, or the URL of an object store, such as `s3://bucket/name`,
    /// of which a folder below `copies` is a copy.
    ///
    /// # Errors
    ///
    /// [`StoreError::Remote`].
    pub fn open(place: &Path, copies: &Path) -> Result<Store, StoreError> {
        let folder = Store::folder(place, copies);
        let Some(url) = url(place) else { return Ok(Store::new(&folder)) };
        let remote =
            Remote::open(url).map_err(|problem| StoreError::Remote { place: url.to_owned(), problem })?;
        Ok(Store { folder, remote: Some((url.to_owned(), Arc::new(remote))) })
    }

    /// The folder of the store at a place that the user names, as [`Store::open`] has it.
    pub fn folder(place: &Path, copies: &Path) -> PathBuf {
        match url(place) {
            Some(url) => copies.join(&Digest::of(url.as_bytes()).as_str()[..16]),
            None => place.to_owned(),
        }
    }

    /// Whether it is in an object store.
    pub fn is_remote(&self) -> bool {
        self.remote.is_some()
    }

    /// Copies what an object store has for these keys, each with its class, and the folder does not. Of a class without
    /// a result, `costs` also copies what the last work of this command on it took. Nothing to do for a folder.
    ///
    /// # Errors
    ///
    /// [`StoreError::Remote`].
    pub fn fetch(&self, keys: &[(Key, &str)], costs: Option<&str>) -> Result<(), StoreError> {
        let Some((url, remote)) = &self.remote else { return Ok(()) };
        let copied = self.copy(remote, keys, costs);
        copied.map_err(|problem| StoreError::Remote { place: url.clone(), problem })
    }

    fn copy(&self, remote: &Remote, keys: &[(Key, &str)], costs: Option<&str>) -> Result<(), String> {
        let of_key: BTreeSet<String> = keys.iter().map(|(key, _)| self.name(&self.of(key))).collect();
        let folders: Vec<String> = match of_key.len() {
            0..MANY => of_key.iter().cloned().collect(),
            _ => (0..=255).map(|it| format!("results/{it:02x}")).collect(),
        };
        let folder_of = |name: &str| name.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let mut wanted = remote.names_of_all(&folders)?;
        wanted.retain(|name| {
            is_entry(Path::new(name)) && folder_of(name).is_some_and(|folder| of_key.contains(&folder))
        });
        if let Some(command) = costs {
            let known: BTreeSet<String> = wanted.iter().filter_map(|it| folder_of(it)).collect();
            let open = keys.iter().filter(|(key, _)| !known.contains(&self.name(&self.of(key))));
            wanted.extend(open.map(|(_, class)| self.name(&self.cost_of(command, class))));
        }
        wanted.retain(|name| !self.folder.join(name).exists());
        for (name, bytes) in remote.get(&wanted)? {
            // A copy that cannot be kept is like one that is not there.
            let _ = write(&self.folder.join(name), &bytes);
        }
        Ok(())
    }

    /// The name of a file of the folder in the object store.
    fn name(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.folder).unwrap_or(path);
        below.iter().map(|it| it.to_string_lossy()).collect::<Vec<_>>().join("/")
    }

    /// Puts a file of the folder to the object store, if there is one.
    fn put_remote(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let Some((url, remote)) = &self.remote else { return Ok(()) };
        let put = remote.put(&self.name(path), bytes);
        put.map_err(|problem| StoreError::Remote { place: url.clone(), problem })
    }

    /// The result of a job for the program that gives these answers, if there is one. Damaged entries count as
    /// absent.
    pub fn find<T: DeserializeOwned>(&self, key: &Key, answers: &Answers) -> Option<T> {
        let entries = fs::read_dir(self.of(key)).ok()?.flatten();
        let mut paths: Vec<PathBuf> = entries.map(|it| it.path()).filter(|it| is_entry(it)).collect();
        paths.sort();
        paths.iter().find_map(|path| {
            let kept: StoredResult<T> = read(path)?;
            let is_valid =
                answers.coarse(&kept.reads.0) == kept.coarse || answers.all(&kept.reads.0) == kept.answers;
            is_valid.then_some(kept.result)
        })
    }

    /// Stores the result of a job that has read this.
    ///
    /// # Errors
    ///
    /// The folder cannot be written to; no entry exists then. Or the object store refuses it.
    pub fn put<T: Serialize>(
        &self,
        key: &Key,
        reads: &BTreeSet<Read>,
        answers: &Answers,
        result: &T,
    ) -> Result<(), StoreError> {
        let digest = answers.all(reads);
        let path = self.of(key).join(format!("{digest}.json"));
        let coarse = answers.coarse(reads);
        let kept = StoredResult { reads: KeptReads(reads.clone()), coarse, answers: digest, result };
        let body = serde_json::to_string(&kept).map_err(io::Error::other);
        let text = body.map(|body| format!("{BEGIN}{}\n{body}\n", Digest::of(body.as_bytes())));
        let written = text.and_then(|text| write(&path, text.as_bytes()).map(|()| text));
        match written {
            Ok(text) => self.put_remote(&path, text.as_bytes()),
            Err(source) => Err(StoreError::Folder { path, source }),
        }
    }

    /// Records how long the work on a class took. It is only used for estimates, so its loss is harmless.
    pub fn note_cost(&self, command: &str, class: &str, milliseconds: u64) {
        let path = self.cost_of(command, class);
        let _ = path.parent().map_or(Ok(()), fs::create_dir_all);
        let text = milliseconds.to_string();
        let _ = fs::write(&path, &text);
        let _ = self.put_remote(&path, text.as_bytes());
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
