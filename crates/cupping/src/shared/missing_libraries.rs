//! Libraries that classes name and the class path does not have. Code that needs them ends with `NoClassDefFoundError`,
//! so the user gets the message before, by package rather than by class.

use super::selection::Selection;
use cupping_classfile::{Constant, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the packages that are named.
const MAX_PACKAGES: usize = 8;

/// One message for each package that is missing: its classes, and a class that names one.
pub fn missing_libraries(program: &Program, selection: &Selection) -> Vec<String> {
    let mut missing: BTreeMap<String, (BTreeSet<String>, String)> = BTreeMap::new();
    for class in selection.classes.iter().filter(|it| it.error.is_none()) {
        for name in named_by(program, &class.name) {
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

/// The classes that a class file names, without arrays.
fn named_by(program: &Program, class: &str) -> BTreeSet<String> {
    let Ok(Some(file)) = program.find(class) else { return BTreeSet::new() };
    let constants = (1..file.constant_count()).filter_map(|index| file.constant(index).ok());
    let names = constants.filter_map(|constant| match constant {
        Constant::Class(name) => Some(name.trim_start_matches('[').to_owned()),
        _ => None,
    });
    let of_elements = |name: String| match name.strip_prefix('L').and_then(|it| it.strip_suffix(';')) {
        Some(element) => Some(element.to_owned()),
        None => (name.len() > 1).then_some(name),
    };
    names.filter_map(of_elements).collect()
}
