//! The modules of the surrounding project that a command works on, and what they provide.

use crate::invocation::configuration_values::ConfigurationValues;
use crate::process::console;
use crate::shared::jdk::JdkArgs;
use crate::shared::project;
use crate::shared::selection::selector;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use cupping_classfile::{ClassPath, ClassPathEntry, ClassSelector, PATH_SEPARATOR};
use cupping_project::{Framework, Module, ProjectFolder, TestHabits};
use cupping_relation::nearest;
use cupping_report::files::{FileStatus, Mark, status_of_text};
use std::path::{Path, PathBuf};

/// The version of Java whose classes of a multi-release jar are looked at: names hardly differ between versions.
const FEATURE_VERSION: u16 = 17;

/// A module, and the selected classes of it.
#[derive(Debug)]
pub struct ModuleSelection {
    /// Its name.
    pub name: String,
    /// The named classes that are in this module; `None` if all are selected.
    pub selectors: Option<Vec<String>>,
    module: Module,
}

/// The modules that a command line concerns; none if it does not use a project.
///
/// # Errors
///
/// The project cannot be used, or a named module does not exist; the text says what to do.
pub fn of(
    typed: &ArgMatches,
    configured: &ConfigurationValues,
    folder: &Path,
) -> Result<Vec<ModuleSelection>, String> {
    let Some((command, typed)) = typed.subcommand() else { return Ok(Vec::new()) };
    let is_given = |id: &str| {
        typed.try_contains_id(id).is_ok_and(|there| there)
            && typed.value_source(id) == Some(ValueSource::CommandLine)
            || configured.ids(command).iter().any(|it| it == id)
    };
    let takes_project = typed.try_contains_id("no_project").is_ok();
    if !takes_project || is_given("classpath") || is_given("no_project") || is_given("jar") {
        return Ok(Vec::new());
    }
    let texts = |id: &str| -> Vec<String> {
        typed.try_get_many::<String>(id).ok().flatten().into_iter().flatten().cloned().collect()
    };
    let (named, wanted) = (texts("selectors"), texts("modules"));
    let Some(place) = ProjectFolder::find(folder)
        .filter(|_| wanted.is_empty() || !named.iter().any(|it| it.ends_with(".jar")))
    else {
        return if wanted.is_empty() {
            Ok(Vec::new())
        } else {
            Err(format!("--module {}: there is no project here", wanted[0]))
        };
    };
    // A main class, or a class that is in the current folder, needs no project; neither do named folders and jars.
    let here: Vec<String> = named.iter().chain(texts("words").first()).cloned().collect();
    let is_here = |text: &String| match selector(text) {
        ClassSelector::Class(name) => folder.join(format!("{}.class", name.replace('.', "/"))).is_file(),
        ClassSelector::Package { .. } => false,
        ClassSelector::Place(path) => !is_of_project(&path, &place),
    };
    if wanted.is_empty() && !here.is_empty() && here.iter().all(is_here) {
        return Ok(Vec::new());
    }
    let jdk = JdkArgs { jdk: typed.try_get_one::<PathBuf>("jdk").ok().flatten().cloned() }.locate()?;
    let project = project::open(&place, &jdk, true)?;
    let mut modules: Vec<Module> = if wanted.is_empty() {
        project.modules_at(folder).into_iter().cloned().collect()
    } else {
        wanted.iter().map(|name| module(&project.modules, name)).collect::<Result<_, _>>()?
    };
    if !wanted.is_empty() {
        in_other_module(&project.modules, &modules, &named, folder)?;
    }
    // A class may be in a module other than the current folder's.
    let takes_classes = typed.try_contains_id("selectors").is_ok();
    if takes_classes
        && wanted.is_empty()
        && !named.is_empty()
        && !modules.iter().any(|it| has_any(it, &named, folder))
    {
        modules = project.modules.clone();
    }
    let chosen = chosen(modules, &named, folder, takes_classes);
    for it in &chosen {
        console::remark(|| {
            format!("{}, {}: module {}", project.place.tool, project.place.root.display(), it.name)
        });
    }
    Ok(chosen)
}

/// Reports that a class is in a module that is not among the named ones.
fn in_other_module(all: &[Module], wanted: &[Module], named: &[String], folder: &Path) -> Result<(), String> {
    let missing = named.iter().filter(|text| !wanted.iter().any(|it| has(it, text, folder)));
    let mut found = missing.filter_map(|text| Some((text, all.iter().find(|it| has(it, text, folder))?)));
    match found.next() {
        Some((text, module)) => Err(format!(
            "{text} is in module {}: name that one with --module, or leave --module out",
            module.name
        )),
        None => Ok(()),
    }
}

