//! Bazel: queries describe the packages with Java, and one build makes their jars.
//!
//! `bazel query` names the rules and their source files, `bazel cquery` their jars and class paths as the rules
//! themselves know them (`bazel/java_info.bzl`, a function on `JavaInfo`). The alternatives were the arguments of the
//! actions (`bazel aquery`), which have header jars instead of classes and nothing for run time; and an aspect, which
//! has to be a file of the workspace or of a repository that it declares.

pub(crate) mod files;
mod outputs;
mod packages;
mod source_roots;

use crate::maven::{last_lines, scratch};
use crate::{Builder, Module, ProjectError, Tool};
use cupping_confine::{BuildTool, ConfineError};
use outputs::{PLACES, Places, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The function that describes a target.
const JAVA_INFO: &str = include_str!("bazel/java_info.bzl");
/// Programs to try. A launcher on the path starts `tools/bazel` itself, where there is one.
const PROGRAMS: [&str; 2] = ["bazel", "bazelisk"];
const OF_WORKSPACE: &str = "tools/bazel";
/// A server that is started here ends soon; one that runs already is not affected.
const STARTUP: &str = "--max_idle_secs=60";
/// Options of every command: the output is read, and what fails is not all.
const QUIET: [&str; 3] = ["--color=no", "--curses=no", "--noshow_progress"];
const KEEP_GOING: &str = "--keep_going";
/// Rules that may have Java: those with sources, and those that are named so. Whoever tags a rule `manual` does not
/// want it to be built with the others.
const CANDIDATES: &str = r#"(attr(srcs, "[.](java|kt|groovy|scala)($|[^a-zA-Z0-9_.])", //...)
    union kind("^(java|kt|scala|groovy)_[a-z_]*(library|binary|test|import) rule$", //...))
    except attr(tags, "[^a-z-]manual[^a-z-]", //...)"#;
/// The length of the list of labels in one query: Linux has a limit of 128 kB for an argument.
const MOST_BYTES: usize = 100_000;

/// A workspace, and the program that builds it.
struct Workspace<'a> {
    root: &'a Path,
    program: PathBuf,
}

/// What a command of Bazel printed.
struct Printed {
    succeeded: bool,
    output: String,
    messages: Vec<u8>,
}

/// Compiles the workspace, and returns its packages with Java.
pub(crate) fn modules(root: &Path, builder: Builder<'_>) -> Result<Vec<Module>, ProjectError> {
    (builder.note)("Bazel compiles the project and describes it");
    let (workspace, places) = Workspace::open(root)?;
    let known = workspace.run("query", &[KEEP_GOING, "--output=xml", CANDIDATES])?;
    let rules =
        outputs::rules(&known.output).map_err(|_| workspace.failed("query //...", &known.messages))?;
    if !known.succeeded {
        (builder.warn)(&format!("Bazel cannot read all packages: {}", first_error(&known.messages)));
    }
    let labels: Vec<&str> = rules.iter().map(|it| it.label.as_str()).collect();
    let scratch = scratch()?;
    let targets = workspace.targets(&labels, &places, scratch.path(), builder)?;
    let with_java: Vec<&str> = targets.keys().map(String::as_str).collect();
    let tests = workspace.tests(&with_java)?;
    let made = workspace.build(&targets, &tests, scratch.path(), builder)?;
    let modules = packages::modules(&places.workspace, &rules, &tests, &targets);
    if made {
        warn_of_missing(&modules, builder);
    }
    Ok(modules)
}

impl<'a> Workspace<'a> {
    /// Finds the program, and asks it for the folders of the workspace.
    fn open(root: &'a Path) -> Result<(Workspace<'a>, Places), ProjectError> {
        let own = root.join(OF_WORKSPACE);
        let programs = PROGRAMS.iter().map(PathBuf::from).chain(own.is_file().then_some(own));
        let mut missing = None;
        for program in programs {
            let workspace = Workspace { root, program };
            match workspace.run("info", &PLACES) {
                Err(ProjectError::NoTool { tool, root, source }) if is_absent(&source) => {
                    missing.get_or_insert(ProjectError::NoTool { tool, root, source });
                }
                Err(error) => return Err(error),
                Ok(printed) => {
                    let places = Places::read(&printed.output).filter(|_| printed.succeeded);
                    let places = places.ok_or_else(|| workspace.failed("info", &printed.messages))?;
                    return Ok((workspace, places));
                }
            }
        }
        Err(missing.unwrap_or_else(|| ProjectError::NoModule { tool: Tool::Bazel, root: root.to_owned() }))
    }

    fn run(&self, command: &str, args: &[&str]) -> Result<Printed, ProjectError> {
        let tool = BuildTool::new(&self.program, self.root).args([STARTUP, command]).args(QUIET).args(args);
        let failed = |source| ProjectError::NoTool { tool: Tool::Bazel, root: self.root.to_owned(), source };
        let run = tool.run().map_err(failed)?;
        Ok(Printed {
            succeeded: run.status.success(),
            output: String::from_utf8_lossy(&run.stdout).into_owned(),
            messages: run.stderr,
        })
    }

    fn failed(&self, command: &str, messages: &[u8]) -> ProjectError {
        ProjectError::Build {
            command: format!("{} {command}", self.program.display()),
            root: self.root.to_owned(),
            output: last_lines(messages),
        }
    }

    /// The targets among some labels that have Java.
    fn targets(
        &self,
        labels: &[&str],
        places: &Places,
        scratch: &Path,
        builder: Builder<'_>,
    ) -> Result<BTreeMap<String, Target>, ProjectError> {
        let function = scratch.join("java_info.bzl");
        fs::write(&function, JAVA_INFO)
            .map_err(|source| ProjectError::File { path: function.clone(), source })?;
        let function = format!("--starlark:file={}", function.display());
        let mut targets = BTreeMap::new();
        for set in sets(labels) {
            let printed = self.run("cquery", &[KEEP_GOING, "--output=starlark", &function, &set])?;
            let described = outputs::targets(&printed.output, places);
            if !printed.succeeded && described.is_empty() {
                return Err(self.failed("cquery", &printed.messages));
            }
            if !printed.succeeded {
                let error = first_error(&printed.messages);
                (builder.warn)(&format!("Bazel cannot analyse all Java targets: {error}"));
            }
            targets.extend(described);
        }
        Ok(targets)
    }

    /// The labels, among these, of test rules and of libraries for tests.
    fn tests(&self, labels: &[&str]) -> Result<BTreeSet<String>, ProjectError> {
        let mut tests = BTreeSet::new();
        for set in sets(labels) {
            let printed = self.run("query", &[&format!("attr(testonly, 1, {set})")])?;
            if !printed.succeeded {
                return Err(self.failed("query", &printed.messages));
            }
            tests.extend(printed.output.lines().map(|it| outputs::label(it).to_owned()));
        }
        Ok(tests)
    }

    /// Builds the jars of all targets, or those of targets that are not tests, if the tests do not compile. Returns
    /// whether all were built.
    fn build(
        &self,
        targets: &BTreeMap<String, Target>,
        tests: &BTreeSet<String>,
        scratch: &Path,
        builder: Builder<'_>,
    ) -> Result<bool, ProjectError> {
        let file = scratch.join("targets");
        let named = format!("--target_pattern_file={}", file.display());
        let build = |with_tests: bool| {
            let wanted = targets.iter().filter(|(label, _)| with_tests || !tests.contains(*label));
            // Jars of other rules are named too: compiling against a library only needs its headers.
            let labels: BTreeSet<&str> = wanted
                .flat_map(|(label, target)| [label].into_iter().chain(&target.makers))
                .map(String::as_str)
                .collect();
            let list = labels.into_iter().collect::<Vec<_>>().join("\n");
            fs::write(&file, list).map_err(|source| ProjectError::File { path: file.clone(), source })?;
            self.run("build", &[KEEP_GOING, &named])
        };
        let all = build(true)?;
        if all.succeeded {
            return Ok(true);
        }
        let main = build(false)?;
        if !main.succeeded {
            return Err(self.failed("build", &main.messages));
        }
        let error = first_error(&all.messages);
        (builder.warn)(&format!("the tests of the project do not compile, so they are left out: {error}"));
        Ok(false)
    }
}

/// Whether a program does not exist.
fn is_absent(error: &ConfineError) -> bool {
    matches!(error, ConfineError::Start { source, .. } if source.kind() == ErrorKind::NotFound)
}

/// Query expressions that together name these labels.
fn sets(labels: &[&str]) -> Vec<String> {
    let mut sets: Vec<String> = Vec::new();
    // A label with a quote cannot be named in a query.
    for label in labels.iter().filter(|it| !it.contains('"')) {
        match sets.last_mut() {
            Some(set) if set.len() + label.len() < MOST_BYTES => set.push_str(&format!(" \"{label}\"")),
            _ => sets.push(format!("set(\"{label}\"")),
        }
    }
    sets.iter_mut().for_each(|it| it.push(')'));
    sets
}

/// The message that says what failed: the first of the compiler, or else the first error.
fn first_error(messages: &[u8]) -> String {
    let text = String::from_utf8_lossy(messages);
    let is_compiler = |line: &&str| line.contains(".java:") && line.contains("error:");
    let line = text.lines().find(is_compiler).or_else(|| text.lines().find(|it| it.starts_with("ERROR: ")));
    let line = line.or_else(|| text.lines().next()).unwrap_or_default();
    line.strip_prefix("ERROR: ").unwrap_or(line).trim().to_owned()
}

/// Tells of jars that do not exist though all was built, such as those that only an aspect makes.
fn warn_of_missing(modules: &[Module], builder: Builder<'_>) {
    let all: BTreeSet<&PathBuf> = modules.iter().flat_map(|it| &it.class_path).collect();
    let missing: Vec<&PathBuf> = all.into_iter().filter(|it| !it.exists()).collect();
    if let Some(first) = missing.first() {
        let count = missing.len();
        (builder.warn)(&format!(
            "Bazel built all targets, but {count} of the jars are missing: {}",
            first.display()
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_labels_are_divided() {
        assert_eq!(sets(&["//a:b", "//c:d"]), ["set(\"//a:b\" \"//c:d\")"]);
        assert!(sets(&[]).is_empty());
        let label = "x".repeat(60_000);
        assert_eq!(sets(&[&label, &label, "y"]).len(), 2);
    }

    #[test]
    fn the_error_that_matters_is_told() {
        let text =
            b"INFO: x\nERROR: /w/a/BUILD:1:1: Building liba.jar failed\na/A.java:3: error: cannot find\n";
        assert_eq!(first_error(text), "a/A.java:3: error: cannot find");
        assert_eq!(first_error(b"Loading\nERROR: no such package\n"), "no such package");
    }
}
