//! Attribution of javac's messages to tests, and the warnings that a test class should suppress.

use super::protocol::Diagnostic;
use crate::junit::{ClassSource, JunitClass};
use std::collections::BTreeSet;

/// A test among those of several classes: index of the class, index of the method in it.
pub type TestId = (usize, usize);

/// The tests that an error concerns: the method of its line; for an import, the methods that need it; for shared
/// members, the tests that call them; none if unknown.
pub fn tests_of(error: &Diagnostic, classes: &[JunitClass], sources: &[ClassSource]) -> Vec<TestId> {
    let Some(class) = classes.iter().position(|class| class.binary_name() == error.class) else {
        return Vec::new();
    };
    let line = usize::try_from(error.line).unwrap_or(0);
    let source = &sources[class];
    if let Some(method) = source.lines.iter().position(|&(from, to)| (from..to).contains(&line)) {
        return vec![(class, method)];
    }
    if let Some((name, ..)) = source.shared.iter().find(|(_, from, to)| (*from..*to).contains(&line)) {
        let methods = classes[class].methods.iter().enumerate();
        return methods.filter(|(_, it)| it.calls(name)).map(|(at, _)| (class, at)).collect();
    }
    if let Some((_, import)) = source.imports.iter().find(|(at, _)| *at == line) {
        let methods = classes[class].methods.iter().enumerate();
        return methods.filter(|(_, it)| it.imports.contains(import)).map(|(at, _)| (class, at)).collect();
    }
    Vec::new()
}

/// The arguments of `@SuppressWarnings` that a class needs for these messages.
pub fn suppressions(class: &JunitClass, diagnostics: &[Diagnostic]) -> BTreeSet<String> {
    let name = class.binary_name();
    diagnostics
        .iter()
        .filter(|it| !it.is_error && it.class == name)
        .filter_map(|it| category(&it.code))
        .map(str::to_string)
        .collect()
}

/// The lint category of a warning, by javac's key for its text.
fn category(code: &str) -> Option<&'static str> {
    let key = code.strip_prefix("compiler.warn.")?;
    Some(match key {
        _ if key.starts_with("has.been.deprecated.for.removal") => "removal",
        _ if key.starts_with("has.been.deprecated") => "deprecation",
        _ if key.starts_with("unchecked.") => "unchecked",
        // An unchecked cast or assignment: the other mismatches are errors.
        "prob.found.req" => "unchecked",
        "raw.class.use" => "rawtypes",
        _ => return None,
    })
}
