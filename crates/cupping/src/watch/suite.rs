//! The suites of `--suite`: each is run on a machine of its own, and its tests become triples.

use crate::interrupt::interrupted;
use crate::mutants::judge::{find_by, test_classes};
use crate::mutants::runner;
use crate::progress::Counter;
use crate::spec_args::WatchArgs;
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_coverage::CoverageMap;
use cupping_machine::{Collect, Limits, Machine, Settings, Value};
use cupping_watch::{Suite, SuiteTriples, triples_of};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where Debian has JUnit with all that it needs.
const JARS: [&str; 3] = [
    "/usr/share/java/junit-platform-console-standalone.jar",
    "/usr/share/java/junit4.jar",
    "/usr/share/java/hamcrest.jar",
];
/// Calls and backward jumps that finding the tests may take.
const FUEL_TO_FIND: u64 = 2_000_000_000;
/// Names of tests that are shown.
const MOST_NAMES: usize = 8;
/// Words of memory: nothing is collected while a test runs.
const HEAP: u32 = 1 << 27;
/// Libraries that tests are written with, if the class path has them.
const SUPPORT: [&str; 9] = [
    "junit/",
    "org/junit/",
    "org/hamcrest/",
    "org/opentest4j/",
    "org/apiguardian/",
    "org/assertj/",
    "org/mockito/",
    "org/easymock/",
    "com/google/common/truth/",
];

fn jars(args: &WatchArgs) -> Vec<PathBuf> {
    if !args.junit_jar.is_empty() {
        return args.junit_jar.clone();
    }
    JARS.iter().map(PathBuf::from).filter(|jar| jar.is_file()).collect()
}

fn class_path(paths: &[PathBuf], jdk: &Jdk) -> Result<ClassPath, String> {
    let mut all = ClassPath::default();
    for path in paths {
        all.push(path, jdk.feature_version()).map_err(|error| error.to_string())?;
    }
    Ok(all)
}

/// The classes that conditions of suites are made of: the suites, and what they are written with.
pub fn beside(args: &WatchArgs, jdk: &Jdk) -> Result<Arc<ClassPath>, String> {
    let paths: Vec<PathBuf> = args.suite.iter().cloned().chain(jars(args)).collect();
    Ok(Arc::new(class_path(&paths, jdk)?))
}

