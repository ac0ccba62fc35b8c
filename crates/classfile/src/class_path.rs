//! The class path: directories and jars.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use zip::ZipArchive;

use crate::error::{ClassFileError, Result};

/// What separates the entries of a class path on this platform.
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
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Directory,
    Jar {
        archive: Mutex<ZipArchive<BufReader<File>>>,
        /// By name as it is asked for: the number of the entry to read, which may be a version's.
        names: BTreeMap<Box<str>, usize>,
    },
}

impl ClassPath {
    /// Opens a class path as `java --class-path` takes it: entries between `:` (`;` on Windows), `folder/*` for all jars
    /// of a folder. Empty entries are skipped. Of multi-release jars, what fits `feature_version` is seen.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Unreadable`], [`ClassFileError::DamagedArchive`].
    pub fn open(class_path: &str, feature_version: u16) -> Result<ClassPath> {
        let mut opened = ClassPath::default();
        for entry in class_path.split(PATH_SEPARATOR).filter(|entry| !entry.is_empty()) {
            match entry.strip_suffix('*').filter(|folder| folder.is_empty() || folder.ends_with(['/', '\\']))
            {
                None => opened.push(Path::new(entry), feature_version)?,
                Some(folder) => {
                    for jar in jars_of(Path::new(if folder.is_empty() { "." } else { folder }))? {
                        opened.push(&jar, feature_version)?;
                    }
                }
            }
        }
        Ok(opened)
    }

    /// Opens an entry and adds it at the end, unless it is there already.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Unreadable`], [`ClassFileError::DamagedArchive`].
    pub fn push(&mut self, path: &Path, feature_version: u16) -> Result<()> {
        if self.entry(path).is_none() {
            self.entries.push(Arc::new(ClassPathEntry::open(path, feature_version)?));
        }
        Ok(())
    }

    /// The entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = &ClassPathEntry> {
        self.entries.iter().map(|entry| &**entry)
    }

    /// The entry that was opened from `path`, or from another name of the same file.
    pub fn entry(&self, path: &Path) -> Option<&ClassPathEntry> {
        self.entries().find(|entry| entry.path == path).or_else(|| {
            let canonical = fs::canonicalize(path).ok()?;
            self.entries().find(|entry| fs::canonicalize(&entry.path).is_ok_and(|other| other == canonical))
        })
    }
}

impl ClassPathEntry {
    fn open(path: &Path, feature_version: u16) -> Result<ClassPathEntry> {
        let name = path.display().to_string();
        let unreadable = |error: std::io::Error| ClassFileError::unreadable(&*name, &error);
        let kind = if fs::metadata(path).map_err(unreadable)?.is_dir() {
            Kind::Directory
        } else {
            let file = File::open(path).map_err(unreadable)?;
            let mut archive =
                ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(&name, &error.to_string()))?;
            let names = names(&mut archive, feature_version);
            Kind::Jar { archive: Mutex::new(archive), names }
        };
        Ok(ClassPathEntry { path: path.to_owned(), kind })
    }

    /// The file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is a jar, not a directory.
    pub fn is_jar(&self) -> bool {
        matches!(self.kind, Kind::Jar { .. })
    }

    /// How messages name a file of this entry: `lib.jar!/org/x/Y.class`, `classes/org/x/Y.class`.
    pub fn place(&self, name: &str) -> String {
        match &self.kind {
            Kind::Directory => self.path.join(name).display().to_string(),
            Kind::Jar { .. } => format!("{}!/{name}", self.path.display()),
        }
    }

    /// The content of a file, such as `org/x/Y.class`.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Unreadable`], [`ClassFileError::DamagedArchive`].
    pub fn read(&self, name: &str) -> Result<Option<Arc<[u8]>>> {
        match &self.kind {
            Kind::Directory if !is_plain(name) => Ok(None),
            Kind::Directory => match fs::read(self.path.join(name)) {
                Ok(bytes) => Ok(Some(bytes.into())),
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory
                    ) =>
                {
                    Ok(None)
                }
                Err(error) => Err(ClassFileError::unreadable(self.place(name), &error)),
            },
            Kind::Jar { archive, names } => {
                let Some(index) = names.get(name) else {
                    return Ok(None);
                };
                let damaged = |problem: String| damaged(&self.place(name), &problem);
                // A panic elsewhere does not harm the archive: each read sets its position anew.
                let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
                let mut entry = archive.by_index(*index).map_err(|error| damaged(error.to_string()))?;
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).map_err(|error| damaged(error.to_string()))?;
                Ok(Some(bytes.into()))
            }
        }
    }

    /// Internal names of all classes, sorted. `module-info`, `package-info` and what lies under `META-INF` are left out.
    ///
    /// # Errors
    ///
    /// [`ClassFileError::Unreadable`] for a folder that cannot be listed.
    pub fn class_names(&self) -> Result<Vec<String>> {
        let mut names = match &self.kind {
            Kind::Directory => {
                let mut names = Vec::new();
                walk(&self.path, "", &mut names)?;
                names
            }
            Kind::Jar { names, .. } => names.keys().map(|name| name.to_string()).collect(),
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

/// Whether a name stays inside a folder: no empty, `.` or `..` part.
fn is_plain(name: &str) -> bool {
    name.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']))
}

/// The files of a jar by the name under which a program of `feature_version` sees them.
fn names(archive: &mut ZipArchive<BufReader<File>>, feature_version: u16) -> BTreeMap<Box<str>, usize> {
    let versioned = is_multi_release(archive);
    // By name: the version that the entry is for, 0 for the base, and its number.
    let mut best: BTreeMap<Box<str>, (u16, usize)> = BTreeMap::new();
    for index in 0..archive.len() {
        let Some(Ok(name)) = archive.name_for_index(index) else {
            continue;
        };
        let (version, name) = match version_of(&name).filter(|_| versioned) {
            Some((version, name)) if (FIRST_MULTI_RELEASE..=feature_version).contains(&version) => {
                (version, name)
            }
            Some(_) => continue,
            None if name.ends_with('/') => continue,
            None => (0, &*name),
        };
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
    let read = archive.by_name("META-INF/MANIFEST.MF").map(|mut entry| entry.read_to_end(&mut manifest));
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

/// Adds the files under `folder`, by names relative to the root.
fn walk(folder: &Path, prefix: &str, to: &mut Vec<String>) -> Result<()> {
    let unreadable = |error: std::io::Error| ClassFileError::unreadable(folder.display().to_string(), &error);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let name = format!("{prefix}{name}");
        // Links to folders are not followed, so that a cycle of them ends.
        if entry.file_type().map_err(unreadable)?.is_dir() {
            walk(&entry.path(), &format!("{name}/"), to)?;
        } else {
            to.push(name);
        }
    }
    Ok(())
}

fn damaged(file: &str, problem: &str) -> ClassFileError {
    ClassFileError::DamagedArchive { file: file.into(), problem: problem.into() }
}
