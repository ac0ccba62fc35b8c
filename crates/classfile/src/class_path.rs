//! The class path: folders and jars.
//!
//! Everything that a class path shows may be read by the program under test. Of a jar that is every entry. Of a
//! folder it is what [`crate::folder`] allows: regular, visible files in it, and only the classes if nobody named
//! the folder.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use zip::ZipArchive;

use crate::error::{ClassFileError, Result};
use crate::folder::{Folder, ListedEntry, ListedKind};
use crate::limits::{LARGEST_MANIFEST, MOST_ENTRIES, largest, read_at_most};
use crate::reads::{Read as Question, note};

/// The separator of class-path entries on this platform.
pub const PATH_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// Oldest feature version that multi-release jars have a folder for.
const FIRST_MULTI_RELEASE: u16 = 9;

/// An opened class path. Clones share the archives.
#[derive(Clone, Debug, Default)]
pub struct ClassPath {
    entries: Vec<Arc<ClassPathEntry>>,
}

/// A directory or a jar.
#[derive(Debug)]
pub struct ClassPathEntry {
    path: PathBuf,
    kind: EntryKind,
}

#[derive(Debug)]
enum EntryKind {
    Directory(Folder),
    Jar {
        archive: Mutex<ZipArchive<BufReader<File>>>,
        /// Entry numbers by requested name; the entry may belong to a version of a multi-release jar.
        names: BTreeMap<Box<str>, usize>,
        /// The version up to which files of a multi-release jar are visible; 0 for other jars.
        version: u16,
    },
}

impl ClassPath {
    /// Opens a class path as for `java --class-path`: entries separated by `:` (`;` on Windows), `folder/*` for all
    /// jars of a folder. Empty entries are skipped. Of multi-release jars, the files for `feature_version` are
    /// visible.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Unreadable`], [`ClassFileError::DamagedArchive`].
    pub fn open(class_path: &str, feature_version: u16) -> Result<ClassPath> {
        ClassPath::open_as(class_path, feature_version, true)
    }

    /// As [`ClassPath::open`], for a class path that the user did not name, such as the default `.` or the entries
    /// of a jar's manifest: only class files of its folders are visible, if their name and package are those of the
    /// path.
    ///
    /// # Errors
    ///
    /// As [`ClassPath::open`].
    pub fn open_implied(class_path: &str, feature_version: u16) -> Result<ClassPath> {
        ClassPath::open_as(class_path, feature_version, false)
    }

    fn open_as(class_path: &str, feature_version: u16, named: bool) -> Result<ClassPath> {
        let mut opened = ClassPath::default();
        for entry in class_path.split(PATH_SEPARATOR).filter(|entry| !entry.is_empty()) {
            match entry.strip_suffix('*').filter(|folder| folder.is_empty() || folder.ends_with(['/', '\\']))
            {
                None => opened.add(Path::new(entry), feature_version, named)?,
                Some(folder) => {
                    for jar in jars_of(Path::new(if folder.is_empty() { "." } else { folder }))? {
                        opened.add(&jar, feature_version, named)?;
                    }
                }
            }
        }
        Ok(opened)
    }

    /// Opens an entry and adds it at the end, unless it exists already.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Unreadable`], [`ClassFileError::DamagedArchive`].
    pub fn push(&mut self, path: &Path, feature_version: u16) -> Result<()> {
        self.add(path, feature_version, true)
    }

