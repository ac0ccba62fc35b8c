//! Certification: emitted tests compile with the JDK's `javac` and pass on its JVM, twice.
//!
//! One JVM is started early, while the machine still explores, and warms its compiler up. The tests then run twice,
//! each time in a new class loader (so with fresh statics), the second time in reverse order: a test that depends on
//! remains of another fails in one of the two runs; the module `interference` finds whom to drop. After tests are
//! dropped, the rest runs again, until a whole round passes. No test framework's launcher is involved: a test is a new
//! instance and a call of the method, which is all that JUnit does for a class without rules and lifecycle methods.

mod attribution;
mod cache;
mod error;
mod interference;
mod junit_jars;
mod protocol;
mod saved_tests;
mod worker;

use crate::framework::Framework;
use crate::junit::{ASSERTION, JunitClass, JunitMethod};
use attribution::{TestId, suppressions, tests_of};
use cache::Program;
use cupping_confine::Support;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;
use worker::{TestEnd, Worker};

pub use cache::default_folder as cache_folder;
pub use error::CertifyError;
pub use junit_jars::JarSources;
pub use saved_tests::Fate;

/// Limit on the rounds of dropping and running again before the rest is given up as unstable.
const MOST_ROUNDS: usize = 50;

/// The options of a certifier.
#[derive(Clone, Debug)]
pub struct CertifierOptions {
    /// Home of the JDK: the folder with `bin/javac`.
    pub jdk_home: PathBuf,
    /// The framework the tests are written for.
    pub framework: Framework,
    /// Where to look for the jars of JUnit.
    pub jars: JarSources,
    /// Folder for the compiled certifier; `None` for the user's cache.
    pub cache: Option<PathBuf>,
    /// The class path of the classes under test. Besides it and `beside`, the JVM can read nothing of the user's.
    pub class_path: Vec<PathBuf>,
    /// Further readable paths: jars that the manifests of the class path and of JUnit's jars name.
    pub beside: Vec<PathBuf>,
    /// How long one test may take.
    pub test_limit: Duration,
    /// Whether the JVM may do to the computer what the user may: the user's own decision.
    pub unconfined: bool,
    /// Whether `assert` statements of the code under test are enabled.
    pub assertions: bool,
    /// Whether tests may be parameterized tests of JUnit 5, which need a separate jar.
    pub parameterized: bool,
}

impl CertifierOptions {
    /// Default options: jars found on this machine, five seconds for a test, assertions enabled.
    pub fn new(jdk_home: &Path, framework: Framework) -> Self {
        CertifierOptions {
            jdk_home: jdk_home.into(),
            framework,
            jars: JarSources::of_machine(&[]),
            cache: None,
            class_path: Vec::new(),
            beside: Vec::new(),
            test_limit: Duration::from_secs(5),
            unconfined: false,
            assertions: true,
            parameterized: false,
        }
    }
}

/// The stage at which a test failed certification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// `javac` rejects it.
    Compile,
    /// It does not pass.
    Run,
    /// It passed once, and once it did not.
    Unstable,
    /// It passes, but it and another test cannot be in one class: one fails after the other, which changes what they
    /// share.
    Interferes,
    /// It tried to change the computer outside of the folder that JUnit gives it.
    Escape,
    /// It was not run: it has effects, and this system cannot confine the JVM.
    NotRun,
}

impl Stage {
    /// Whether Cupping should not have made the test. Others hold, but cannot be kept.
    pub fn is_defect(self) -> bool {
        !matches!(self, Stage::NotRun | Stage::Interferes)
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Compile => "compile",
            Stage::Run => "run",
            Stage::Unstable => "unstable",
            Stage::Interferes => "interferes",
            Stage::Escape => "escape",
            Stage::NotRun => "not-run",
        }
    }
}

/// A test that the machine found and that does not hold on the JDK: a defect of the machine or the printer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Binary name of the test class.
    pub class: String,
    /// Name of the test.
    pub test: String,
    /// Where it failed.
    pub stage: Stage,
    /// The message of javac or the JVM.
    pub detail: String,
    /// The test, by lines, so that it can be looked at.
    pub source: Vec<String>,
}

/// As a line of text: `dropped (run): app.TillTest.add_one: expected: <2> but was: <3>`.
impl Display for Divergence {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let first_line = self.detail.lines().next().unwrap_or_default();
        write!(f, "dropped ({}): {}.{}: {first_line}", self.stage.name(), self.class, self.test)
    }
}

