//! CLASSES and `--classpath`: the class path, and the selected classes.

use crate::process::console;
use crate::shared::applicability::{Obstacle, missing, obstacle};
use crate::shared::class_of_file::class_of_file;
use crate::shared::class_path::ClassPathArgs;
use crate::shared::class_rules::ClassRules;
use clap::Args;
use cupping_classfile::{ClassPath, ClassSelector, Jdk, PATH_SEPARATOR, Program, manifest};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The message if no class is named and there is no project.
const NO_CLASSES: &str = "no classes: name a class, a package (org.example.**), a folder of classes or a jar, or start \
                          Cupping in a project (`cupping project` shows what it knows about it)";

/// Arguments of commands that work on classes.
#[derive(Debug, Args)]
pub struct ClassArgs {
    /// Classes: org.example.Range, org.example.Map$Entry, org.example.* (a package), org.example.** (with
    /// subpackages), a folder of classes, a jar, or a .java or .class file [default: all classes of the project around]
    #[arg(value_name = "CLASSES")]
    pub selectors: Vec<String>,

    #[command(flatten)]
    pub path: ClassPathArgs,

    /// What `cupping.toml` sets for some classes.
    #[arg(skip)]
    pub rules: ClassRules,

    /// The module of the classes, if the command runs once for each of several: its documents cover all.
    #[arg(skip)]
    pub module: Option<String>,
}

/// A class that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedClass {
    /// Its internal name; if there is no such class, the name as typed, with `/`.
    pub name: String,
    /// Why it cannot be tested, if so.
    pub error: Option<String>,
}

/// The classes that the user's selectors choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The classes, each once, in the order of the selectors.
    pub classes: Vec<SelectedClass>,
    /// Classes of packages, folders and jars for which no test can be written, by reason.
    pub skipped: BTreeMap<Obstacle, usize>,
    /// Whether a selector chooses packages, folders or jars.
    pub is_wide: bool,
    /// Parts of the class path that cannot be opened, and selectors that select nothing.
    pub errors: Vec<String>,
}

impl ClassArgs {
    /// The program, and its selected classes that tests can be written for. Errors of the class path come first.
    pub fn select(&self, jdk: Jdk) -> (Arc<Program>, Selection) {
        let (program, selectors, mut errors) = self.open(jdk);
        let mut selection = select(&selectors, &program);
        errors.append(&mut selection.errors);
        selection.errors = errors;
        if selection.is_wide {
            selection.leave_out(|class| self.rules.skips(class));
        }
        (program, selection)
    }

    /// The program and the selectors, with the errors of the class path.
    pub fn open(&self, jdk: Jdk) -> (Arc<Program>, Vec<ClassSelector>, Vec<String>) {
        let selectors = parse(&self.selectors);
        let (class_path, mut errors) = open_class_path(self.path.classpath.as_deref(), &selectors, &jdk);
        if selectors.is_empty() {
            errors.push(NO_CLASSES.into());
        }
        for entry in class_path.entries() {
            console::remark(|| format!("class path entry {}", entry.path().display()));
        }
        (Arc::new(Program::new(jdk, class_path)), selectors, errors)
    }
}

/// Opens the class path: `--classpath`, the folders and jars among the selectors, and the jars that their manifests
/// name. An entry that cannot be opened is an error, and the rest is used.
fn open_class_path(named: Option<&str>, selectors: &[ClassSelector], jdk: &Jdk) -> (ClassPath, Vec<String>) {
    let version = jdk.feature_version();
    let mut class_path = ClassPath::default();
    let mut errors = Vec::new();
    let has_places = selectors.iter().any(|it| matches!(it, ClassSelector::Place(_)));
    let entries = named.unwrap_or(if has_places { "" } else { "." });
    for entry in entries.split(PATH_SEPARATOR).filter(|entry| !entry.is_empty()) {
        // One by one, so that each error is reported and the other entries are used. The current folder only shows
        // its classes, unless the user names it.
        let opened = match named {
            Some(_) => ClassPath::open(entry, version),
            None => ClassPath::open_implied(entry, version),
        };
        match opened {
            _ if is_list_of_windows(entry) => errors.push(format!(
                "class path entry {entry}: no such folder or jar; entries are separated by '{PATH_SEPARATOR}' here: {}",
                entry.replace(';', &PATH_SEPARATOR.to_string())
            )),
            Ok(opened) => class_path.append(&opened),
            Err(error) => errors.push(format!("class path entry {error}")),
        }
    }
    for selector in selectors {
        errors.extend(selector.add_to(&mut class_path, version).err().map(|error| error.to_string()));
    }
    // Nobody asked for these, so one that is damaged is none: the JVM passes over it, too.
    for jar in manifest::jars_beside(&class_path.paths()) {
        let opened = ClassPath::open_implied(&jar.display().to_string(), version);
        class_path.append(&opened.unwrap_or_default());
    }
    (class_path, errors)
}

/// Whether an entry contains several, in Windows notation.
fn is_list_of_windows(entry: &str) -> bool {
    PATH_SEPARATOR != ';' && entry.contains(';') && !Path::new(entry).exists()
}

/// Chooses the classes.
fn select(selectors: &[ClassSelector], program: &Program) -> Selection {
    let mut selection = Selection::default();
    let mut seen = BTreeSet::new();
    let mut names_of_tests = BTreeMap::new();
    for selector in selectors {
        if let ClassSelector::Place(path) = selector
            && program.class_path().entry(path).is_none()
        {
            // It could not be opened, which has been reported.
            continue;
        }
        let names = match (selector.resolve(program), selector) {
            (Ok(names), _) => names,
            (Err(error), ClassSelector::Class(name)) => {
                let name = name.replace('.', "/");
                if seen.insert(name.clone()) {
                    selection.classes.push(SelectedClass { name, error: Some(error.to_string()) });
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
    /// The internal names of the classes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.classes.iter().map(|class| class.name.as_str())
    }

    /// Leaves classes out that `cupping.toml` says so of.
    fn leave_out(&mut self, is_skipped: impl Fn(&str) -> bool) {
        let before = self.classes.len();
        self.classes.retain(|class| !is_skipped(&class.name));
        if self.classes.len() < before {
            *self.skipped.entry(Obstacle::Skipped).or_default() += before - self.classes.len();
        }
    }

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
                self.classes.push(SelectedClass { name, error: Some(error.to_string()) });
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
        self.classes.push(SelectedClass { name, error });
    }
}

/// A class whose tests would have the same name: the tests of `A$B` and of `A_B` would be in one file.
fn clash(name: &str, names_of_tests: &mut BTreeMap<String, String>) -> Option<String> {
    let other = names_of_tests.insert(name.replace('$', "_"), name.to_owned())?;
    let dotted = |name: &str| name.replace('/', ".");
    Some(format!(
        "{}: its tests would be in the same file as those of {}; run it separately with another --out",
        dotted(name),
        dotted(&other)
    ))
}

/// The selectors of these texts. An existing folder is one unless the text can be a class.
fn parse(texts: &[String]) -> Vec<ClassSelector> {
    texts.iter().map(|text| selector(text)).collect()
}

/// The meaning of a text. A `.java` or `.class` file selects its class.
pub fn selector(text: &str) -> ClassSelector {
    match class_of_file(text) {
        Some(name) => ClassSelector::Class(name),
        None => ClassSelector::parse(trimmed(text)),
    }
}

/// A folder without the slash that a shell's completion adds.
fn trimmed(text: &str) -> &str {
    let short = text.trim_end_matches('/');
    if !short.is_empty() && Path::new(text).is_dir() && short.contains('/') { short } else { text }
}
