//! The suites of `--suite`: each runs on its own machine, and its tests become triples.

use super::arguments::Arguments;
use crate::process::progress::Counter;
use crate::shared::suite::{Junit, Suite, test_name};
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_contract::Method;
use cupping_coverage::CoverageMap;
use cupping_machine::{CollectionPolicy, RunLimits, WorldOptions};
use cupping_watch::{SuiteTriples, triples_of};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Names of tests that are shown.
const MOST_NAMES: usize = 8;
/// Calls before the failure of a test that are shown.
const MOST_CALLS: usize = 3;
/// Words of memory; nothing is collected while a test runs.
const HEAP: u32 = 1 << 27;
/// Testing libraries, which are used if the class path has them.
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

/// The classes available to conditions of suites: the suites and their libraries.
pub fn suite_class_path(suites: &[String], junit: &Junit, jdk: &Jdk) -> Result<Arc<ClassPath>, String> {
    let version = jdk.feature_version();
    let mut all = ClassPath::default();
    for suite in suites {
        all.append(&ClassPath::open(suite, version).map_err(|error| error.to_string())?);
    }
    for jar in &junit.jars {
        all.push(jar, version).map_err(|error| error.to_string())?;
    }
    Ok(Arc::new(all))
}

/// Runs a suite and collects its triples; `place` is its index among the suites. Testcases are numbered from 0.
pub fn triples(
    args: &Arguments,
    name: &str,
    junit: &Junit,
    program: &Program,
    coverage: &CoverageMap,
    replaced: BTreeSet<Method>,
    place: usize,
) -> Result<CollectedTriples, String> {
    let suite = Suite::open(name, junit, program, &[])?;
    let limits = RunLimits {
        record_flows: true,
        record_library_flows: true,
        collect: CollectionPolicy::Never,
        heap_words: HEAP,
        ..RunLimits::default()
    };
    let mut machine = suite.boot(limits, WorldOptions { assertions: true, ..WorldOptions::default() })?;
    machine.track(coverage);
    let (found, unusable) = suite.find(&mut machine)?;
    let is_test = |name: &str| {
        suite.classes.iter().any(|it| {
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
    for entry in suite.own.entries() {
        own.extend(entry.class_names().map_err(|error| error.to_string())?);
    }
    own.retain(|it| !under_test.contains(it));
    let counter = Counter::new();
    let tests = found.tests;
    let of_suite = cupping_watch::Suite { run: found.run, tests, own, under_test, replaced };
    let triples = triples_of(&mut machine, of_suite, place, args.suite_steps, args.depth, |number| {
        counter.update(|| format!("{name}: test {} of {tests}", number + 1));
    });
    counter.clear();
    let failed = triples.failed.iter().map(|it| it.0).take(MOST_NAMES);
    let left_out = failed.chain(triples.unfinished.iter().copied().take(MOST_NAMES));
    let mut names: BTreeMap<usize, String> = left_out.map(|it| (it, test_name(&mut machine, it))).collect();
    for (number, calls) in triples.failed.iter().filter(|it| !it.1.is_empty()) {
        let calls = &calls[..calls.len().min(MOST_CALLS)];
        names.entry(*number).and_modify(|it| *it += &format!(" (after {})", calls.join(", ")));
    }
    Ok(CollectedTriples { suite: name.to_owned(), triples, names, unusable })
}

/// Triples of a suite, and the names of tests that give none.
pub struct CollectedTriples {
    pub triples: SuiteTriples,
    suite: String,
    names: BTreeMap<usize, String>,
    unusable: Vec<String>,
}

impl CollectedTriples {
    /// The tests that were left out, and why. With `is_earlier`, they ran with an earlier version of the program.
    pub fn left_out(&self, is_earlier: bool) -> Vec<String> {
        let SuiteTriples { passed, disabled, failed, unfinished, .. } = &self.triples;
        let all = passed + disabled + failed.len() + unfinished.len();
        let line = |tests: &[usize], what: &str| {
            let names: Vec<&str> =
                tests.iter().filter_map(|it| self.names.get(it)).map(String::as_str).collect();
            let shown = names[..names.len().min(MOST_NAMES)].join(", ");
            let more = if tests.len() > MOST_NAMES { ", …" } else { "" };
            (!tests.is_empty())
                .then(|| format!("{}: {} of {all} tests {what}: {shown}{more}", self.suite, tests.len()))
        };
        let what = match is_earlier {
            true => "do not pass here and are ignored",
            false => {
                "do not pass here and are ignored (--suite-class-path names a version with which they pass)"
            }
        };
        let failed: Vec<usize> = failed.iter().map(|it| it.0).collect();
        let failed = line(&failed, what);
        let unfinished = line(unfinished, "take longer than --suite-steps allows, and count up to there");
        self.unusable.iter().cloned().chain(failed).chain(unfinished).collect()
    }
}
