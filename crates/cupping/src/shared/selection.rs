//! Which classes are meant: the class path, and what the selectors choose from it.

use crate::testable::{Obstacle, missing, obstacle};
use cupping_classfile::{ClassPath, ClassSelector, Jdk, PATH_SEPARATOR, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A class that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// Its internal name; as the user typed it, with `/`, if there is no such class.
    pub name: String,
    /// Why it cannot be tested, if so.
    pub error: Option<String>,
}

/// What the user's selectors mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The classes, each once, in the order of the selectors.
    pub classes: Vec<Selected>,
    /// Classes of packages, folders and jars for which no test can be written, by reason.
    pub skipped: BTreeMap<Obstacle, usize>,
    /// Whether a selector chooses packages, folders or jars.
    pub is_wide: bool,
    /// Parts of the class path that cannot be opened, and selectors that choose nothing.
    pub errors: Vec<String>,
}

/// The program that a command is about, and the classes of it that are meant. What is wrong with the class path comes first
/// among the errors.
pub fn choose(selectors: &[String], class_path: Option<&str>, jdk: Jdk) -> (Arc<Program>, Selection) {
    let selectors = parse(selectors);
    let (class_path, mut errors) = open_class_path(class_path, &selectors, &jdk);
    let program = Arc::new(Program::new(jdk, class_path));
    let mut selection = select(&selectors, &program);
    errors.append(&mut selection.errors);
    selection.errors = errors;
    (program, selection)
}

/// Opens the class path: what `--classpath` says, and the folders and jars among the selectors. What cannot be
/// opened is an error, and the rest is used.
pub fn open_class_path(
    named: Option<&str>,
    selectors: &[ClassSelector],
    jdk: &Jdk,
) -> (ClassPath, Vec<String>) {
    let version = jdk.feature_version();
    let mut class_path = ClassPath::default();
    let mut errors = Vec::new();
    let has_places = selectors.iter().any(|it| matches!(it, ClassSelector::Place(_)));
    let entries = named.unwrap_or(if has_places { "" } else { "." });
    for entry in entries.split(PATH_SEPARATOR).filter(|entry| !entry.is_empty()) {
        // One by one, so that each that is wrong is told, and the others are there.
        // What lies in the current folder is the program's only as far as it is classes, unless the user says so.
        let opened = match named {
            Some(_) => ClassPath::open(entry, version),
            None => ClassPath::open_implied(entry, version),
        };
        match opened {
            Ok(opened) => class_path.append(&opened),
            Err(error) => errors.push(format!("class path entry {error}")),
        }
    }
    for selector in selectors {
        errors.extend(selector.add_to(&mut class_path, version).err().map(|error| error.to_string()));
    }
    (class_path, errors)
}

/// Chooses the classes.
pub fn select(selectors: &[ClassSelector], program: &Program) -> Selection {
    let mut selection = Selection::default();
    let mut seen = BTreeSet::new();
    let mut names_of_tests = BTreeMap::new();
    for selector in selectors {
        if let ClassSelector::Place(path) = selector
            && program.class_path().entry(path).is_none()
        {
            // It could not be opened, which has been said.
            continue;
        }
        let names = match (selector.resolve(program), selector) {
            (Ok(names), _) => names,
            (Err(error), ClassSelector::Class(name)) => {
                let name = name.replace('.', "/");
                if seen.insert(name.clone()) {
                    selection.classes.push(Selected { name, error: Some(error.to_string()) });
                }
                continue;
            }
            (Err(error), _) => {
                selection.errors.push(error.to_string());
                continue;
            }
        };
        let by_name = matches!(selector, ClassSelector::Class(_));
        selection.is_wide |= !by_name;
        let before = (selection.classes.len(), seen.len());
        for name in names {
            if seen.insert(name.clone()) {
                selection.add(name, by_name, program, &mut names_of_tests);
            }
        }
        if before.0 == selection.classes.len() && before.1 < seen.len() {
            let kinds = selection.skipped_kinds();
            selection.errors.push(format!(
                "{selector} selects no class that a test can be written for ({kinds}); name classes with code"
            ));
        }
    }
    selection
}

impl Selection {
    /// `5 interfaces without code, 2 private`.
    pub fn skipped_kinds(&self) -> String {
        let kinds: Vec<String> =
            self.skipped.iter().map(|(obstacle, count)| format!("{count} {}", obstacle.kind())).collect();
        kinds.join(", ")
    }

    fn add(
        &mut self,
        name: String,
        by_name: bool,
        program: &Program,
        names_of_tests: &mut BTreeMap<String, String>,
    ) {
        let class = match program.require(&name) {
            Ok(class) => class,
            Err(error) => {
                self.classes.push(Selected { name, error: Some(error.to_string()) });
                return;
            }
        };
        let obstacle = obstacle(&class);
        let error = match obstacle {
            Some(obstacle) if !by_name => {
                *self.skipped.entry(obstacle).or_default() += 1;
                return;
            }
            Some(obstacle) => Some(format!("{} {}", name.replace('/', "."), obstacle.message())),
            None => missing(&class, program).or_else(|| clash(&name, names_of_tests)),
        };
        self.classes.push(Selected { name, error });
    }
}

/// The tests of `A$B` and of `A_B` would be in one file.
fn clash(name: &str, names_of_tests: &mut BTreeMap<String, String>) -> Option<String> {
    let other = names_of_tests.insert(name.replace('$', "_"), name.to_owned())?;
    let dotted = |name: &str| name.replace('/', ".");
    Some(format!(
        "{}: its tests would be in the same file as those of {}; give it a run of its own with another --out",
        dotted(name),
        dotted(&other)
    ))
}

/// The selectors of these texts. A folder that exists is one wherever it cannot be a class.
pub fn parse(texts: &[String]) -> Vec<ClassSelector> {
    texts.iter().map(|text| ClassSelector::parse(trimmed(text))).collect()
}

/// A folder without the slash that a shell's completion adds.
fn trimmed(text: &str) -> &str {
    let short = text.trim_end_matches('/');
    if !short.is_empty() && Path::new(text).is_dir() && short.contains('/') { short } else { text }
}
