//! Classes that have another name in the new version. The new version is compared under the old names: it is written
//! once more, with these.

use cupping_classfile::Program;
use cupping_diff::{MovedClass, moved_classes, rename_classes, renamed};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// What moved, and the new version under the old names.
#[derive(Default)]
pub struct Moves {
    list: Vec<MovedClass>,
    /// Other names that the new version is written with: by the name there, that in the old version.
    back: BTreeMap<String, String>,
    folder: Option<TempDir>,
    /// The new version as it is.
    original: Option<Arc<Program>>,
}

impl Moves {
    /// Matches the classes that only one version has, and writes the new version.
    ///
    /// # Errors
    /// A class cannot be read or written.
    pub fn find(
        old: (&Program, &BTreeSet<String>),
        (new, names): (&Arc<Program>, &BTreeSet<String>),
    ) -> Result<Moves, String> {
        let list = moved_classes(old, (new, names));
        if list.is_empty() {
            return Ok(Moves::default());
        }
        let back = old_names(&list, old.1, names);
        let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        for name in names {
            let file = new.find(name).map_err(|error| error.to_string())?;
            let Some(bytes) = file.and_then(|it| rename_classes(it.bytes(), &back)) else { continue };
            let old_name = renamed(name, &back).unwrap_or_else(|| name.clone());
            let target = folder.path().join(format!("{old_name}.class"));
            let written = match target.parent() {
                Some(parent) => fs::create_dir_all(parent).and_then(|()| fs::write(&target, bytes)),
                None => Ok(()),
            };
            written.map_err(|error| format!("{}: {error}", target.display()))?;
        }
        Ok(Moves { list, back, folder: Some(folder), original: Some(Arc::clone(new)) })
    }

    /// What moved, by the old names.
    pub fn list(&self) -> &[MovedClass] {
        &self.list
    }

    /// The new version under the old names, if anything moved.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(TempDir::path)
    }

    /// The new version under its own names, if anything moved.
    pub fn original(&self) -> Option<&Program> {
        self.original.as_deref()
    }

    /// The name that a class of the old version has in the new one.
    pub fn new_name(&self, name: &str) -> String {
        let moved = self.back.iter().find_map(|(is, was)| exchanged(name, was, is));
        moved.unwrap_or_else(|| name.to_owned())
    }
}

/// The old names of what moved. A class that is new in a package from which another is taken back goes with it: what
/// belongs to a package only can then be used as before.
fn old_names(
    list: &[MovedClass],
    old: &BTreeSet<String>,
    new: &BTreeSet<String>,
) -> BTreeMap<String, String> {
    let mut back: BTreeMap<String, String> = list.iter().map(|it| (it.is.clone(), it.was.clone())).collect();
    for moved in list {
        let (from, to) = (package(&moved.is), package(&moved.was));
        let companions = new.iter().filter(|name| package(name) == from && !old.contains(*name));
        for name in companions.filter(|_| from != to) {
            let other = format!("{to}{}", &name[from.len()..]);
            if renamed(name, &back).is_none() && !old.contains(&other) && !new.contains(&other) {
                back.insert(name.clone(), other);
            }
        }
    }
    back
}

/// The package of a class, with the stroke behind it.
fn package(name: &str) -> &str {
    &name[..name.rfind('/').map_or(0, |at| at + 1)]
}

/// A class, or one nested in it, by its other name.
fn exchanged(name: &str, from: &str, to: &str) -> Option<String> {
    let rest = name.strip_prefix(from)?;
    (rest.is_empty() || rest.starts_with('$')).then(|| format!("{to}{rest}"))
}
