//! The two versions of the program, and the changes between them.

use super::arguments::{Arguments, EmittedVersion};
use super::checkouts::Checkouts;
use super::moves::Moves;
use crate::process::console;
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
    /// The classes to be searched, as the user names them; empty for all.
    pub selected: Vec<String>,
    /// Classes with another name in the new version; here they have their old names.
    pub moves: Moves,
    /// The changes.
    pub comparison: Comparison,
    /// The call graph of the old version, for the methods from which changes are visible.
    pub before: Influence,
    /// The same in the new version.
    pub now: Influence,
    /// The folders of `--git`, while they are needed.
    _checkouts: Option<Checkouts>,
}

impl Versions {
    /// Opens both and compares them.
    ///
    /// # Errors
    /// A part of a class path cannot be read, or there is no class to compare.
    pub fn open(args: &Arguments) -> Result<Versions, String> {
        let jdk = args.jdk.locate()?;
        let checkouts = args.git.as_deref().map(|range| Checkouts::build(range, args)).transpose()?;
        let (own, selected) = match &checkouts {
            Some(checkouts) => {
                let names = args.old.iter().chain(&args.new).chain(&args.classes);
                (checkouts.classes().clone(), names.cloned().collect())
            }
            None => {
                let own = [&args.old, &args.new].map(|it| it.clone().unwrap_or_default());
                (own, args.classes.clone())
            }
        };
        let (old_names, old) = version(&own[0], args.classpath_old.as_deref(), args, &jdk)?;
        let (mut new_names, mut new) = version(&own[1], args.classpath_new.as_deref(), args, &jdk)?;
        // Tests of the new version would have the old names.
        let moves = match args.emit {
            Some(EmittedVersion::New) => Moves::default(),
            _ => Moves::find((&old, &old_names), (&new, &new_names))?,
        };
        if let Some(folder) = moves.folder() {
            let folder = folder.display();
            let needed = format!("{}{PATH_SEPARATOR}{}", own[1], args.classpath_new.as_deref().unwrap_or(""));
            (new_names, new) = version(&folder.to_string(), Some(&needed), args, &jdk)?;
            console::remark(|| {
                format!("{} classes have another name in the new version", moves.list().len())
            });
        }
        let all: BTreeSet<String> = old_names.union(&new_names).cloned().collect();
        let comparison = compare(&old, &new, &all).map_err(|error| error.to_string())?;
        let (before, now) = (Influence::of(&old, &old_names), Influence::of(&new, &new_names));
        Ok(Versions { old, new, selected, moves, comparison, before, now, _checkouts: checkouts })
    }
}

/// A version: the names of its own classes, and the program with everything that they need.
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