/// Whether a path denotes the project or its modules instead of a folder of classes.
fn is_of_project(path: &Path, place: &ProjectFolder) -> bool {
    path.is_dir()
        && path.canonicalize().is_ok_and(|path| {
            place.root.starts_with(&path) || path.join("src").is_dir() && path.starts_with(&place.root)
        })
}

fn module(modules: &[Module], name: &str) -> Result<Module, String> {
    // Gradle's modules have names with colons, of which people type the last part.
    let is_it = |module: &&Module| module.name == name || module.name.rsplit(':').next() == Some(name);
    modules.iter().find(is_it).cloned().ok_or_else(|| {
        let meant = nearest(modules.iter().map(|it| it.name.as_str()), name)
            .map(|it| format!("; did you mean {it}?"));
        let names = modules.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ");
        format!("--module {name}: the project has {names}{}", meant.unwrap_or_default())
    })
}

/// Distributes the named classes to the modules that have them.
fn chosen(
    modules: Vec<Module>,
    named: &[String],
    folder: &Path,
    takes_classes: bool,
) -> Vec<ModuleSelection> {
    let all = |module: Module| ModuleSelection { name: module.name.clone(), selectors: None, module };
    if !takes_classes {
        // A program has one class path: that of the first module.
        return modules.into_iter().take(1).map(all).collect();
    }
    if named.is_empty() {
        return modules.into_iter().filter(|it| it.classes.iter().any(|it| it.exists())).map(all).collect();
    }
    let mut open: Vec<&String> = named.iter().collect();
    let mut chosen = Vec::new();
    for module in &modules {
        let here: Vec<String> = named.iter().filter(|it| has(module, it, folder)).cloned().collect();
        open.retain(|it| !here.contains(it));
        let is_whole = here.iter().any(|it| is_around(module, it, folder));
        if !here.is_empty() {
            chosen.push(ModuleSelection {
                name: module.name.clone(),
                selectors: (!is_whole).then_some(here),
                module: module.clone(),
            });
        }
    }
    // Classes that are in no module are reported as for any class path.
    let open: Vec<String> = open.into_iter().cloned().collect();
    match (chosen.first_mut(), modules.into_iter().next()) {
        (Some(first), _) => first.selectors.iter_mut().for_each(|it| it.extend(open.clone())),
        (None, Some(module)) => {
            chosen.push(ModuleSelection { name: module.name.clone(), selectors: Some(open), module })
        }
        (None, None) => {}
    }
    chosen
}

fn has_any(module: &Module, named: &[String], folder: &Path) -> bool {
    named.iter().any(|it| has(module, it, folder))
}

/// Whether a module has what a selector selects.
fn has(module: &Module, text: &str, folder: &Path) -> bool {
    let below = |path: &str| module.classes.iter().any(|classes| contains(classes, path));
    match selector(text) {
        ClassSelector::Class(name) => {
            // `a.B.C` may be the class C in the class B.
            let mut path = name.replace('.', "/");
            loop {
                if below(&format!("{path}.class")) {
                    return true;
                }
                let Some(at) = path.rfind('/') else { return false };
                path.replace_range(at..=at, "$");
            }
        }
        ClassSelector::Package { name, .. } => below(&name),
        ClassSelector::Place(_) => is_around(module, text, folder),
    }
}

/// Whether a folder or jar of classes has a class file or a package at this path.
fn contains(classes: &Path, path: &str) -> bool {
    if !classes.is_file() {
        return classes.join(path).exists();
    }
    let Some(class) = path.strip_suffix(".class") else {
        return names_in(classes)
            .iter()
            .any(|it| it.strip_prefix(path).is_some_and(|it| it.starts_with('/')));
    };
    names_in(classes).iter().any(|it| it == class)
}

/// The internal names of the classes in a jar; none if it cannot be read, which is told when its classes are needed.
fn names_in(jar: &Path) -> Vec<String> {
    let opened = ClassPath::open(&jar.to_string_lossy(), FEATURE_VERSION);
    let names =
        opened.and_then(|it| it.entries().map(ClassPathEntry::class_names).collect::<Result<Vec<_>, _>>());
    names.map(|it| it.concat()).unwrap_or_default()
}

