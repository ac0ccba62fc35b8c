//! The classes of a suite that have tests.
//!
//! A class counts if it has tests, its own or inherited: a method with an annotation of JUnit 4 or 5, or with an
//! annotation that has such an annotation; its own runner; or `TestCase` of JUnit 3 among its superclasses. It also
//! counts if its name is that of a test class, which covers tests without such annotations. Abstract classes are
//! found through their subclasses, inner classes through their enclosing classes.

use crate::shared::names::suggestion;
use cupping_classfile::{Annotations, ClassFile, ClassPath, Program, annotation_types, descriptor};
use std::sync::Arc;

/// Annotations that make a method or a class a test. All of JUnit 5's are annotated with the last.
const MARKS: [&str; 3] =
    ["Lorg/junit/Test;", "Lorg/junit/runner/RunWith;", "Lorg/junit/platform/commons/annotation/Testable;"];
/// Annotations of annotations that are followed.
const DEEPEST: u32 = 4;
/// Limit on the superclasses that are visited; a damaged class may be its own superclass.
const MOST_ABOVE: usize = 100;

/// The classes with tests, with dots, sorted; only those in `only`, unless it is empty.
///
/// # Errors
///
/// There is none, or a class of `only` does not exist.
pub fn classes(
    name: &str,
    suite: &ClassPath,
    program: &Program,
    only: &[String],
) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for entry in suite.entries() {
        names.extend(entry.class_names().map_err(|error| error.to_string())?);
    }
    names.sort_unstable();
    names.dedup();
    let dotted = |name: &String| name.replace('/', ".");
    if let Some(missing) = only.iter().find(|it| !names.iter().any(|name| dotted(name) == **it)) {
        let known: Vec<String> = names.iter().map(dotted).collect();
        let suggestion = suggestion(known.iter().map(String::as_str), missing);
        return Err(format!("--suite-test: the suite has no class {missing}{suggestion}"));
    }
    let is_wanted = |name: &String| match only {
        [] => is_test(name, program),
        only => only.contains(&dotted(name)),
    };
    let found: Vec<String> = names.iter().filter(|name| is_wanted(name)).map(dotted).collect();
    if found.is_empty() {
        return Err(format!(
            "--suite {name}: it has no test classes, and no class named like a test (…Test)"
        ));
    }
    Ok(found)
}

fn is_test(name: &str, program: &Program) -> bool {
    let Ok(Some(file)) = program.find(name) else { return is_named_as_test(name) };
    if file.access.is_abstract() || file.access.is_interface() || file.access.is_synthetic() {
        return false;
    }
    match file.inner_classes.iter().find(|it| it.inner == file.name) {
        None if file.enclosing_method.is_some() => false,
        None => is_named_as_test(name) || has_tests(&file, program) || has_inner_tests(&file, program),
        // JUnit finds inner classes through their enclosing class; it ignores static ones there.
        Some(entry) => {
            let outer = entry.outer.as_deref().and_then(|outer| program.find(outer).ok().flatten());
            let is_member = entry.access.is_static() && !entry.access.is_private();
            let is_found_by_outer =
                outer.is_none_or(|outer| has_mark(&outer, &outer.annotations, program, &MARKS[1..2]));
            is_member && !is_found_by_outer && has_tests(&file, program)
        }
    }
}

/// Whether an inner class has tests, which JUnit finds through this one.
fn has_inner_tests(file: &ClassFile, program: &Program) -> bool {
    let inner = file.inner_classes.iter().filter(|it| it.outer.as_ref() == Some(&file.name));
    inner
        .filter(|it| !it.access.is_static())
        .filter_map(|it| program.find(&it.inner).ok().flatten())
        .any(|it| has_tests(&it, program))
}

fn is_named_as_test(name: &str) -> bool {
    let simple = name.rsplit('/').next().unwrap_or_default();
    let ends = ["Test", "Tests", "TestCase"].iter().any(|end| simple.ends_with(end));
    !simple.contains('$') && (ends || simple.starts_with("Test"))
}

/// Whether a class or one above it has tests.
fn has_tests(file: &Arc<ClassFile>, program: &Program) -> bool {
    let mut above = Vec::new();
    let mut waiting = vec![Arc::clone(file)];
    while let Some(class) = waiting.pop() {
        if &*class.name == "junit/framework/TestCase" {
            return true;
        }
        let of_methods = class.methods.iter().map(|it| &it.annotations);
        let mut all = of_methods.chain([&class.annotations]);
        if all.any(|annotations| has_mark(&class, annotations, program, &MARKS)) {
            return true;
        }
        for name in class.super_name.iter().chain(&class.interfaces) {
            if name.starts_with("java/") || above.contains(name) || above.len() > MOST_ABOVE {
                continue;
            }
            above.push(name.clone());
            waiting.extend(program.find(name).ok().flatten());
        }
    }
    false
}

fn has_mark(file: &ClassFile, annotations: &Annotations, program: &Program, marks: &[&str]) -> bool {
    let mut types = annotation_types(file, annotations);
    for _ in 0..DEEPEST {
        if types.iter().any(|it| marks.contains(&it.as_str())) {
            return true;
        }
        let names = types.iter().filter_map(|it| descriptor::class_name(it));
        let files =
            names.filter(|it| !it.starts_with("java/")).filter_map(|it| program.find(it).ok().flatten());
        let mut next: Vec<String> = files.flat_map(|it| annotation_types(&it, &it.annotations)).collect();
        next.retain(|it| !types.contains(it));
        types = next;
    }
    false
}