/// The result of certification.
#[derive(Clone, Debug, PartialEq)]
pub struct Certification {
    /// The classes with the tests that hold; classes without any are omitted.
    pub classes: Vec<JunitClass>,
    /// The tests that were dropped, in the order of the classes.
    pub divergences: Vec<Divergence>,
}

/// Certifies test classes on a JVM of its own.
pub struct Certifier {
    starting: Option<JoinHandle<Result<(Program, Worker), CertifyError>>>,
    ready: Option<(Program, Option<Worker>)>,
    class_path: Vec<PathBuf>,
    limit: Duration,
    /// Whether only tests without effects may be run.
    only_harmless: bool,
}

impl Certifier {
    /// Starts the JVM in the background. Only errors that are known at once are returned (JUnit missing);
    /// [`Certifier::certify`] reports later ones.
    pub fn start(options: CertifierOptions) -> Result<Certifier, CertifyError> {
        let mut jars = options.jars.find(options.framework)?;
        if options.parameterized {
            let further = options.jars.find_parameters(options.framework);
            jars.extend(further.filter(|it| !jars.contains(it)));
        }
        let limit = options.test_limit;
        let only_harmless = !options.unconfined && !Support::of_kernel().is_full();
        let class_path = options.class_path.clone();
        let starting = std::thread::spawn(move || {
            let cache = options.cache.clone().unwrap_or_else(cache::default_folder);
            let readable = [options.class_path, options.beside].concat();
            let program = Program::prepare(
                &options.jdk_home,
                options.framework,
                &jars,
                &cache,
                readable,
                options.unconfined,
                options.assertions,
            )?;
            let worker = Worker::start(&program)?;
            Ok((program, worker))
        });
        Ok(Certifier { starting: Some(starting), ready: None, class_path, limit, only_harmless })
    }

    /// Compiles and runs the tests.
    pub fn certify(&mut self, classes: Vec<JunitClass>) -> Result<Certification, CertifyError> {
        let class_path = self.class_path.iter().map(|path| absolute(path)).collect();
        let mut round =
            Round { certifier: self, classes, class_path, dropped: BTreeMap::new(), original: Vec::new() };
        round.original = round.classes.iter().map(|class| (0..class.methods.len()).collect()).collect();
        round.drop_unconfinable_tests();
        round.whole()
    }

    fn worker(&mut self) -> Result<&mut Worker, CertifyError> {
        if let Some(starting) = self.starting.take() {
            let lost = CertifyError::Jvm { what: "could not be started".into(), stderr: String::new() };
            let (program, worker) = starting.join().unwrap_or(Err(lost))?;
            self.ready = Some((program, Some(worker)));
        }
        let Some((program, worker)) = &mut self.ready else {
            return Err(CertifyError::Jvm { what: "could not be started".into(), stderr: String::new() });
        };
        match worker {
            Some(worker) => Ok(worker),
            None => Ok(worker.insert(Worker::start(program)?)),
        }
    }

    fn give_up_worker(&mut self) {
        if let Some((_, worker)) = &mut self.ready {
            *worker = None;
        }
    }
}

/// The certification of one set of classes.
struct Round<'a> {
    certifier: &'a mut Certifier,
    classes: Vec<JunitClass>,
    class_path: Vec<String>,
    /// Dropped tests by class and original index of the method.
    dropped: BTreeMap<TestId, Divergence>,
    /// For each class the indices its methods had when it began.
    original: Vec<Vec<usize>>,
}

