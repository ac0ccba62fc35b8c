//! Libraries that classes need and that are missing from the class path. Code that needs them ends with
//! `NoClassDefFoundError`, and tests cannot call methods whose types are missing; so the user gets a message first, by
//! package rather than by class.

use super::named_classes;
use super::selection::Selection;
use cupping_classfile::Program;
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the packages that are named.
const MAX_PACKAGES: usize = 8;

/// One message for each missing package: its classes, and a class that refers to one.
pub fn missing_libraries(program: &Program, selection: &Selection) -> Vec<String> {
    let mut missing: BTreeMap<String, (BTreeSet<String>, String)> = BTreeMap::new();
    for class in selection.classes.iter().filter(|it| it.error.is_none()) {
        let Ok(Some(file)) = program.find(&class.name) else { continue };
        let named = [named_classes::in_constants, named_classes::in_types, named_classes::in_signatures];
        for name in named.into_iter().flat_map(|of| of(&file)) {
            if matches!(program.find(&name), Ok(None)) {
                let package = name.rsplit_once('/').map_or("", |(package, _)| package).replace('/', ".");
                let (classes, _) =
                    missing.entry(package).or_insert_with(|| (BTreeSet::new(), class.name.clone()));
                classes.insert(name);
            }
        }
    }
    let (all, mut messages) = (missing.len(), Vec::new());
    for (package, (classes, by)) in missing.into_iter().take(MAX_PACKAGES) {
        let first = classes.first().map_or("", String::as_str).replace('/', ".");
        let count =
            if classes.len() == 1 { String::new() } else { format!(" and {} more", classes.len() - 1) };
        let place = if package.is_empty() { String::new() } else { format!(" of package {package}") };
        messages.push(format!(
            "{first}{count}{place}, which {} names, is not on the class path; add its library with --classpath",
            by.replace('/', ".")
        ));
    }
    if all > MAX_PACKAGES {
        messages.push(format!("classes of {} more packages are not on the class path", all - MAX_PACKAGES));
    }
    messages
}

/// A message if calls of a class ended because these classes are missing; internal names.
pub fn needed_library(class: &str, missing: &BTreeSet<String>) -> Option<String> {
    let named = missing.first()?.replace('/', ".");
    let more = match missing.len() - 1 {
        0 => " is".into(),
        more => format!(" and {more} more are"),
    };
    let class = class.replace('/', ".");
    Some(format!(
        "calls of {class} ended because {named}{more} not on the class path; add libraries with --classpath"
    ))
}
