//! The two versions of the program, and the changes between them.

use super::arguments::{Arguments, EmittedVersion};
use super::checkouts::Checkouts;
use super::moves::Moves;
use crate::process::console;
use crate::shared::class_path;
use cupping_classfile::{ClassPath, ClassSelector, Jdk, PATH_SEPARATOR, Program};
use cupping_diff::{Comparison, Influence, compare, compare_jdks};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Two versions of a program.
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
    /// The classes in both if the versions run on different JDKs: all of them may behave differently.
    pub across_jdks: Option<BTreeSet<String>>,
    /// The folders of `--git`, while they are needed.
    _checkouts: Option<Checkouts>,
}

impl Versions {
    /// Opens both and compares them.
    ///
    /// # Errors
    /// A part of a class path cannot be read, or there is no class to compare.
    pub fn open(args: &Arguments) -> Result<Versions, String> {
        if args.jdk_old.is_some() || args.jdk_new.is_some() {
            return Versions::across_jdks(args);
        }
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
        let across_jdks = None;
        Ok(Versions {
            old,
            new,
            selected,
            moves,
            comparison,
            before,
            now,
            across_jdks,
            _checkouts: checkouts,
        })
    }

    /// Opens the versions for two JDKs.
    fn across_jdks(args: &Arguments) -> Result<Versions, String> {
        let jdks = [&args.jdk_old, &args.jdk_new].map(|it| args.jdk.locate_other(it.as_deref()));
        let [old_jdk, new_jdk] = jdks;
        let (old_jdk, new_jdk) = (old_jdk?, new_jdk?);
        let words: Vec<&String> = args.old.iter().chain(&args.new).chain(&args.classes).collect();
        let is_path = |it: &&&String| it.split(PATH_SEPARATOR).all(|part| Path::new(part).exists());
        let paths: Vec<&String> = words.iter().copied().take(2).take_while(|it| is_path(&it)).collect();
        let selected: Vec<String> = words[paths.len()..].iter().map(|it| (*it).clone()).collect();
        let ((old_names, old), (new_names, new)) = match paths.as_slice() {
            [] if selected.is_empty() => {
                return Err("nothing to compare; name folders or jars, or classes of the JDK such as \
                            'java.util.*'"
                    .to_owned());
            }
            [] => (of_jdk(&selected, args, &old_jdk)?, of_jdk(&selected, args, &new_jdk)?),
            [both] => (
                version(both, args.classpath_old.as_deref(), args, &old_jdk)?,
                version(both, args.classpath_new.as_deref(), args, &new_jdk)?,
            ),
            [old, new, ..] => (
                version(old, args.classpath_old.as_deref(), args, &old_jdk)?,
                version(new, args.classpath_new.as_deref(), args, &new_jdk)?,
            ),
        };
        let all: BTreeSet<String> = old_names.union(&new_names).cloned().collect();
        let compare = if paths.is_empty() { compare_jdks } else { compare };
        let comparison = compare(&old, &new, &all).map_err(|error| error.to_string())?;
        let (before, now) = (Influence::of(&old, &old_names), Influence::of(&new, &new_names));
        let across_jdks = Some(old_names.intersection(&new_names).cloned().collect());
        let moves = Moves::default();
        Ok(Versions { old, new, selected, moves, comparison, before, now, across_jdks, _checkouts: None })
    }
}

/// A JDK as a version: the classes that are selected.
fn of_jdk(
    selected: &[String],
    args: &Arguments,
    jdk: &Jdk,
) -> Result<(BTreeSet<String>, Arc<Program>), String> {
    let path = class_path::open(Some(args.classpath.as_deref().unwrap_or("")), jdk)?;
    let program = Program::new(jdk.clone(), path);
    let mut names = BTreeSet::new();
    for text in selected {
        names.extend(ClassSelector::parse(text).resolve(&program).map_err(|error| error.to_string())?);
    }
    Ok((names, Arc::new(program)))
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