impl Round<'_> {
    /// If the kernel cannot confine the JVM, drops tests with effects: they are not even compiled.
    fn drop_unconfinable_tests(&mut self) {
        if !self.certifier.only_harmless {
            return;
        }
        let why = "it has effects, and this system cannot confine it";
        let has_effects = |&(class, method): &TestId| !self.classes[class].methods[method].harmless;
        let dropped = self.tests().into_iter().filter(has_effects);
        self.drop_tests(dropped.map(|id| (id, (Stage::NotRun, why.to_owned()))).collect());
    }

    fn whole(mut self) -> Result<Certification, CertifyError> {
        self.compile()?;
        for _ in 0..MOST_ROUNDS {
            if self.run_twice()? {
                return Ok(self.verdict());
            }
        }
        let rest: Vec<TestId> = self.tests();
        let detail = "other tests kept changing its outcome";
        self.drop_tests(rest.into_iter().map(|id| (id, (Stage::Unstable, detail.into()))).collect());
        Ok(self.verdict())
    }

    /// Drops tests until the rest compiles.
    fn compile(&mut self) -> Result<(), CertifyError> {
        loop {
            let sources: Vec<_> = self.classes.iter().map(JunitClass::source).collect();
            let texts: Vec<(String, String)> = self
                .classes
                .iter()
                .zip(&sources)
                .filter(|(class, _)| !class.methods.is_empty())
                .map(|(class, source)| (class.binary_name(), source.text.clone()))
                .collect();
            if texts.is_empty() {
                return Ok(());
            }
            let (ok, diagnostics) = self.certifier.worker()?.compile(&self.class_path, &texts)?;
            for class in &mut self.classes {
                class.suppressed.extend(suppressions(class, &diagnostics));
            }
            if ok {
                return Ok(());
            }
            let mut offending: BTreeMap<TestId, (Stage, String)> = BTreeMap::new();
            for error in diagnostics.iter().filter(|it| it.is_error) {
                for id in tests_of(error, &self.classes, &sources) {
                    offending.entry(id).or_insert_with(|| (Stage::Compile, error.message.clone()));
                }
            }
            if offending.is_empty() {
                let said = diagnostics.iter().find(|it| it.is_error).map(|it| it.message.clone());
                let said = said.unwrap_or_else(|| "javac failed without naming a test".into());
                let found = self.bisect()?.into_iter();
                offending = found.map(|id| (id, (Stage::Compile, said.clone()))).collect();
            }
            self.drop_tests(offending);
        }
    }

    /// The tests to remove so that the rest compiles, if javac does not attribute its errors; all of them if no test
    /// is to blame.
    fn bisect(&mut self) -> Result<Vec<TestId>, CertifyError> {
        let all = self.tests();
        let mut waiting = Vec::new();
        if self.compiles(&[])? {
            waiting.push(all.clone());
        }
        let mut offending = Vec::new();
        while let Some(tests) = waiting.pop() {
            if self.compiles(&tests)? {
                continue;
            }
            match tests.as_slice() {
                [only] => offending.push(*only),
                several => {
                    let (left, right) = several.split_at(several.len() / 2);
                    waiting.extend([right.to_vec(), left.to_vec()]);
                }
            }
        }
        Ok(if offending.is_empty() { all } else { offending })
    }

    /// Whether the classes compile with these of their tests.
    fn compiles(&mut self, tests: &[TestId]) -> Result<bool, CertifyError> {
        let texts: Vec<(String, String)> = self
            .classes
            .iter()
            .enumerate()
            .map(|(at, class)| {
                let of_class = tests.iter().filter(|(class, _)| *class == at);
                let methods = of_class.map(|(_, method)| class.methods[*method].clone()).collect();
                let part = JunitClass { methods, ..class.clone() };
                (class.binary_name(), part.source().text)
            })
            .collect();
        Ok(self.certifier.worker()?.compile(&self.class_path, &texts)?.0)
    }

    /// Runs all tests forwards and backwards; returns whether all of them passed.
    fn run_twice(&mut self) -> Result<bool, CertifyError> {
        let forwards = self.tests();
        if forwards.is_empty() {
            return Ok(true);
        }
        let Some(first) = self.run(&forwards)? else { return Ok(false) };
        let backwards: Vec<TestId> = forwards.iter().rev().copied().collect();
        let Some(second) = self.run(&backwards)? else { return Ok(false) };
        let escapes = |ends: &BTreeMap<TestId, TestEnd>| -> BTreeMap<TestId, (Stage, String)> {
            let escaped = ends.iter().filter_map(|(id, end)| match end {
                TestEnd::Escaped(tried) => Some((*id, (Stage::Escape, tried.clone()))),
                _ => None,
            });
            escaped.collect()
        };
        let mut escaped = escapes(&second);
        escaped.extend(escapes(&first));
        if !escaped.is_empty() {
            self.drop_tests(escaped);
            return Ok(false);
        }
        let mut failing = BTreeMap::new();
        let mut unstable = BTreeMap::new();
        for (id, first) in &first {
            let id = *id;
            let first = self.as_expected(id, first.clone());
            let second = second.get(&id).map(|it| self.as_expected(id, it.clone()));
            match (first, second.as_ref()) {
                (TestEnd::Passed, Some(TestEnd::Passed)) => {}
                (TestEnd::Failed(detail), Some(TestEnd::Failed(_))) => {
                    failing.insert(id, (Stage::Run, detail));
                }
                (TestEnd::Failed(detail), _) => {
                    unstable.insert(id, (Stage::Unstable, detail));
                }
                (_, Some(TestEnd::Failed(detail))) => {
                    unstable.insert(id, (Stage::Unstable, detail.clone()));
                }
                _ => {
                    failing.insert(id, (Stage::Run, "was not run".into()));
                }
            }
        }
        if failing.is_empty() && unstable.is_empty() {
            return Ok(true);
        }
        for id in failing.keys().copied().collect::<Vec<_>>() {
            // The test passes alone, so it fails because of remains of another test.
            let Some(alone) = self.run(&[id])? else { return Ok(false) };
            if alone.get(&id).map(|it| self.as_expected(id, it.clone())) == Some(TestEnd::Passed)
                && let Some((_, detail)) = failing.remove(&id)
            {
                unstable.insert(id, (Stage::Unstable, detail));
            }
        }
        if !unstable.is_empty() {
            let orders = [(forwards, first), (backwards, second)];
            let Some(leaving) = self.tests_that_interfere(unstable, &orders)? else { return Ok(false) };
            failing.extend(leaving);
        }
        self.drop_tests(failing);
        Ok(false)
    }

    /// Whether a test ended as intended; a failing test must fail, in the expected way.
    fn as_expected(&self, (class, method): TestId, end: TestEnd) -> TestEnd {
        let Some(wanted) = &self.classes[class].methods[method].fails_with else { return end };
        match end {
            TestEnd::Passed => TestEnd::Failed("it passes, but should fail".into()),
            TestEnd::Failed(detail) if is_failure(&detail, wanted) => TestEnd::Passed,
            other => other,
        }
    }

    /// Runs tests in this order. `None` if one of them ended the JVM: it is dropped, and the others wait for the
    /// next round in a new JVM.
    fn run(&mut self, order: &[TestId]) -> Result<Option<BTreeMap<TestId, TestEnd>>, CertifyError> {
        let tests: Vec<(String, String)> = order
            .iter()
            .map(|&(class, method)| {
                let class = &self.classes[class];
                (class.binary_name(), class.methods[method].name.clone())
            })
            .collect();
        let limit = self.certifier.limit;
        let ends = self.certifier.worker()?.run(limit, &tests)?;
        if let Some(TestEnd::Fatal(detail)) = ends.last() {
            let offender = order[ends.len() - 1];
            self.drop_tests([(offender, (Stage::Run, detail.clone()))].into());
            self.certifier.give_up_worker();
            self.compile()?;
            return Ok(None);
        }
        Ok(Some(order.iter().copied().zip(ends).collect()))
    }

    fn tests(&self) -> Vec<TestId> {
        let classes = self.classes.iter().enumerate();
        classes.flat_map(|(at, class)| (0..class.methods.len()).map(move |method| (at, method))).collect()
    }

    fn drop_tests(&mut self, offending: BTreeMap<TestId, (Stage, String)>) {
        // Remove from the end, so that earlier indices stay valid.
        for ((class, method), (stage, detail)) in offending.into_iter().rev() {
            let removed = self.classes[class].methods.remove(method);
            let original = self.original[class].remove(method);
            let JunitMethod { name: test, lines: source, .. } = removed;
            let class_name = self.classes[class].binary_name();
            let divergence = Divergence { class: class_name, test, stage, detail, source };
            self.dropped.insert((class, original), divergence);
        }
    }

    fn verdict(mut self) -> Certification {
        self.classes.retain(|class| !class.methods.is_empty());
        Certification { classes: self.classes, divergences: self.dropped.into_values().collect() }
    }
}

/// Whether a test failed with an exception of this class; JUnit's assertions have their own exception classes.
fn is_failure(detail: &str, wanted: &str) -> bool {
    let of = |class: &str| {
        detail
            .strip_prefix(class)
            .is_some_and(|rest| !rest.starts_with(|it: char| it.is_alphanumeric() || it == '$'))
    };
    let mut failures = Framework::ALL.iter().flat_map(|it| it.row().failures);
    of(wanted) || wanted == ASSERTION && failures.any(|it| of(it))
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.into()).to_string_lossy().into_owned()
}
