//! `--at`: lines of a source file that a command concerns.

use crate::shared::applicability::obstacle;
use crate::shared::changed_lines::ChangedLines;
use crate::shared::class_of_file::class_of_file;
use crate::shared::selection::{SelectedClass, Selection};
use cupping_classfile::{ClassFile, Method, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Lines of a source file, as an editor names them: `FILE:LINE` or `FILE:FROM-TO`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRange {
    named: String,
    file: String,
    /// The lines.
    pub lines: ChangedLines,
}

/// The methods at a place of a program.
#[derive(Debug, Default)]
pub struct MethodsAtPlace {
    /// Methods with code there, by class: name and descriptor.
    pub methods: BTreeMap<Arc<str>, BTreeSet<String>>,
    /// Whether a test can call each of them by its name.
    pub is_callable: bool,
}

impl MethodsAtPlace {
    /// Whether a method has code there; the class has slashes.
    pub fn has(&self, class: &str, name: &str, descriptor: &str) -> bool {
        self.methods.get(class).is_some_and(|it| it.contains(&format!("{name}{descriptor}")))
    }
}

impl SourceRange {
    /// Reads a place.
    ///
    /// # Errors
    /// The text does not have this form.
    pub fn parse(text: &str) -> Result<SourceRange, String> {
        let wrong = || format!("'{text}' is not FILE:LINE or FILE:FROM-TO");
        let (file, numbers) = text.rsplit_once(':').ok_or_else(wrong)?;
        if !file.ends_with(".java") {
            return Err(format!("'{file}' is not a Java source: name FILE.java:LINE"));
        }
        // An existing file is identified by its absolute path.
        let path = std::fs::canonicalize(file).unwrap_or_else(|_| PathBuf::from(file));
        let lines = ChangedLines::parse(&format!("{}:{numbers}", path.display())).map_err(|_| wrong())?;
        Ok(SourceRange { named: text.to_owned(), file: file.to_owned(), lines })
    }

    /// The selector of the class in the file.
    pub fn selector(&self) -> String {
        let is_there = std::path::Path::new(&self.file).is_file();
        let class = self.file.trim_end_matches(".java").trim_start_matches("./");
        if is_there { self.file.clone() } else { class.replace('/', ".") }
    }

    /// The selector of all classes that may be in the file.
    pub fn package(&self) -> String {
        let class = class_of_file(&self.file).unwrap_or_else(|| self.selector());
        match class.rsplit_once('.') {
            Some((package, _)) => format!("{package}.*"),
            None => "*".to_owned(),
        }
    }

    /// Whether code of a class is there.
    pub fn has(&self, class: &ClassFile, line: u32) -> bool {
        self.lines.has(class, u16::try_from(line).ok())
    }

    /// Restricts a selection to the classes that have code there or, if no test can name one, to its enclosing
    /// class.
    pub fn narrow(&self, selection: &mut Selection, program: &Program) -> MethodsAtPlace {
        let mut found = MethodsAtPlace { is_callable: true, ..MethodsAtPlace::default() };
        let (mut named, mut known) = (BTreeSet::new(), BTreeSet::new());
        for class in selection.classes.iter().filter(|it| it.error.is_none()) {
            for file in in_same_file(&class.name, program) {
                let methods: BTreeSet<String> =
                    file.methods.iter().filter(|it| self.is_in(&file, it, &mut known)).map(name).collect();
                if methods.is_empty() {
                    continue;
                }
                let callable = |it: &Method| {
                    !(it.access.is_private() || it.access.is_synthetic() || it.name.starts_with('<'))
                };
                let target = nameable(&file, program);
                let is_here = |it: &&Method| methods.contains(&name(it));
                found.is_callable &=
                    target == *file.name && file.methods.iter().filter(is_here).all(callable);
                named.insert(target);
                found.methods.insert(file.name.clone(), methods);
            }
        }
        let is_sound = selection.classes.iter().all(|it| it.error.is_none());
        if named.is_empty() && is_sound && !selection.classes.is_empty() {
            selection.errors.push(self.nothing(&known));
        }
        if is_sound {
            let class = |name: String| SelectedClass { name, error: None };
            selection.classes = named.into_iter().map(class).collect();
            selection.is_wide = false;
        }
        found
    }

    /// Whether a method has code there; its lines are added to the known ones.
    fn is_in(&self, file: &ClassFile, method: &Method, known: &mut BTreeSet<u16>) -> bool {
        let Ok(Some(code)) = file.code(method) else { return false };
        let lines: BTreeSet<u16> = code.line_numbers.entries().iter().map(|it| it.line).collect();
        let is_in = lines.iter().any(|line| self.lines.has(file, Some(*line)));
        known.extend(lines);
        is_in
    }

    fn nothing(&self, known: &BTreeSet<u16>) -> String {
        let first = known.first().zip(known.last());
        let lines =
            first.map_or("its classes have no line numbers; compile with -g".to_owned(), |(from, to)| {
                format!("its classes have code between lines {from} and {to}, but not on every line")
            });
        format!("--at {}: there is no code; {lines}", self.named)
    }
}

fn name(method: &Method) -> String {
    format!("{}{}", method.name, method.descriptor)
}

/// The class and the classes nested in it.
fn in_same_file(class: &str, program: &Program) -> Vec<Arc<ClassFile>> {
    let outer = class.split('$').next().unwrap_or(class);
    let package = outer.rsplit_once('/').map_or("", |(package, _)| package);
    let all = program.classes_of_package(package, false).unwrap_or_default();
    let is_in = |it: &String| it == outer || it.strip_prefix(outer).is_some_and(|rest| rest.starts_with('$'));
    all.iter().filter(|it| is_in(it)).filter_map(|it| program.find(it).ok().flatten()).collect()
}

/// The class, or the innermost enclosing one that a test can name.
fn nameable(file: &ClassFile, program: &Program) -> String {
    let mut name = file.name.to_string();
    while let Some(class) = program.find(&name).ok().flatten()
        && obstacle(&class).is_some()
        && let Some(at) = name.rfind('$')
    {
        name.truncate(at);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::SourceRange;

    #[test]
    fn places_are_read() {
        let place = SourceRange::parse("shop/Till.java:42").unwrap();
        assert_eq!(place.selector(), "shop.Till");
        assert_eq!(SourceRange::parse("./shop/Till.java:3-5").unwrap().selector(), "shop.Till");
        for wrong in ["Till.java", "Till.java:", "Till.java:0", "Till.java:x", "Till.class:3", "3"] {
            assert!(SourceRange::parse(wrong).is_err(), "{wrong}");
        }
    }
}
