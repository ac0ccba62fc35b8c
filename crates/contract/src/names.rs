//! Resolves class names in specifications and checks the names of variables.

use crate::ast::{Parameter, Specification, Statement, Testcase};
use crate::compiler::Compiler;
use crate::diagnostic::Diagnostic;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Compiler<'_> {
    /// The internal name of the class with this written name.
    pub(crate) fn resolve(&self, specification: &Specification, written: &str) -> Option<String> {
        let path = written.replace('.', "/");
        let mut candidates = Vec::new();
        if let Some(package) = &specification.package {
            candidates.push(format!("{}/{path}", package.replace('.', "/")));
        }
        for import in &specification.imports {
            let text = specification.source.slice(*import);
            let text: String =
                text.trim_start_matches("import").trim_end_matches(';').split_whitespace().collect();
            let text = text.replace('.', "/");
            match text.strip_suffix("/*") {
                Some(package) => candidates.push(format!("{package}/{path}")),
                None if text.rsplit('/').next() == path.split('/').next() => {
                    let rest = path.split_once('/').map_or(String::new(), |(_, rest)| format!("/{rest}"));
                    candidates.push(format!("{text}{rest}"));
                }
                None => {}
            }
        }
        candidates.push(path.clone());
        candidates.push(format!("java/lang/{path}"));
        candidates.into_iter().find_map(|mut name| {
            loop {
                if self.program.find(&name).ok().flatten().is_some() {
                    return Some(name);
                }
                let slash = name.rfind('/')?;
                name.replace_range(slash..=slash, "$");
            }
        })
    }

    /// The types of a type parameter.
    pub(crate) fn values_of(
        &self,
        specification: &Specification,
        parameter: &Parameter,
    ) -> Result<Vec<String>, Vec<Diagnostic>> {
        let source = &specification.source;
        if !parameter.values.is_empty() {
            return Ok(parameter.values.iter().map(|it| source.slice(*it).to_owned()).collect());
        }
        let bound = parameter.bound.unwrap_or(parameter.name);
        let written: String =
            source.slice(bound).split('<').next().unwrap_or_default().split_whitespace().collect();
        let wrong = |message: String| vec![Diagnostic::new(source, bound, message)];
        let Some(super_type) = self.resolve(specification, &written) else {
            return Err(wrong(format!("class {written} is not on the class path")));
        };
        let mut found = Vec::new();
        for entry in self.program.class_path().entries() {
            for name in entry.class_names().unwrap_or_default() {
                let Ok(Some(file)) = self.program.find(&name) else { continue };
                let usable = !file.access.is_interface()
                    && !file.access.is_abstract()
                    && file.method("<init>", "()V").is_some_and(|it| !it.access.is_private());
                if usable && self.is_subtype(&file.name, &super_type) {
                    found.push(name.replace(['/', '$'], "."));
                }
            }
        }
        found.sort();
        found.dedup();
        if found.is_empty() {
            let message = format!(
                "the class path has no instantiable class that extends {written}; list the types: in A, B"
            );
            return Err(wrong(message));
        }
        Ok(found)
    }

    fn is_subtype(&self, class: &str, super_type: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<Arc<str>> = vec![class.into()];
        while let Some(name) = waiting.pop() {
            if *name == *super_type {
                return true;
            }
            if seen.insert(name.clone())
                && let Ok(Some(file)) = self.program.find(&name)
            {
                waiting.extend(file.super_name.iter().chain(file.interfaces.iter()).cloned());
            }
        }
        false
    }
}

/// Checks that the variables of a testcase have distinct names that are not reserved.
pub(crate) fn check_names(specification: &Specification, testcase: &Testcase) -> Result<(), Vec<Diagnostic>> {
    let source = &specification.source;
    let mut seen: Vec<&str> = Vec::new();
    for statement in &testcase.body {
        let name = match statement {
            Statement::Requirement(it) => it.name,
            Statement::Local { name, .. } => *name,
            _ => continue,
        };
        let text = source.slice(name);
        if matches!(text, "result" | "thrown") {
            return Err(vec![Diagnostic::new(
                source,
                name,
                format!("{text} is reserved for the outcome of the call; choose another name"),
            )]);
        }
        if seen.contains(&text) {
            return Err(vec![Diagnostic::new(
                source,
                name,
                format!("a variable {text} is already declared"),
            )]);
        }
        seen.push(text);
    }
    Ok(())
}

/// The full name of a nested class under test, to be imported: in a test of `Outer.Inner` the name `Inner` is
/// known, unless the specification imports another class with that name. There are no imports from the
/// unnamed package.
pub(crate) fn nested_import(specification: &Specification, name: &str) -> Option<String> {
    let (_, simple) = name.rsplit_once('$')?;
    let is_word = simple.chars().next().is_some_and(char::is_alphabetic);
    let imported = |span| specification.source.slice(span).trim_end_matches(';').trim().rsplit('.').next();
    let is_imported = specification.imports.iter().any(|it| imported(*it) == Some(simple));
    (is_word && name.contains('/') && !is_imported).then(|| name.replace(['/', '$'], "."))
}
