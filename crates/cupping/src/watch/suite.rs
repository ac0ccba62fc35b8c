//! The suites of `--suite`: each is run on a machine of its own, and its tests become triples.

use crate::mutants::judge::{find, test_classes};
use crate::mutants::runner;
use crate::spec_args::WatchArgs;
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_machine::coverage::CoverageMap;
use cupping_machine::{Collect, Limits, Machine, Settings};
use cupping_watch::{Suite, SuiteTriples, triples_of};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where Debian has JUnit with all that it needs.
const JARS: [&str; 3] = [
    "/usr/share/java/junit-platform-console-standalone.jar",
    "/usr/share/java/junit4.jar",
    "/usr/share/java/hamcrest.jar",
];
/// Calls and backward jumps that finding the tests, and one test, may take.
const FUEL_TO_FIND: u64 = 2_000_000_000;
const FUEL: u64 = 500_000_000;
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
) -> Result<SuiteTriples, String> {
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
    machine.track(coverage);
    machine.set_fuel(FUEL_TO_FIND);
    let (run, tests) = find(&mut machine, &names).map_err(|trap| {
        format!("{}: the tests cannot be found: {}", suite.display(), machine.describe_trap(&trap))
    })?;
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
    let suite = Suite { run, tests, own, under_test };
    Ok(triples_of(&mut machine, suite, first, FUEL, args.depth))
}
