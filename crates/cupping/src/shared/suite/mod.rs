//! `--suite`: the user's own JUnit tests. One finder determines which classes have tests ([`finder`]); one runner
//! finds the tests in them and runs them on the machine ([`runner`]).

pub mod finder;
pub mod runner;

use crate::process::console;
use crate::process::interrupt::interrupted;
use crate::shared::junit::JunitArgs;
use clap::Args;
use cupping_classfile::{ClassPath, PATH_SEPARATOR, Program};
use cupping_machine::{Machine, MethodId, RunLimits, Step, Trap, Value, WorldOptions};
use runner::CompiledSuite;
use std::path::PathBuf;
use std::sync::Arc;

/// Limit on the calls and backward jumps for finding the tests.
const FUEL_TO_FIND: u64 = 2_000_000_000;
/// Limit on the calls and backward jumps of a whole suite, so that an endless test is stopped.
const FUEL_TO_RUN: u64 = 60_000_000_000;
/// Classes that are named in a message.
const MOST_NAMES: usize = 8;

/// Arguments of commands that read or run JUnit tests.
#[derive(Debug, Args)]
pub struct SuiteArgs {
    /// Your own compiled JUnit tests: a folder or jar, with what they need in addition to the classes; may be
    /// repeated
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub suite: Vec<String>,
}

impl SuiteArgs {
    /// The folders and jars, one by one.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.suite.iter().flat_map(|it| it.split(PATH_SEPARATOR)).map(PathBuf::from).collect()
    }
}

/// A suite that is ready to run: its classes, those under test, JUnit, and the runner.
pub struct Suite {
    /// The user's name for it.
    pub name: String,
    /// Its own classes.
    pub own: ClassPath,
    /// All classes together.
    pub program: Arc<Program>,
    /// Its classes with tests, with dots.
    pub classes: Vec<String>,
    class_path: String,
}

/// The tests that were found on a machine.
#[derive(Clone, Copy, Debug)]
pub struct SuiteTests {
    /// The runner's method that runs one of them, by number.
    pub run: MethodId,
    /// The number of tests.
    pub tests: usize,
}

/// JUnit and the runner that was compiled against it, for all suites of a command.
pub struct Junit {
    /// The jars of JUnit, if they are not on the class path.
    pub jars: Vec<PathBuf>,
    runner: CompiledSuite,
}

impl Junit {
    /// Finds JUnit and compiles the runner.
    ///
    /// # Errors
    /// JUnit's launcher is not found, or a suite cannot be opened.
    pub fn prepare(args: &JunitArgs, suites: &[String], program: &Program) -> Result<Junit, String> {
        let mut class_path = ClassPath::default();
        for suite in suites {
            class_path.append(&open(suite, program)?);
        }
        class_path.append(program.class_path());
        let jars = args.launcher(&class_path)?;
        let entries = class_path.entries().map(|it| it.path().to_owned()).chain(jars.iter().cloned());
        let runner = CompiledSuite::new(program.jdk(), entries.collect())?;
        Ok(Junit { jars, runner })
    }
}

fn open(suite: &str, program: &Program) -> Result<ClassPath, String> {
    ClassPath::open(suite, program.jdk().feature_version()).map_err(|error| format!("--suite: {error}"))
}

impl Suite {
    /// Opens a suite and finds its classes with tests; only those in `only`, unless it is empty.
    ///
    /// # Errors
    /// It cannot be opened, has no tests, or lacks one of the classes named.
    pub fn open(name: &str, junit: &Junit, program: &Program, only: &[String]) -> Result<Suite, String> {
        let jdk = program.jdk();
        let version = jdk.feature_version();
        let own = open(name, program)?;
        let mut all = own.clone();
        all.push(junit.runner.folder(), version).map_err(|error| error.to_string())?;
        all.append(program.class_path());
        for jar in &junit.jars {
            all.push(jar, version).map_err(|error| error.to_string())?;
        }
        let joined = std::env::join_paths(all.entries().map(|it| it.path()));
        let class_path = joined.map_err(|error| error.to_string())?.to_string_lossy().into_owned();
        let program = Arc::new(Program::new(jdk.clone(), all).with_assertions(program.has_assertions()));
        let classes = finder::classes(name, &own, &program, only)?;
        console::remark(|| format!("suite {name}: {} classes with tests", classes.len()));
        Ok(Suite { name: name.to_owned(), own, program, classes, class_path })
    }

    /// A machine for it whose output is discarded.
    ///
    /// # Errors
    ///
    /// The JDK does not start on the machine.
    pub fn boot(&self, limits: RunLimits, options: WorldOptions) -> Result<Machine, String> {
        let assertions = options.assertions && self.program.has_assertions();
        let options = WorldOptions { class_path: self.class_path.clone(), assertions, ..options };
        let program = Arc::clone(&self.program);
        let mut machine = Machine::boot_with(program, limits, options).map_err(|error| error.to_string())?;
        machine.console().set_sink(|_, _| ());
        machine.end_when(interrupted);
        Ok(machine)
    }

