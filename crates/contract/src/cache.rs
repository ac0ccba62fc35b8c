//! A cache of compiled conditions: starting `javac` takes longer than most programs under test run.
//!
//! The key of an entry covers everything that it depends on: the generated Java, the contents of the class
//! path, and the JDK. Unreadable or damaged entries are compiled again, and a cache that cannot be written is
//! ignored.

use crate::compiler::Classes;
use cupping_classfile::Program;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Header of each entry; a new format needs a new header.
const MAGIC: &[u8] = b"cupping conditions 1\n";
/// Limit on the entries, and how many remain after a clean-up.
const MOST: usize = 512;
const LEFT: usize = 384;

/// The key of an entry.
#[derive(Clone)]
pub(crate) struct Key(DefaultHasher);

impl Key {
    /// A key for the classes and JDK of a program; `None` if they cannot be read.
    pub(crate) fn of(program: &Program) -> Option<Key> {
        let mut key = Key(DefaultHasher::new());
        key.add(env!("CARGO_PKG_VERSION").as_bytes());
        let javac = program.jdk().javac_binary();
        key.add(javac.to_string_lossy().as_bytes());
        // The file that names the JDK's release.
        if let Some(home) = javac.parent().and_then(Path::parent) {
            key.add(&fs::read(home.join("release")).unwrap_or_default());
        }
        for entry in program.class_path().entries() {
            if entry.is_jar() {
                key.add(&fs::read(entry.path()).ok()?);
                continue;
            }
            for name in entry.class_names().ok()? {
                key.add(name.as_bytes());
                key.add(&entry.read(&format!("{name}.class")).ok()??);
            }
        }
        Some(key)
    }

    fn add(&mut self, bytes: &[u8]) {
        self.0.write_usize(bytes.len());
        self.0.write(bytes);
    }

    pub(crate) fn with(mut self, texts: &[&str]) -> Key {
        texts.iter().for_each(|it| self.add(it.as_bytes()));
        self
    }

    pub(crate) fn name(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

/// `$XDG_CACHE_HOME/cupping/conditions` or `~/.cache/cupping/conditions`; `None` if neither is known.
fn folder() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("cupping").join("conditions"))
}

/// The classes of an entry.
pub(crate) fn find(name: &str) -> Option<Classes> {
    unpack(&fs::read(folder()?.join(name)).ok()?)
}

/// Stores classes. Concurrent processes are safe: an entry is put in place by an atomic rename.
pub(crate) fn keep(name: &str, classes: &Classes) {
    let Some(folder) = folder() else { return };
    if fs::create_dir_all(&folder).is_err() {
        return;
    }
    thin_out(&folder);
    let Ok(mut file) = tempfile::NamedTempFile::new_in(&folder) else { return };
    if std::io::Write::write_all(&mut file, &pack(classes)).is_ok() {
        let _ = file.persist(folder.join(name));
    }
}

/// Removes the oldest entries if there are too many.
fn thin_out(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let aged = entries.flatten().filter_map(|it| Some((it.metadata().ok()?.modified().ok()?, it.path())));
    let mut aged: Vec<_> = aged.collect();
    if aged.len() > MOST {
        aged.sort();
        for (_, path) in &aged[..aged.len() - LEFT] {
            let _ = fs::remove_file(path);
        }
    }
}

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish().to_le_bytes()
}

fn pack(classes: &Classes) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for part in classes.iter().flat_map(|(name, class)| [name.as_bytes(), class]) {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    let sum = checksum(&bytes);
    bytes.extend(sum);
    bytes
}

fn unpack(bytes: &[u8]) -> Option<Classes> {
    let (whole, sum) = bytes.split_last_chunk::<8>()?;
    let mut rest = whole.strip_prefix(MAGIC).filter(|_| checksum(whole) == *sum)?;
    let mut part = || -> Option<Option<Vec<u8>>> {
        let Some((length, after)) = rest.split_first_chunk::<8>() else {
            return rest.is_empty().then_some(None);
        };
        let (part, after) = after.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        rest = after;
        Some(Some(part.to_vec()))
    };
    let mut classes = Classes::new();
    while let Some(name) = part()? {
        classes.push((String::from_utf8(name).ok()?, part()??));
    }
    Some(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_classes_are_found_unless_damaged() {
        let classes = vec![("a/B".to_owned(), vec![1, 2, 3]), ("C".to_owned(), Vec::new())];
        let packed = pack(&classes);
        assert_eq!(unpack(&packed), Some(classes));
        assert_eq!(unpack(&pack(&Vec::new())), Some(Vec::new()));
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 4;
            assert_eq!(unpack(&damaged), None, "{at}");
            assert_eq!(unpack(&packed[..at]), None, "{at}");
        }
    }
}
