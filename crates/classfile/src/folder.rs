//! A folder of a class path.
//!
//! A class path is not trusted, and what it shows may be read by the program under test. So a folder shows regular
//! files that really lie in it, and nothing else:
//!
//! - Symbolic links are followed inside the folder and refused where they lead out of it. The folder itself may be a
//!   link: the user has named it.
//! - FIFOs, sockets and devices are not opened. Opening some of them blocks or has effects.
//! - Names that begin with a dot (`.git`, `.env`) are not seen: no class and no package has such a name, and they are
//!   where people keep what is theirs.
//! - A folder that nobody named, the default class path `.`, shows only class files whose name and package are those
//!   of the path. Everything else below the current folder is not part of the program.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::error::{ClassFileError, Result};
use crate::limits::{DEEPEST_FOLDER, MOST_FILES, largest, read_at_most};

/// A folder of a class path.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The path as the user wrote it.
    path: PathBuf,
    /// The path without links, at the time when the folder was opened.
    root: PathBuf,
    /// Whether the user named it, so that its resources are visible.
    named: bool,
}

/// An entry of a class-path folder, by its name relative to the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEntry {
    /// Such as `org/x/Y.class`.
    pub name: String,
    /// The kind of entry.
    pub kind: ListedKind,
}

/// The kinds of entries in a folder of a class path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListedKind {
    /// A folder; what lies in it is listed behind it.
    Folder,
    /// A regular file of this length in bytes.
    File(u64),
    /// A symbolic link to something below the same folder: that one's name, empty for the folder itself.
    Link(String),
}

impl Folder {
    pub(crate) fn open(path: &Path, named: bool) -> std::io::Result<Folder> {
        Ok(Folder { path: path.to_owned(), root: fs::canonicalize(path)?, named })
    }

    pub(crate) fn is_named(&self) -> bool {
        self.named
    }

    fn place(&self, name: &str) -> String {
        self.path.join(name).display().to_string()
    }

    /// The content of a file; `None` if no visible file has this name.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        if !is_visible(name) || !self.named && !name.ends_with(".class") {
            return Ok(None);
        }
        let unreadable = |error: std::io::Error| ClassFileError::unreadable(self.place(name), &error);
        let (file, length) = match open_regular(&self.root.join(name), &self.root) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(None),
            Err(RefusalReason::Outside(to)) => return Err(self.leads_out(name, &to)),
            Err(RefusalReason::System(error)) => {
                return match error.kind() {
                    ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory => Ok(None),
                    _ => Err(unreadable(error)),
                };
            }
        };
        let bytes = read_at_most(file, length, largest(name), &|| self.place(name), &unreadable)?;
        Ok(Some(bytes))
    }

    fn leads_out(&self, name: &str, to: &Path) -> ClassFileError {
        ClassFileError::LeadsOut {
            file: self.place(name).into(),
            folder: self.path.display().to_string().into(),
            to: to.display().to_string().into(),
        }
    }

    /// All visible entries, folders before their contents, in the order of names. Links to folders are listed but
    /// not followed, so that cycles end.
    pub(crate) fn list(&self) -> Result<Vec<ListedEntry>> {
        let mut found = Vec::new();
        self.walk(&self.root, "", 0, &mut found)?;
        if !self.named {
            // Folders without classes are not packages.
            let mut packages = std::collections::BTreeSet::new();
            for listed in found.iter().filter(|it| it.kind != ListedKind::Folder) {
                let ends = listed.name.match_indices('/').map(|(end, _)| end);
                packages.extend(ends.map(|end| listed.name[..end].to_owned()));
            }
            found.retain(|it| it.kind != ListedKind::Folder || packages.contains(&it.name));
        }
        Ok(found)
    }

    fn walk(&self, folder: &Path, prefix: &str, depth: usize, to: &mut Vec<ListedEntry>) -> Result<()> {
        let unreadable = |error: std::io::Error| {
            ClassFileError::unreadable(self.place(prefix.trim_end_matches('/')), &error)
        };
        let mut inner = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            if let Ok(name) = entry.file_name().into_string()
                && !name.starts_with('.')
                && !name.contains('\\')
            {
                inner.push((name, entry));
            }
            if inner.len() + to.len() > MOST_FILES {
                return Err(self.too_many(prefix));
            }
        }
        inner.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, entry) in inner {
            let name = format!("{prefix}{name}");
            let kind = entry.file_type().map_err(unreadable)?;
            if kind.is_dir() {
                if depth >= DEEPEST_FOLDER {
                    return Err(self.too_many(&name));
                }
                to.push(ListedEntry { name: name.clone(), kind: ListedKind::Folder });
                // A folder that has vanished meanwhile, or become something else, is ignored.
                self.walk(&entry.path(), &format!("{name}/"), depth + 1, to)?;
            } else if self.named || name.ends_with(".class") {
                let kind = if kind.is_symlink() {
                    match self.target(&entry.path()) {
                        Some(target) => ListedKind::Link(target),
                        None => continue,
                    }
                } else if kind.is_file() {
                    let Ok(known) = entry.metadata() else { continue };
                    ListedKind::File(known.len())
                } else {
                    continue;
                };
                to.push(ListedEntry { name, kind });
            }
            if to.len() > MOST_FILES {
                return Err(self.too_many(prefix));
            }
        }
        Ok(())
    }

    fn too_many(&self, name: &str) -> ClassFileError {
        ClassFileError::Unreadable {
            file: self.place(name.trim_end_matches('/')).into(),
            problem: format!(
                "the folder {} has more than {MOST_FILES} files or folders nested deeper than {DEEPEST_FOLDER}",
                self.path.display()
            )
            .into(),
        }
    }

    /// The target of a link, if it is a visible file or folder below the root.
    fn target(&self, link: &Path) -> Option<String> {
        let target = fs::canonicalize(link).ok()?;
        let below = target.strip_prefix(&self.root).ok()?;
        let known = fs::symlink_metadata(&target).ok()?;
        if !(known.is_dir() || known.is_file()) {
            return None;
        }
        let name = below.to_str()?.to_owned();
        (name.is_empty() || is_visible(&name)).then_some(name)
    }
}

