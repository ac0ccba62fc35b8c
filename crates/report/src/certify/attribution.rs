//! Which tests a message of javac is about, and which warnings a test class should suppress.

use super::protocol::Diagnostic;
use crate::junit::{JunitClass, Source};
use std::collections::BTreeSet;

/// A test among those of several classes: index of the class, index of the method in it.
pub type TestId = (usize, usize);

/// The tests that an error is about: the method its line is in; for an import, the methods that need it; all
/// tests of the class where that cannot be told, and all tests at all where not even the class can.
pub fn tests_of(error: &Diagnostic, classes: &[JunitClass], sources: &[Source]) -> Vec<TestId> {
    let Some(class) = classes.iter().position(|class| class.binary_name() == error.class) else {
        return (0..classes.len()).flat_map(|class| all_of(class, classes)).collect();
    };
    let line = usize::try_from(error.line).unwrap_or(0);
    let source = &sources[class];
    if let Some(method) = source.lines.iter().position(|&(from, to)| (from..to).contains(&line)) {
        return vec![(class, method)];
    }
    if let Some((_, import)) = source.imports.iter().find(|(at, _)| *at == line) {
        let methods = classes[class].methods.iter().enumerate();
        let users: Vec<TestId> =
            methods.filter(|(_, it)| it.imports.contains(import)).map(|(at, _)| (class, at)).collect();
        if !users.is_empty() {
            return users;
        }
    }
    all_of(class, classes).collect()
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

fn all_of(class: usize, classes: &[JunitClass]) -> impl Iterator<Item = TestId> + use<> {
    (0..classes[class].methods.len()).map(move |method| (class, method))
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
