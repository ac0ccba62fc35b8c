//! The user's own JUnit tests, run on the machine by JUnit's console launcher: which pairs do they exercise?

use crate::console;
use crate::dataflow_args::DataflowArgs;
use crate::interrupt::interrupted;
use crate::names::meant;
use cupping_classfile::{ClassPath, Jdk, Program};
use cupping_coverage::CoverageMap;
use cupping_dataflow::{Analysis, Watched, open, statically};
use cupping_generate::Session;
use cupping_machine::{DefUse, Ending, Halt, Limits, Machine, Settings};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LAUNCHER: &str = "org.junit.platform.console.ConsoleLauncher";
/// Where Debian has the launcher with all that it needs, and JUnit 4 beside it.
const JARS: [&str; 3] = [
    "/usr/share/java/junit-platform-console-standalone.jar",
    "/usr/share/java/junit4.jar",
    "/usr/share/java/hamcrest.jar",
];
/// Instructions that the suite may take, so that a test that never ends is ended.
const FUEL: u64 = 60_000_000_000;

/// A suite that has been run.
pub struct Suite {
    machine: Machine,
    recorded: BTreeSet<DefUse>,
}

impl Suite {
    /// Runs the suite with the accesses of these classes recorded.
    ///
    /// # Errors
    /// Where the suite or JUnit is missing, or the run was stopped; the text says how to go on.
    pub fn run(
        args: &DataflowArgs,
        path: &str,
        program: &Program,
        session: &mut Session,
        classes: &[&str],
    ) -> Result<Suite, String> {
        let jdk = program.jdk();
        let version = jdk.feature_version();
        let own = ClassPath::open(path, version).map_err(|error| format!("--suite: {error}"))?;
        let tests = tests(&own, &jars(&args.emission.junit_jar), &args.suite_tests)?;
        let mut all = own;
        all.append(program.class_path());
        for jar in jars(&args.emission.junit_jar) {
            all.push(&jar, version).map_err(|error| error.to_string())?;
        }
        let mut machine = boot(jdk, all, Limits::default())?;
        let mut map = CoverageMap::new();
        let mut watched: Vec<Watched> = Vec::new();
        for class in classes {
            let options = args.options(&Arc::default());
            // A class that cannot be analysed has been told of where it is.
            let Ok(mut bench) = open(session, class, &options) else { continue };
            let analysis = statically(&mut bench, &options);
            for of in &analysis.flat.hierarchy {
                if let Some(file) = &bench.machine().class(*of).file
                    && !map.classes().iter().any(|known| known.name == file.name)
                {
                    map.track(file).map_err(|error| error.to_string())?;
                }
            }
            watched.extend(analysis.watched);
        }
        machine.track(&map);
        for Watched { class, method, accesses } in watched {
            machine.watch_contents(&class, method, accesses);
        }
        run(&mut machine, &tests)?;
        let recorded = machine.registers.pairs.as_ref().clone();
        Ok(Suite { machine, recorded })
    }

    /// The pairs of a class that the suite exercises, by number.
    pub fn exercised(&self, analysis: &Analysis) -> BTreeSet<usize> {
        analysis.exercised.pairs(&self.machine, &self.recorded)
    }
}

/// The jars of JUnit: those named, or those that this machine has.
pub(crate) fn jars(named: &[PathBuf]) -> Vec<PathBuf> {
    if !named.is_empty() {
        return named.to_vec();
    }
    JARS.iter().map(PathBuf::from).filter(|jar| jar.is_file()).collect()
}

/// The test classes of a suite, by the names that JUnit's launcher looks for.
pub(crate) fn tests(suite: &ClassPath, jars: &[PathBuf], only: &[String]) -> Result<Vec<String>, String> {
    if !jars.iter().any(|jar| has_launcher(jar)) {
        return Err(
            "JUnit's console launcher is missing; install it (on Debian `apt-get install junit5`) or name \
                    junit-platform-console-standalone.jar with --junit-jar"
                .to_owned(),
        );
    }
    let mut names = Vec::new();
    for entry in suite.entries() {
        names.extend(entry.class_names().map_err(|error| error.to_string())?);
    }
    let is_test = |name: &String| {
        if !only.is_empty() {
            return only.contains(&name.replace('/', "."));
        }
        let simple = name.rsplit('/').next().unwrap_or(name);
        let is_named = simple.starts_with("Test") || simple.ends_with("Test") || simple.ends_with("Tests");
        is_named && !simple.contains('$')
    };
    let all = names.clone();
    let mut tests: Vec<String> = names.into_iter().filter(is_test).map(|n| n.replace('/', ".")).collect();
    tests.sort_unstable();
    tests.dedup();
    if let Some(missing) = only.iter().find(|test| !tests.contains(test)) {
        let all: Vec<String> = all.iter().map(|it| it.replace('/', ".")).collect();
        let meant = meant(all.iter().map(String::as_str), missing);
        return Err(format!("--suite-test: there is no class {missing} in the suite{meant}"));
    }
    if tests.is_empty() {
        return Err("--suite: no class there is named Test*, *Test or *Tests".to_owned());
    }
    Ok(tests)
}

fn has_launcher(jar: &Path) -> bool {
    let opened = ClassPath::open(&jar.to_string_lossy(), 17);
    let file = format!("{}.class", LAUNCHER.replace('.', "/"));
    opened.is_ok_and(|path| path.entries().any(|e| e.read(&file).is_ok_and(|found| found.is_some())))
}

/// A machine for a suite.
pub(crate) fn boot(jdk: &Jdk, class_path: ClassPath, limits: Limits) -> Result<Machine, String> {
    let text = std::env::join_paths(class_path.entries().map(|e| e.path())).unwrap_or_default();
    let settings = Settings { class_path: text.to_string_lossy().into_owned(), ..Settings::default() };
    let program = Arc::new(Program::new(jdk.clone(), class_path));
    let mut machine = Machine::boot_with(program, limits, settings).map_err(|error| error.to_string())?;
    machine.end_when(interrupted);
    Ok(machine)
}

/// Runs tests by JUnit's launcher.
pub(crate) fn run(machine: &mut Machine, tests: &[String]) -> Result<(), String> {
    let mut arguments = vec!["--disable-banner".to_owned(), "--details=none".to_owned()];
    arguments.extend(tests.iter().map(|test| format!("--select-class={test}")));
    machine.set_fuel(FUEL);
    match machine.launch(LAUNCHER, &arguments) {
        Ending::Exited(0) => Ok(()),
        Ending::Exited(1) => {
            console::error(&"--suite: some of its tests fail; what they exercise counts all the same");
            Ok(())
        }
        Ending::Exited(code) => Err(format!("--suite: JUnit ended with exit code {code}")),
        Ending::Stopped(Halt::OutOfFuel) if !interrupted() => {
            console::error(
                &"--suite: it was stopped, as it takes too long; what was exercised until then counts",
            );
            Ok(())
        }
        Ending::Stopped(halt) => Err(format!("--suite: it was stopped: {halt:?}")),
    }
}
