//! Classes that have another name in the new version. The new version is compared under the old names: it is written
//! once more, with these.

use cupping_classfile::Program;
use cupping_diff::{MovedClass, moved_classes, rename_classes};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// What moved, and the new version under the old names.
#[derive(Default)]
pub struct Moves {
    list: Vec<MovedClass>,
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
        let back: BTreeMap<String, String> = list.iter().map(|it| (it.is.clone(), it.was.clone())).collect();
        let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
        for name in names {
            let file = new.find(name).map_err(|error| error.to_string())?;
            let Some(bytes) = file.and_then(|it| rename_classes(it.bytes(), &back)) else { continue };
            let target = folder.path().join(format!("{}.class", old_name(name, &list)));
            let written = match target.parent() {
                Some(parent) => fs::create_dir_all(parent).and_then(|()| fs::write(&target, bytes)),
                None => Ok(()),
            };
            written.map_err(|error| format!("{}: {error}", target.display()))?;
        }
        Ok(Moves { list, folder: Some(folder), original: Some(Arc::clone(new)) })
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
        let moved = self.list.iter().find_map(|it| exchanged(name, &it.was, &it.is));
        moved.unwrap_or_else(|| name.to_owned())
    }
}

fn old_name(name: &str, list: &[MovedClass]) -> String {
    list.iter().find_map(|it| exchanged(name, &it.is, &it.was)).unwrap_or_else(|| name.to_owned())
}

/// A class, or one nested in it, by its other name.
fn exchanged(name: &str, from: &str, to: &str) -> Option<String> {
    let rest = name.strip_prefix(from)?;
    (rest.is_empty() || rest.starts_with('$')).then(|| format!("{to}{rest}"))
}
