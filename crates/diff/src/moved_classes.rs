//! Classes with another name or package in the new version, matched by similarity.

use crate::canonical::{Canonical, has_stable_name};
use cupping_classfile::{ClassFile, Program};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Minimum similarity of two classes that count as one, in percent.
const LEAST_LIKENESS: usize = 50;
/// A class with fewer parts is not distinctive: it must keep its simple name.
const FEW_PARTS: usize = 6;
/// Limit on the classes that only one version has; beyond it, the versions are different programs.
const MAX_CLASSES: usize = 2000;

/// A class that has another name now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedClass {
    /// Its internal name in the old version.
    pub was: String,
    /// Its name in the new version.
    pub is: String,
    /// The similarity in percent.
    pub likeness: usize,
}

/// A class by its parts: members and bodies, with names of classes shortened.
struct Portrait {
    name: String,
    parts: BTreeSet<String>,
}

/// Pairs outermost classes that only the old version has with those that only the new version has, most similar
/// first. The names are those of each version's own classes.
pub fn moved_classes(
    old: (&Program, &BTreeSet<String>),
    new: (&Program, &BTreeSet<String>),
) -> Vec<MovedClass> {
    let gone = portraits(old.0, old.1.difference(new.1));
    let come = portraits(new.0, new.1.difference(old.1));
    let mut pairs: Vec<(usize, bool, &Portrait, &Portrait)> = Vec::new();
    for was in &gone {
        for is in &come {
            let has_name = simple(&was.name) == simple(&is.name);
            let likeness = likeness(was, is);
            let says_enough = has_name || was.parts.len().min(is.parts.len()) >= FEW_PARTS;
            if likeness >= LEAST_LIKENESS && says_enough {
                pairs.push((100 - likeness, !has_name, was, is));
            }
        }
    }
    pairs.sort_by_key(|(unlike, has_other_name, was, is)| (*unlike, *has_other_name, &was.name, &is.name));
    let mut moved: Vec<MovedClass> = Vec::new();
    for (unlike, _, was, is) in pairs {
        if moved.iter().all(|it| it.was != was.name && it.is != is.name) {
            moved.push(MovedClass { was: was.name.clone(), is: is.name.clone(), likeness: 100 - unlike });
        }
    }
    moved.sort_by(|a, b| a.was.cmp(&b.was));
    moved
}

fn portraits<'a>(program: &Program, names: impl Iterator<Item = &'a String>) -> Vec<Portrait> {
    let names: Vec<&String> = names.filter(|it| !it.contains('$') && !it.ends_with("-info")).collect();
    if names.len() > MAX_CLASSES {
        return Vec::new();
    }
    let find = |name: &&String| program.find(name).ok().flatten().filter(|it| has_stable_name(it));
    names.iter().filter_map(find).map(|it| portrait(program, &it)).collect()
}

fn portrait(program: &Program, file: &Arc<ClassFile>) -> Portrait {
    let mut canonical = Canonical::new(program);
    let mut parts = BTreeSet::new();
    let own = simple(&file.name);
    for field in file.fields.iter().filter(|it| !it.access.is_synthetic()) {
        parts.insert(format!("field {} {}", field.name, shortened(&field.descriptor, own)));
    }
    for method in file.methods.iter().filter(|it| !it.access.is_synthetic()) {
        let head = format!("{}{}", method.name, shortened(&method.descriptor, own));
        let body = canonical.body(file, method);
        // Ignore features that every class has.
        if body.lines().count() > 3 {
            parts.insert(format!("{head} {}", shortened(&body, own)));
        }
        parts.insert(head);
    }
    Portrait { name: file.name.to_string(), parts }
}

fn likeness(one: &Portrait, other: &Portrait) -> usize {
    let (few, many) = (one.parts.len().min(other.parts.len()), one.parts.len().max(other.parts.len()));
    // They cannot have enough in common; most pairs end here.
    if 200 * few < LEAST_LIKENESS * (few + many) {
        return 0;
    }
    let common = one.parts.intersection(&other.parts).count();
    200 * common / (one.parts.len() + other.parts.len()).max(1)
}

fn simple(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// A text with class names without their packages, and with the class's own name as `this`: the classes that it uses
/// may have moved, too.
fn shortened(text: &str, own: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for separated in text.split_inclusive(|it: char| !is_in_name(it)) {
        let end = separated.trim_end_matches(|it: char| !is_in_name(it)).len();
        let (name, separator) = separated.split_at(end);
        // In the descriptor of a class without a package, a letter precedes the name.
        let bare = if name.strip_prefix('L') == Some(own) { own } else { simple(name) };
        out += if bare == own { "this" } else { bare };
        out += separator;
    }
    out
}

fn is_in_name(it: char) -> bool {
    it.is_alphanumeric() || matches!(it, '/' | '_' | '$')
}