    fn add(&mut self, path: &Path, feature_version: u16, named: bool) -> Result<()> {
        match self.position(path) {
            None => self.entries.push(Arc::new(ClassPathEntry::open(path, feature_version, named)?)),
            // It was there without anybody having named it.
            Some(at) if named && self.entries[at].is_implied() => {
                let path = self.entries[at].path.clone();
                self.entries[at] = Arc::new(ClassPathEntry::open(&path, feature_version, true)?);
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Adds the entries of another class path at the end, those that are not there already.
    pub fn append(&mut self, other: &ClassPath) {
        for entry in &other.entries {
            if self.position(&entry.path).is_none() {
                self.entries.push(Arc::clone(entry));
            }
        }
    }

    /// The entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = &ClassPathEntry> {
        self.entries.iter().map(|entry| &**entry)
    }

    /// The paths of its entries.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.entries().map(|entry| entry.path().to_owned()).collect()
    }

    /// The entry that was opened from `path`, or from another name of the same file.
    pub fn entry(&self, path: &Path) -> Option<&ClassPathEntry> {
        self.position(path).map(|at| &*self.entries[at])
    }

    fn position(&self, path: &Path) -> Option<usize> {
        self.entries.iter().position(|entry| entry.path == path).or_else(|| {
            let canonical = fs::canonicalize(path).ok()?;
            let is_it = |other: &Path| fs::canonicalize(other).is_ok_and(|other| other == canonical);
            self.entries.iter().position(|entry| is_it(&entry.path))
        })
    }
}

impl ClassPathEntry {
    fn open(path: &Path, feature_version: u16, named: bool) -> Result<ClassPathEntry> {
        let name = path.display().to_string();
        let unreadable = |error: std::io::Error| ClassFileError::unreadable(&*name, &error);
        let known = fs::metadata(path).map_err(unreadable)?;
        let kind = if known.is_dir() {
            EntryKind::Directory(Folder::open(path, named).map_err(unreadable)?)
        } else if known.is_file() {
            let mut file = File::open(path).map_err(unreadable)?;
            if entry_count(&mut file).map_err(unreadable)? > MOST_ENTRIES {
                return Err(damaged(&name, &format!("it has more than {MOST_ENTRIES} entries")));
            }
            let mut archive =
                ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(&name, &error.to_string()))?;
            let version = if is_multi_release(&mut archive) { feature_version } else { 0 };
            let names = names(&archive, version);
            EntryKind::Jar { archive: Mutex::new(archive), names, version }
        } else {
            // Opening a FIFO or a device could block or have effects.
            let problem = "it is neither a file nor a folder".into();
            return Err(ClassFileError::Unreadable { file: name.into(), problem });
        };
        Ok(ClassPathEntry { path: path.to_owned(), kind })
    }

    /// The file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is a folder that nobody named, of which only classes are visible.
    pub fn is_implied(&self) -> bool {
        matches!(&self.kind, EntryKind::Directory(folder) if !folder.is_named())
    }

    /// Whether it is a jar, not a directory.
    pub fn is_jar(&self) -> bool {
        matches!(self.kind, EntryKind::Jar { .. })
    }

    /// Whether it is a jar with files for versions of Java.
    pub fn is_multi_release(&self) -> bool {
        matches!(self.kind, EntryKind::Jar { version: 1.., .. })
    }

    /// The name of a file of this entry in messages: `lib.jar!/org/x/Y.class`, `classes/org/x/Y.class`.
    pub fn place(&self, name: &str) -> String {
        match &self.kind {
            EntryKind::Directory(_) => self.path.join(name).display().to_string(),
            EntryKind::Jar { .. } => format!("{}!/{name}", self.path.display()),
        }
    }

    /// The content of a file, such as `org/x/Y.class`.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Unreadable`], [`ClassFileError::DamagedArchive`], [`ClassFileError::LeadsOut`],
    /// [`ClassFileError::TooLarge`].
    pub fn read(&self, name: &str) -> Result<Option<Arc<[u8]>>> {
        note(|| Question::File(name.into()));
        self.bytes(name)
    }

    /// As [`ClassPathEntry::read`], without recording it.
    pub(crate) fn bytes(&self, name: &str) -> Result<Option<Arc<[u8]>>> {
        match &self.kind {
            EntryKind::Directory(folder) => Ok(folder.read(name)?.map(Into::into)),
            EntryKind::Jar { archive, names, .. } => {
                let Some(index) = names.get(name) else {
                    return Ok(None);
                };
                let damaged = |problem: String| damaged(&self.place(name), &problem);
                // A panic elsewhere does not harm the archive: each read sets its position itself.
                let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
                let entry = archive.by_index(*index).map_err(|error| damaged(error.to_string()))?;
                let declared = entry.size();
                let unreadable = |error: std::io::Error| damaged(error.to_string());
                let bytes = read_at_most(entry, declared, largest(name), &|| self.place(name), &unreadable)?;
                Ok(Some(bytes.into()))
            }
        }
    }