/// Whether a selector is a folder that contains the module.
fn is_around(module: &Module, text: &str, folder: &Path) -> bool {
    folder.join(text).canonicalize().is_ok_and(|path| module.root.starts_with(&path))
}

/// The options of style that follow from habits.
fn style_of(habits: &TestHabits, module: &Module) -> Vec<(&'static str, String)> {
    let mut options = Vec::new();
    let mut put = |id: &'static str, value: &str| options.push((id, value.to_owned()));
    match habits.indent {
        Some(Some(spaces)) if (1..=8).contains(&spaces) => put("indent", &spaces.to_string()),
        Some(None) => put("indent", "tab"),
        _ => {}
    }
    if let Some(is_last) = habits.static_imports_last {
        put("static_imports", if is_last { "last" } else { "first" });
    }
    if let Some(header) = &habits.header {
        put("licence_text", header);
    }
    match (habits.is_final, habits.is_var) {
        (true, true) => put("locals", "final-var"),
        (true, false) => put("locals", "final"),
        (false, true) => put("locals", "var"),
        (false, false) => {}
    }
    if habits.assertj && module.has_assertj() {
        put("assert_with", "assertj");
    }
    options
}

impl ModuleSelection {
    /// The options of style that follow from the habits of the module's own tests, by their identifiers.
    pub fn style(&self) -> Vec<(&'static str, String)> {
        let is_generated = |text: &str| !matches!(status_of_text(Mark::Slashes, text), FileStatus::Foreign);
        style_of(&TestHabits::of(&self.module.test_sources, is_generated), &self.module)
    }

    /// The table of commands with the module's values as defaults, unless `cupping.toml` sets them.
    ///
    /// `style` are the options of [`ModuleSelection::style`].
    pub fn defaults(
        &self,
        table: Command,
        configured: &ConfigurationValues,
        style: &[(&'static str, String)],
    ) -> Command {
        let module = &self.module;
        let join = |paths: &[PathBuf]| {
            let texts: Vec<String> = paths.iter().map(|it| it.display().to_string()).collect();
            texts.join(&PATH_SEPARATOR.to_string())
        };
        let existing =
            |paths: &[PathBuf]| -> Vec<PathBuf> { paths.iter().filter(|it| it.exists()).cloned().collect() };
        let texts = |paths: Vec<PathBuf>| -> Vec<String> {
            paths.iter().map(|it| it.display().to_string()).collect()
        };
        let framework = module.framework().map(|it| match it {
            Framework::Junit4 => "4",
            Framework::Junit5 => "5",
            Framework::TestNg => "testng",
        });
        let jars: Vec<PathBuf> =
            module.framework_jars().filter(|it| it.is_file()).map(Path::to_owned).collect();
        let tests = module.test_sources.first().cloned().unwrap_or_else(|| module.root.join("src/test/java"));
        table.mut_subcommands(|command| {
            let name = command.get_name().to_owned();
            let emits = name == "check" || command.get_arguments().any(|it| it.get_id() == "name_pattern");
            let mut provided: Vec<(&str, Vec<String>)> = vec![
                ("classpath", vec![join(&module.existing_class_path())]),
                ("source_path", vec![join(&existing(&module.sources))]),
                ("selectors", texts(existing(&module.classes))),
                ("junit", framework.into_iter().map(str::to_owned).collect()),
            ];
            if emits {
                provided.push(("junit_jar", texts(jars.clone())));
                provided.extend(style.iter().map(|(id, value)| (*id, vec![value.clone()])));
            }
            match name.as_str() {
                "generate" => provided.push(("out", texts(vec![tests.clone()]))),
                "check" => provided.extend([
                    ("tests", texts(existing(&module.test_sources))),
                    ("suite", texts(existing(&module.test_classes))),
                ]),
                "mutants" => provided.push(("suite", texts(existing(&module.test_classes)))),
                _ => {}
            }
            let set = configured.ids(&name);
            provided.retain(|(id, values)| {
                !values.is_empty() && values.iter().all(|it| !it.is_empty()) && !set.iter().any(|it| it == id)
            });
            provided.into_iter().fold(command, |command, (id, values)| {
                let has = command.get_arguments().any(|it| it.get_id() == id);
                if has {
                    command.mut_arg(id, |it| it.required(false).default_values(values))
                } else {
                    command
                }
            })
        })
    }
}
