//! Names of methods and classes in options: an unknown one is an error that suggests the nearest known name.
//!
//! They are checked before anything runs: with `--exclude deleteAl` mistyped, `deleteAll` would be called.

use crate::shared::selection::Selection;
use cupping_classfile::{ClassFile, Program};
use cupping_generate::Filter;
use cupping_relation::nearest;
use std::collections::BTreeSet;

/// Limit on the superclasses that are visited; a damaged class may be its own superclass.
const MOST_ABOVE: usize = 1000;
/// JDK packages in which a pattern may match something that a sequence calls.
const OF_JDK: [&str; 7] =
    ["java/lang", "java/util", "java/math", "java/io", "java/nio", "java/text", "java/time"];

/// Errors in method names: `add`, or `add(I)V`.
pub fn unknown_methods(
    option: &str,
    wanted: &[String],
    program: &Program,
    selection: &Selection,
) -> Vec<String> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let classes: Vec<&str> =
        selection.classes.iter().filter(|it| it.error.is_none()).map(|it| &*it.name).collect();
    if classes.is_empty() {
        // Their errors are reported.
        return Vec::new();
    }
    let known: BTreeSet<String> = with_those_above(&classes, program, |file| {
        file.methods
            .iter()
            .flat_map(|it| [it.name.to_string(), format!("{}{}", it.name, it.descriptor)])
            .collect()
    });
    let unknown = wanted.iter().filter(|it| !known.contains(*it));
    unknown
        .map(|name| {
            // A name is compared with names, a name with descriptor with such.
            let alike = known.iter().filter(|it| it.contains('(') == name.contains('(')).map(String::as_str);
            let of = if classes.len() == 1 { classes[0].replace('/', ".") } else { "the classes".into() };
            format!("{option} {name}: there is no such method in {of}{}", suggestion(alike, name))
        })
        .collect()
}

/// Collects something from the classes, their superclasses and interfaces.
fn with_those_above(
    classes: &[&str],
    program: &Program,
    of: impl Fn(&ClassFile) -> Vec<String>,
) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    let mut seen: BTreeSet<String> = classes.iter().map(|it| (*it).to_owned()).collect();
    let mut waiting: Vec<String> = seen.iter().cloned().collect();
    while let Some(name) = waiting.pop() {
        let Ok(Some(file)) = program.find(&name) else { continue };
        known.extend(of(&file));
        for above in file.super_name.iter().chain(&file.interfaces) {
            if seen.len() < classes.len() + MOST_ABOVE && seen.insert(above.to_string()) {
                waiting.push(above.to_string());
            }
        }
    }
    known
}

/// Errors in patterns of `--include` and `--exclude`: those that match nothing.
pub fn unknown_patterns(
    option: &str,
    wanted: &[String],
    program: &Program,
    selection: &Selection,
) -> Vec<String> {
    let mut open: Vec<&String> = wanted.iter().collect();
    let mut known = BTreeSet::new();
    let look = |class: &str, open: &mut Vec<&String>, known: Option<&mut BTreeSet<String>>| {
        let Ok(Some(file)) = program.find(class) else { return };
        let mut all: Vec<[String; 4]> = Vec::new();
        let members = file.methods.iter().map(|it| &it.name).chain(file.fields.iter().map(|it| &it.name));
        all.extend(members.map(|member| Filter::names_of(class, member)));
        // A class without members has a name all the same.
        all.push(Filter::names_of(class, ""));
        open.retain(|pattern| !all.iter().any(|names| Filter::describes(pattern, names)));
        if let Some(known) = known {
            known.extend(all.into_iter().flatten());
        }
    };
    for class in selection.classes.iter().filter(|it| it.error.is_none()) {
        if !open.is_empty() {
            look(&class.name, &mut open, Some(&mut known));
        }
    }
    for entry in program.class_path().entries() {
        for class in entry.class_names().unwrap_or_default() {
            if open.is_empty() {
                return Vec::new();
            }
            look(&class, &mut open, Some(&mut known));
        }
    }
    for package in OF_JDK {
        for class in program.classes_of_package(package, true).unwrap_or_default().iter() {
            if open.is_empty() {
                return Vec::new();
            }
            look(class, &mut open, None);
        }
    }
    // A class from other JDK packages, or one that is generated, can only be given by its full name.
    open.retain(|pattern| {
        let names = [pattern.as_str(), pattern.rsplit_once('.').map_or("", |(class, _)| class)];
        !names.iter().any(|name| matches!(program.find(&name.replace('.', "/")), Ok(Some(_))))
    });
    let nothing = |pattern: &String| {
        let alike = known.iter().map(String::as_str);
        format!(
            "{option} {pattern}: it matches no method, constructor, field or class{}",
            suggestion(alike, pattern)
        )
    };
    open.into_iter().map(nothing).collect()
}

/// # Errors
/// A class of this name is not there.
pub fn require_classes(option: &str, wanted: &[String], program: &Program) -> Result<(), String> {
    for name in wanted {
        if let Ok(Some(_)) = program.find(&name.replace('.', "/")) {
            continue;
        }
        let entries = program.class_path().entries();
        let all: Vec<String> = entries
            .flat_map(|entry| entry.class_names().unwrap_or_default())
            .map(|class| class.replace('/', "."))
            .collect();
        let suggestion = suggestion(all.iter().map(String::as_str), name);
        return Err(format!("{option} {name}: there is no such class{suggestion}"));
    }
    Ok(())
}

/// `; did you mean add?`, or nothing.
pub fn suggestion<'a>(known: impl Iterator<Item = &'a str>, name: &str) -> String {
    let plain = name.replace('*', "");
    let known = known.filter(|it| !it.is_empty() && !it.starts_with('<'));
    nearest(known, &plain).map_or(String::new(), |near| format!("; did you mean {near}?"))
}