    /// Finds the tests; classes that cannot be searched are skipped and listed.
    ///
    /// # Errors
    ///
    /// No test is found.
    pub fn find(&self, machine: &mut Machine) -> Result<(SuiteTests, Vec<String>), String> {
        machine.set_fuel(FUEL_TO_FIND);
        let found = find(machine, &self.classes).map_err(|trap| self.not_found(machine, &trap))?;
        let unusable = ask(machine, "unusable", "()Ljava/lang/String;", &[]).unwrap_or_default();
        let unusable: Vec<&str> = unusable.lines().collect();
        if unusable.is_empty() {
            return Ok((found, Vec::new()));
        }
        let shown = unusable[..unusable.len().min(MOST_NAMES)].join(", ");
        let left_out =
            format!("{}: {} classes cannot be searched for tests: {shown}", self.name, unusable.len());
        if found.tests == 0 { Err(left_out) } else { Ok((found, vec![left_out])) }
    }

    /// Runs all its tests in one go; returns the messages about them.
    ///
    /// # Errors
    ///
    /// The tests cannot be found, or the run stopped at something that the machine does not support.
    pub fn run(&self, machine: &mut Machine) -> Result<Vec<String>, String> {
        let (_, mut notes) = self.find(machine)?;
        machine.set_fuel(FUEL_TO_RUN);
        match call(machine, "runAll", "()I", &[]) {
            Ok(0) => {}
            Ok(_) => notes.push("--suite: some of its tests fail; what they exercise still counts".into()),
            Err(_) if machine.fuel() == 0 && !interrupted() => {
                notes.push(
                    "--suite: it took too long and was stopped; what it exercised before then counts".into(),
                );
            }
            Err(trap) => return Err(format!("--suite: it was stopped: {}", machine.describe_trap(&trap))),
        }
        Ok(notes)
    }

    fn not_found(&self, machine: &mut Machine, trap: &Trap) -> String {
        let text = machine.describe_trap(trap);
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("    at ")).collect();
        format!("{}: the tests cannot be found: {}", self.name, lines.join("; "))
    }
}

fn find(machine: &mut Machine, classes: &[String]) -> Step<SuiteTests> {
    let text = machine_text(machine, classes)?;
    let tests = call(machine, "findUsable", "(Ljava/lang/String;)I", &[text])?;
    let runner = machine.load(runner::CLASS)?;
    let run = machine.declared_method(runner, "run", "(I)I").ok_or_else(changed)?;
    Ok(SuiteTests { run, tests: tests as usize })
}

fn machine_text(machine: &mut Machine, classes: &[String]) -> Step<Value> {
    Ok(Value::reference(machine.new_text(&classes.join("\n"))?))
}

fn changed() -> Trap {
    Trap::unsupported("a changed SuiteRunner")
}

/// A number that the runner gives.
fn call(machine: &mut Machine, name: &str, descriptor: &str, arguments: &[Value]) -> Step<u32> {
    let runner = machine.load(runner::CLASS)?;
    machine.initialize_class_now(runner)?;
    let method = machine.declared_method(runner, name, descriptor).ok_or_else(changed)?;
    Ok(machine.call(method, arguments)?.bits as u32)
}

/// A text that the runner gives.
fn ask(machine: &mut Machine, name: &str, descriptor: &str, arguments: &[Value]) -> Option<String> {
    let class = machine.load(runner::CLASS).ok()?;
    let method = machine.declared_method(class, name, descriptor)?;
    let text = machine.call(method, arguments).ok()?;
    (text.bits != 0).then(|| machine.text(text.as_ref()))
}

/// The usual name of a test: its class and method.
pub fn test_name(machine: &mut Machine, test: usize) -> String {
    let number = Value::int(i32::try_from(test).unwrap_or(i32::MAX));
    let id = ask(machine, "name", "(I)Ljava/lang/String;", &[number]);
    let id = id.unwrap_or_else(|| format!("number {test}"));
    // [engine:junit-vintage]/[runner:a.BTest]/[test:c(a.BTest)], [engine:junit-jupiter]/[class:a.BTest]/[method:c()]
    let parts = id.split('/').filter_map(|part| part.strip_prefix('[')?.strip_suffix(']')?.split_once(':'));
    let parts: Vec<&str> = parts.filter(|(kind, _)| *kind != "engine").map(|(_, name)| name).collect();
    let shorter = |part: &&str| part.split('(').next().unwrap_or_default().to_owned();
    parts.iter().map(shorter).collect::<Vec<_>>().join(".")
}
