//! The two versions of the program, and what changed between them.

use super::arguments::Arguments;
use crate::shared::class_path;
use cupping_classfile::{ClassPath, Jdk, PATH_SEPARATOR, Program};
use cupping_diff::{Comparison, Influence, compare};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Two versions of a program on one JDK.
pub struct Versions {
    /// The program as it was.
    pub old: Arc<Program>,
    /// The program as it is now.
    pub new: Arc<Program>,
    /// What changed.
    pub comparison: Comparison,
    /// From where changes can be seen in the old version.
    pub before: Influence,
    /// The same in the new version.
    pub now: Influence,
}

impl Versions {
    /// Opens both and compares them.
    ///
    /// # Errors
    /// A part of a class path cannot be read, or there is no class to compare.
    pub fn open(args: &Arguments) -> Result<Versions, String> {
        let jdk = args.jdk.locate()?;
        let (old_names, old) = version(&args.old, args.classpath_old.as_deref(), args, &jdk)?;
        let (new_names, new) = version(&args.new, args.classpath_new.as_deref(), args, &jdk)?;
        let all: BTreeSet<String> = old_names.union(&new_names).cloned().collect();
        let comparison = compare(&old, &new, &all).map_err(|error| error.to_string())?;
        let (before, now) = (Influence::of(&old, &old_names), Influence::of(&new, &new_names));
        Ok(Versions { old, new, comparison, before, now })
    }
}

/// A version: the names of its own classes, and the program with all that they need.
fn version(
    own: &str,
    needed: Option<&str>,
    args: &Arguments,
    jdk: &Jdk,
) -> Result<(BTreeSet<String>, Arc<Program>), String> {
    for entry in own.split(PATH_SEPARATOR) {
        if !Path::new(entry).exists() {
            return Err(format!("{entry}: no such folder or jar; name one with compiled classes"));
        }
    }
    let classes = ClassPath::open(own, jdk.feature_version()).map_err(|error| error.to_string())?;
    let mut names = BTreeSet::new();
    for entry in classes.entries() {
        names.extend(entry.class_names().map_err(|error| error.to_string())?);
    }
    if names.is_empty() {
        return Err(format!("{own}: there are no classes; name a folder or jar with compiled classes"));
    }
    let parts: Vec<&str> = [Some(own), needed, args.classpath.as_deref()].into_iter().flatten().collect();
    let path = class_path::open(Some(&parts.join(&PATH_SEPARATOR.to_string())), jdk)?;
    Ok((names, Arc::new(Program::new(jdk.clone(), path))))
}
