//! `--since`: only classes that have changed since a revision, and those that depend on them.

use crate::shared::changed_lines::{changed_files, path_of};
use crate::shared::named_classes;
use crate::shared::selection::Selection;
use clap::Args;
use cupping_classfile::{ClassFile, Origin, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Arguments of commands that can skip unchanged classes.
#[derive(Debug, Args)]
pub struct SinceArgs {
    /// Only classes whose sources or class files have changed since this revision of the surrounding git repository,
    /// and classes that depend on them; uncommitted changes count
    #[arg(long, value_name = "REF", help_heading = "Search")]
    pub since: Option<String>,
}

impl SinceArgs {
    /// Removes unaffected classes from a selection. Returns the message if nothing is left.
    ///
    /// # Errors
    ///
    /// There is no `git`, no repository or no such revision.
    pub fn narrow(&self, selection: &mut Selection, program: &Program) -> Result<Option<String>, String> {
        let Some(revision) = &self.since else { return Ok(None) };
        let names: Vec<String> = selection.classes.iter().map(|it| it.name.clone()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let affected = affected(revision, &names, program)?;
        selection.classes.retain(|it| it.error.is_some() || affected.contains(it.name.as_str()));
        let is_empty = selection.classes.is_empty() && selection.errors.is_empty();
        Ok(is_empty.then(|| nothing(revision)))
    }
}

/// The message if nothing has changed.
pub fn nothing(revision: &str) -> String {
    format!("no class has changed since {revision}\n")
}

/// Those of these classes (internal names) that have changed since a revision, or depend on classes that have. A
/// class that no longer exists has changed.
///
/// # Errors
///
/// There is no `git`, no repository or no such revision.
pub fn affected<'c>(
    revision: &str,
    classes: &[&'c str],
    program: &Program,
) -> Result<BTreeSet<&'c str>, String> {
    let world = reachable(classes, program);
    let files = |file: &ClassFile| path_of(file).into_iter().chain([format!("{}.class", file.name)]);
    let sources: BTreeSet<String> = world.values().flat_map(|(file, _)| files(file)).collect();
    let changed = changed_files(revision, &sources)?;
    let mut dependents: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, (_, mentioned)) in &world {
        mentioned.iter().for_each(|it| dependents.entry(it.as_str()).or_default().push(name));
    }
    let has_changed = |file: &ClassFile| files(file).any(|it| changed.contains(&it));
    let mut waiting: Vec<&str> =
        world.iter().filter(|(_, (file, _))| has_changed(file)).map(|(name, _)| name.as_str()).collect();
    let mut affected: BTreeSet<&str> = waiting.iter().copied().collect();
    while let Some(name) = waiting.pop() {
        for dependent in dependents.get(name).into_iter().flatten() {
            if affected.insert(dependent) {
                waiting.push(dependent);
            }
        }
    }
    let is_affected = |name: &&&str| affected.contains(**name) || !world.contains_key(**name);
    Ok(classes.iter().filter(is_affected).copied().collect())
}

/// The classes in folders that are reachable from these classes, each with the classes that it mentions.
fn reachable(classes: &[&str], program: &Program) -> BTreeMap<String, (Arc<ClassFile>, BTreeSet<String>)> {
    let mut world: BTreeMap<String, (Arc<ClassFile>, BTreeSet<String>)> = BTreeMap::new();
    let mut waiting: Vec<String> = classes.iter().map(|it| (*it).to_owned()).collect();
    while let Some(name) = waiting.pop() {
        if world.contains_key(&name) {
            continue;
        }
        let Ok(Some(file)) = program.find(&name) else { continue };
        // Jars come from elsewhere, so the repository has no sources of their classes.
        if !matches!(file.origin(), Origin::ClassPath { entry } if entry.is_dir()) {
            continue;
        }
        let mut mentioned = named_classes::in_constants(&file);
        mentioned.extend(named_classes::in_types(&file));
        waiting.extend(mentioned.iter().cloned());
        world.insert(name, (file, mentioned));
    }
    world
}