/// Whether a name stays inside a folder and is visible there: no part is empty or begins with a dot.
pub(crate) fn is_visible(name: &str) -> bool {
    name.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', '\0']))
}

/// Why a file is not opened.
enum RefusalReason {
    /// It lies there, outside the root.
    Outside(PathBuf),
    System(std::io::Error),
}

/// Whether this place, which has no links, is below the root, without hidden names on the way.
fn is_below(place: &Path, root: &Path) -> bool {
    place.strip_prefix(root).is_ok_and(|below| {
        below
            .components()
            .all(|part| matches!(part, Component::Normal(name) if !name.as_encoded_bytes().starts_with(b".")))
    })
}

/// A regular file below `root` and its length, open for reading; `None` if it is something else.
///
/// The file is inspected before it is opened for reading, through a handle, so that nobody can exchange it in
/// between: the handle (`O_PATH`) tells where and what the file is, and opening it has no effect on the file. The
/// file is then opened through the handle.
#[cfg(target_os = "linux")]
fn open_regular(path: &Path, root: &Path) -> Result<Option<(File, u64)>, RefusalReason> {
    use rustix::fs::{FileType, Mode, OFlags, fstat, open};
    use std::os::fd::AsRawFd;

    let system = |error: rustix::io::Errno| RefusalReason::System(error.into());
    let handle = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(system)?;
    let through = PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()));
    let Ok(place) = fs::read_link(&through) else {
        return open_by_path(path, root);
    };
    if !is_below(&place, root) {
        return Err(RefusalReason::Outside(place));
    }
    let known = fstat(&handle).map_err(system)?;
    if FileType::from_raw_mode(known.st_mode) != FileType::RegularFile {
        return Ok(None);
    }
    let file = File::open(&through).map_err(RefusalReason::System)?;
    Ok(Some((file, known.st_size.try_into().unwrap_or(0))))
}

/// As on Linux, as far as other systems allow it: the file is inspected before and after it is opened.
#[cfg(not(target_os = "linux"))]
fn open_regular(path: &Path, root: &Path) -> Result<Option<(File, u64)>, RefusalReason> {
    open_by_path(path, root)
}

/// Works without handles: the second check notices a link that was exchanged after the first.
fn open_by_path(path: &Path, root: &Path) -> Result<Option<(File, u64)>, RefusalReason> {
    let place = fs::canonicalize(path).map_err(RefusalReason::System)?;
    if !is_below(&place, root) {
        return Err(RefusalReason::Outside(place));
    }
    if !fs::symlink_metadata(&place).map_err(RefusalReason::System)?.is_file() {
        return Ok(None);
    }
    let file = File::open(&place).map_err(RefusalReason::System)?;
    let known = file.metadata().map_err(RefusalReason::System)?;
    match fs::canonicalize(&place) {
        Ok(again) if again == place && known.is_file() => Ok(Some((file, known.len()))),
        Ok(again) if again == place => Ok(None),
        Ok(again) => Err(RefusalReason::Outside(again)),
        Err(error) => Err(RefusalReason::System(error)),
    }
}