    /// The name under which a jar stores what a program of this version sees as `name`: a file, or else a folder, whose
    /// stored names end with `/`. `None` for folders of the class path.
    pub fn stored_name(&self, name: &str) -> Option<String> {
        note(|| Question::File(name.into()));
        let EntryKind::Jar { archive, names, version } = &self.kind else { return None };
        let archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = format!("{}/", name.trim_end_matches('/'));
        let of_version = |version| archive.index_for_name(&format!("META-INF/versions/{version}/{folder}"));
        let folder = || {
            let versions = (FIRST_MULTI_RELEASE..=*version).rev();
            versions.filter_map(of_version).next().or_else(|| archive.index_for_name(&folder))
        };
        let index = names.get(name).copied().or_else(folder)?;
        Some(archive.name_for_index(index)?.ok()?.into_owned())
    }

    /// As [`ClassPathEntry::read`], for the program under test, to which hidden files do not exist. Of a folder that
    /// nobody named, it sees the classes whose names are those of their paths.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Unreadable`], [`ClassFileError::DamagedArchive`], [`ClassFileError::TooLarge`].
    pub fn resource(&self, name: &str) -> Result<Option<Arc<[u8]>>> {
        note(|| Question::File(name.into()));
        self.seen(name)
    }

    /// As [`ClassPathEntry::resource`], without recording it.
    pub(crate) fn seen(&self, name: &str) -> Result<Option<Arc<[u8]>>> {
        match self.bytes(name) {
            Ok(Some(bytes)) if self.is_implied() => {
                Ok((declared_name(&bytes).as_deref() == name.strip_suffix(".class")).then_some(bytes))
            }
            Err(ClassFileError::LeadsOut { .. }) => Ok(None),
            other => other,
        }
    }

    /// The visible part of a folder, folders before their contents, in the order of names; empty for a jar.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Unreadable`] for a folder that cannot be listed.
    pub fn list(&self) -> Result<Vec<ListedEntry>> {
        note(|| Question::Listing);
        match &self.kind {
            EntryKind::Directory(folder) => folder.list(),
            EntryKind::Jar { .. } => Ok(Vec::new()),
        }
    }

    /// Internal names of all classes, sorted. `module-info`, `package-info` and what lies under `META-INF`
    /// are left out.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Unreadable`] for a folder that cannot be listed.
    pub fn class_names(&self) -> Result<Vec<String>> {
        note(|| Question::Names);
        self.names_of_classes()
    }

    /// As [`ClassPathEntry::class_names`], without recording it.
    pub(crate) fn names_of_classes(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> = match &self.kind {
            EntryKind::Directory(folder) => {
                let is_file = |it: &ListedEntry| !matches!(it.kind, ListedKind::Folder);
                folder.list()?.into_iter().filter(is_file).map(|it| it.name).collect()
            }
            EntryKind::Jar { names, .. } => names.keys().map(|name| name.to_string()).collect(),
        };
        names.retain_mut(|name| {
            let is_class = name.ends_with(".class") && !name.starts_with("META-INF/");
            name.truncate(name.len().saturating_sub(".class".len()));
            is_class && is_code(name)
        });
        names.sort_unstable();
        Ok(names)
    }
}

/// Whether a class file of this internal name holds code, rather than a description of a module or package.
pub(crate) fn is_code(internal_name: &str) -> bool {
    !matches!(internal_name.rsplit('/').next(), Some("module-info" | "package-info"))
}

