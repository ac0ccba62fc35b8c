//! Classes that have another name in the new version. The new version is compared under the old names, so it is
//! written once more with these.

use cupping_classfile::Program;
use cupping_diff::{MovedClass, moved_classes, rename_classes, renamed};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// The moved classes, and the new version under the old names.
#[derive(Default)]
pub struct Moves {
    list: Vec<MovedClass>,
    /// The names in the new version, by the names under which the classes are compared.
    new_names: BTreeMap<String, String>,
    folder: Option<TempDir>,
    /// The new version as it is.
    original: Option<Arc<Program>>,
}

impl Moves {
    /// Matches the classes that only one version has, and writes the new version under the old names.
    ///
    /// # Errors
    ///
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
            let Some(file) = new.find(name).map_err(|error| error.to_string())? else { continue };
            let (old_name, bytes) = match rename_classes(file.bytes(), &back) {
                Some(bytes) => (renamed(name, &back), bytes),
                None => (None, file.bytes().to_vec()),
            };
            let target = folder.path().join(format!("{}.class", old_name.as_ref().unwrap_or(name)));
            let written = match target.parent() {
                Some(parent) => fs::create_dir_all(parent).and_then(|()| fs::write(&target, bytes)),
                None => Ok(()),
            };
            written.map_err(|error| format!("{}: {error}", target.display()))?;
        }
        let new_names = back.into_iter().map(|(is, was)| (was, is)).collect();
        Ok(Moves { list, new_names, folder: Some(folder), original: Some(Arc::clone(new)) })
    }

    /// The moved classes, by their old names.
    pub fn list(&self) -> &[MovedClass] {
        &self.list
    }

    /// The folder of the new version under the old names, if anything moved.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(TempDir::path)
    }

    /// The new version under its own names, if anything moved.
    pub fn original(&self) -> Option<&Program> {
        self.original.as_deref()
    }

    /// The name that a class of the old version has in the new one.
    pub fn new_name(&self, name: &str) -> String {
        renamed(name, &self.new_names).unwrap_or_else(|| name.to_owned())
    }
}

/// The old names of the moved classes. A new class in a package from which another class moved back moves with it,
/// so that its package-private members stay accessible.
fn old_names(
    list: &[MovedClass],
    old: &BTreeSet<String>,
    new: &BTreeSet<String>,
) -> BTreeMap<String, String> {
    let mut back: BTreeMap<String, String> = list.iter().map(|it| (it.is.clone(), it.was.clone())).collect();
    let packages: BTreeSet<[&str; 2]> = list.iter().map(|it| [package(&it.is), package(&it.was)]).collect();
    for [from, to] in packages.into_iter().filter(|[from, to]| from != to) {
        for name in new.iter().filter(|name| package(name) == from && !old.contains(*name)) {
            let other = format!("{to}{}", &name[from.len()..]);
            if renamed(name, &back).is_none() && !old.contains(&other) && !new.contains(&other) {
                back.insert(name.clone(), other);
            }
        }
    }
    back
}

/// The package of a class, with a trailing slash.
fn package(name: &str) -> &str {
    &name[..name.rfind('/').map_or(0, |at| at + 1)]
}