/// Runs a suite and takes its triples; `first` is the number of the first testcase.
pub fn triples(
    args: &WatchArgs,
    suite: &Path,
    program: &Program,
    coverage: &CoverageMap,
    first: usize,
) -> Result<Taken, String> {
    if !suite.exists() {
        return Err(format!("--suite {}: no such file or folder", suite.display()));
    }
    let jdk = program.jdk();
    let mut paths: Vec<PathBuf> = vec![suite.to_owned()];
    paths.extend(program.class_path().entries().map(|it| it.path().to_owned()));
    paths.extend(jars(args));
    let joined = |paths: &[PathBuf]| {
        std::env::join_paths(paths)
            .map_err(|error| error.to_string())
            .map(|it| it.to_string_lossy().into_owned())
    };
    let runner = runner::Compiled::new(jdk, &joined(&paths)?).map_err(|error| {
        format!("--suite {}: {error}; or name JUnit's jars with --junit-jar", suite.display())
    })?;
    paths.insert(1, runner.folder().to_owned());
    let whole = Arc::new(Program::new(jdk.clone(), class_path(&paths, jdk)?));
    let names = test_classes(suite, &whole)?;
    let limits = Limits {
        record_flows: true,
        record_library_flows: true,
        collect: Collect::Never,
        heap_words: HEAP,
        ..Limits::default()
    };
    let settings = Settings { class_path: joined(&paths)?, assertions: true, ..Settings::default() };
    let mut machine = Machine::boot_with(whole, limits, settings).map_err(|error| error.to_string())?;
    machine.console.set_sink(|_, _| ());
    machine.end_when(interrupted);
    machine.track(coverage);
    machine.set_fuel(FUEL_TO_FIND);
    let (run, tests) = find_by(&mut machine, &names, "findUsable").map_err(|trap| {
        let said = machine.describe_trap(&trap);
        let said: Vec<&str> = said.lines().filter(|line| !line.starts_with("    at ")).collect();
        format!("{}: the tests cannot be found: {}", suite.display(), said.join("; "))
    })?;
    let unusable = ask_runner(&mut machine, "unusable", "()Ljava/lang/String;", &[]).unwrap_or_default();
    let unusable: Vec<String> = unusable.lines().map(str::to_owned).collect();
    let is_test = |name: &str| {
        names.iter().any(|it| {
            let rest = name.strip_prefix(it.replace('.', "/").as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
        })
    };
    let mut under_test = BTreeSet::new();
    for entry in program.class_path().entries() {
        let names = entry.class_names().map_err(|error| error.to_string())?;
        let usable = |it: &String| !is_test(it) && !SUPPORT.iter().any(|prefix| it.starts_with(prefix));
        under_test.extend(names.into_iter().filter(usable));
    }
    let mut own = BTreeSet::new();
    for entry in class_path(&[suite.to_owned()], jdk)?.entries() {
        own.extend(entry.class_names().map_err(|error| error.to_string())?);
    }
    own.retain(|it| !under_test.contains(it));
    let named = suite;
    let suite = Suite { run, tests, own, under_test };
    let counter = Counter::new(args.quiet);
    let triples = triples_of(&mut machine, suite, first, args.suite_steps, args.depth, |number| {
        counter.update(|| format!("{}: test {} of {tests}", named.display(), number + 1));
    });
    counter.clear();
    let left_out = triples.failed.iter().take(MOST_NAMES).chain(triples.unfinished.iter().take(MOST_NAMES));
    let names = left_out.map(|it| (*it, name(&mut machine, *it))).collect();
    Ok(Taken { triples, names, unusable })
}

/// Triples of a suite, and the names of tests that say nothing.
pub struct Taken {
    pub triples: SuiteTriples,
    names: BTreeMap<usize, String>,
    unusable: Vec<String>,
}

impl Taken {
    /// What is to be said of tests that were left out.
    pub fn left_out(&self, suite: &Path) -> Vec<String> {
        let SuiteTriples { passed, failed, unfinished, .. } = &self.triples;
        let all = passed + failed.len() + unfinished.len();
        let said = |tests: &[usize], what: &str| {
            let names: Vec<&str> =
                tests.iter().filter_map(|it| self.names.get(it)).map(String::as_str).collect();
            let shown = names[..names.len().min(MOST_NAMES)].join(", ");
            let more = if tests.len() > MOST_NAMES { ", …" } else { "" };
            (!tests.is_empty())
                .then(|| format!("{}: {} of {all} tests {what}: {shown}{more}", suite.display(), tests.len()))
        };
        let unusable = (!self.unusable.is_empty()).then(|| {
            let shown = self.unusable[..self.unusable.len().min(MOST_NAMES)].join(", ");
            let (suite, classes) = (suite.display(), self.unusable.len());
            format!("{suite}: {classes} classes cannot be searched for tests: {shown}")
        });
        let failed = said(failed, "do not pass here; they say nothing");
        let unfinished = said(unfinished, "take longer than --suite-steps allows, and are left out");
        unusable.into_iter().chain(failed).chain(unfinished).collect()
    }
}

/// The name of a test, as people call it: its class and method.
fn name(machine: &mut Machine, test: usize) -> String {
    let number = Value::int(i32::try_from(test).unwrap_or(i32::MAX));
    let id = ask_runner(machine, "name", "(I)Ljava/lang/String;", &[number]);
    let id = id.unwrap_or_else(|| format!("number {test}"));
    // [engine:junit-vintage]/[runner:a.BTest]/[test:c(a.BTest)], [engine:junit-jupiter]/[class:a.BTest]/[method:c()]
    let parts = id.split('/').filter_map(|part| part.strip_prefix('[')?.strip_suffix(']')?.split_once(':'));
    let parts: Vec<&str> = parts.filter(|(kind, _)| *kind != "engine").map(|(_, name)| name).collect();
    let shorter = |part: &&str| part.split('(').next().unwrap_or_default().to_owned();
    parts.iter().map(shorter).collect::<Vec<_>>().join(".")
}

/// A text that the runner gives.
fn ask_runner(machine: &mut Machine, name: &str, descriptor: &str, arguments: &[Value]) -> Option<String> {
    let class = machine.load("cupping/MutantRunner").ok()?;
    let method = machine.declared_method(class, name, descriptor)?;
    let text = machine.call(method, arguments).ok()?;
    (text.bits != 0).then(|| machine.text(text.as_ref()))
}