/// The name that a class file declares; `None` if it is not a class file.
fn declared_name(bytes: &[u8]) -> Option<String> {
    let class = noak::reader::Class::new(bytes).ok()?;
    let declared = class.pool().retrieve(class.this_class()).ok()?;
    declared.name.to_str().map(str::to_owned)
}

/// Whether a name stays inside a folder: no empty, `.` or `..` part. Entries of jars with other names are invisible.
fn is_plain(name: &str) -> bool {
    name.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']))
}

/// The files of a jar by the name under which a program sees them: those of a multi-release jar up to this version, 0
/// for other jars.
fn names(archive: &ZipArchive<BufReader<File>>, version_limit: u16) -> BTreeMap<Box<str>, usize> {
    // Version (0 for the base) and number of the entry, by name.
    let mut best: BTreeMap<Box<str>, (u16, usize)> = BTreeMap::new();
    for index in 0..archive.len() {
        let Some(Ok(name)) = archive.name_for_index(index) else {
            continue;
        };
        let (version, name) = match version_of(&name).filter(|_| version_limit > 0) {
            Some((version, name)) if (FIRST_MULTI_RELEASE..=version_limit).contains(&version) => {
                (version, name)
            }
            Some(_) => continue,
            None if name.ends_with('/') => continue,
            None => (0, &*name),
        };
        if !is_plain(name) {
            continue;
        }
        let slot = best.entry(name.into()).or_insert((version, index));
        if version >= slot.0 {
            *slot = (version, index);
        }
    }
    best.into_iter().map(|(name, (_, index))| (name, index)).collect()
}

/// The parts of `META-INF/versions/N/name`.
fn version_of(name: &str) -> Option<(u16, &str)> {
    let (version, name) = name.strip_prefix("META-INF/versions/")?.split_once('/')?;
    Some((version.parse().ok()?, name))
}

/// Whether the manifest's main section says `Multi-Release: true`.
fn is_multi_release(archive: &mut ZipArchive<BufReader<File>>) -> bool {
    let mut manifest = Vec::new();
    let read = archive
        .by_name("META-INF/MANIFEST.MF")
        .map(|entry| entry.take(LARGEST_MANIFEST).read_to_end(&mut manifest));
    if !matches!(read, Ok(Ok(_))) {
        return false;
    }
    let manifest = String::from_utf8_lossy(&manifest);
    let main_section = manifest.lines().take_while(|line| !line.trim_end().is_empty());
    main_section.filter_map(|line| line.split_once(':')).any(|(key, value)| {
        key.eq_ignore_ascii_case("Multi-Release") && value.trim().eq_ignore_ascii_case("true")
    })
}

/// The jars of a folder, sorted.
fn jars_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error: std::io::Error| ClassFileError::unreadable(folder.display().to_string(), &error);
    let mut jars = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jar")) {
            jars.push(path);
        }
    }
    jars.sort_unstable();
    Ok(jars)
}

/// The number of entries that an end record of this archive claims, at most. Reading the list of entries takes
/// memory, so this is checked first; the list is not read beyond the number in its end record.
fn entry_count(file: &mut File) -> std::io::Result<u64> {
    const END: [u8; 4] = [b'P', b'K', 5, 6];
    const END_64: [u8; 4] = [b'P', b'K', 6, 6];
    // The longest comment, after both records and the locator between them.
    const TAIL: u64 = 0xFFFF + 22 + 20 + 56;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail)?;
    file.rewind()?;
    let mut most = 0;
    for at in 0..tail.len() {
        let record = &tail[at..];
        if record.starts_with(&END)
            && let Some(count) = record.get(10..12)
        {
            most = most.max(u64::from(u16::from_le_bytes([count[0], count[1]])));
        } else if record.starts_with(&END_64)
            && let Some(count) = record.get(32..40).and_then(|it| it.first_chunk::<8>())
        {
            most = most.max(u64::from_le_bytes(*count));
        }
    }
    Ok(most)
}

fn damaged(file: &str, problem: &str) -> ClassFileError {
    ClassFileError::DamagedArchive { file: file.into(), problem: problem.into() }
}
